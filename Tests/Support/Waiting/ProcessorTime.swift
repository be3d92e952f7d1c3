import Glibc

/// What computing costs.
public enum ProcessorTime {
    /// The time for which this thread had a processor while it ran `body`. Whatever else the machine
    /// does adds nothing to it.
    public static func measure(_ body: () throws -> Void) rethrows -> Duration {
        let start = now
        try body()
        return now - start
    }

    private static var now: Duration {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
