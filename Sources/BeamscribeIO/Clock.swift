public import BeamscribeCore
internal import Glibc

public enum Clock {
    /// Both clocks now. The first counts sleep too (CLOCK_BOOTTIME), so that whoever wakes knows
    /// how long it was away.
    public static var now: Moment { Moment(uptime: uptime, wall: wall) }

    /// Time since the machine started, sleep included.
    public static var uptime: Duration { time(of: CLOCK_BOOTTIME) }

    /// Time since the machine started without its sleep, by which some libraries count.
    public static var monotonic: Duration { time(of: CLOCK_MONOTONIC) }

    /// Seconds since 1970.
    public static var wall: Double { time(of: CLOCK_REALTIME).seconds }

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
