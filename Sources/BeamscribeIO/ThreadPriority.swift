import BeamscribeCore
internal import CLinux
internal import Glibc

/// How willingly a thread makes way for others.
public enum ThreadPriority {
    /// Lets every thread of usual priority that has work go before the calling one (setpriority(2);
    /// on Linux a nice value is a thread's own). Where the system refuses, all stays as it was.
    public static func makeWay() {
        _ = setpriority(__priority_which_t(clamping: PRIO_PROCESS.rawValue), 0, niceness)
    }

    /// Lets the calling thread go before all that are not in a hurry (SCHED_RR, sched(7)), as sound must that is due
    /// every few milliseconds.
    ///
    /// - Returns: whether the system allows that: to root, or by `LimitRTPRIO` (RLIMIT_RTPRIO).
    public static func hurry() -> Bool { clinux_run_in_real_time(realTime) == 0 }

    /// Makes the calling thread one that RealtimeKit lets go before others. It must not work for 0.1 s without a pause: then
    /// it is an ordinary one again.
    ///
    /// - Returns: its number, and the priority to ask for; nil where the system refuses.
    public static func prepareToHurry() -> (thread: UInt64, priority: UInt32)? {
        let thread = clinux_prepare_real_time()
        return thread < 0 ? nil : (UInt64(clamping: thread), UInt32(clamping: realTime))
    }

    /// Below the sound server's own threads, which have 20 and more.
    private static let realTime: Int32 = 10

    /// Enough that a thread that wakes is served at once, and still a tenth of a busy processor.
    private static let niceness: Int32 = 10
}
