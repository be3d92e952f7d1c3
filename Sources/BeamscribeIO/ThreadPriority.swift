internal import Glibc

/// How willingly a thread makes way for others.
public enum ThreadPriority {
    /// Lets every thread of usual priority that has work go before the calling one (setpriority(2);
    /// on Linux a nice value is a thread's own). Where the system refuses, all stays as it was.
    public static func makeWay() {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    }

    /// Enough that a thread that wakes is served at once, and still a tenth of a busy processor.
    private static let niceness: Int32 = 10
}
