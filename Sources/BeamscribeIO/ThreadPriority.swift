internal import CLinux
internal import Glibc

/// How the calling thread stands beside the program's others.
public enum ThreadPriority {
    /// Lets the other threads go first where there are more than processors: Linux has a nice value
    /// for each thread (setpriority(2), "C library/kernel differences").
    ///
    /// - Parameter steps: 1 to 19, each about a quarter less of a processor that all want.
    public static func lower(by steps: Int32) {
        // Where the system refuses, all go on as equals.
        let process = __priority_which_t(PRIO_PROCESS.rawValue)
        let now = getpriority(process, 0)
        _ = setpriority(process, 0, min(19, now + steps))
    }
}
