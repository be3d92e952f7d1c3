public import BeamscribeCore
internal import Glibc
internal import Synchronization

public enum Clock {
    /// Both clocks now. The first counts sleep too (CLOCK_BOOTTIME), so that whoever wakes knows
    /// how long it was away.
    public static var now: Moment { Moment(uptime: uptime, wall: wall) }

    /// Time since the machine started, sleep included.
    public static var uptime: Duration { time(of: CLOCK_BOOTTIME) }

    /// Time since the machine started without its sleep, by which some libraries count.
    public static var monotonic: Duration { time(of: CLOCK_MONOTONIC) }

    /// Seconds since 1970, by a clock that goes evenly once ``holdWall()`` was called.
    public static var wall: Double {
        steady.withLock { $0.time(system, uptime: uptime.seconds) }
    }

    /// Seconds since 1970, by the system's clock: it may be set at any time.
    public static var system: Double { time(of: CLOCK_REALTIME).seconds }

    /// Something was said: from now on no step of the system's clock moves ``wall``, for as long as
    /// this program runs. Until then it follows the system's clock, as a machine that has just
    /// started is often set right.
    public static func holdWall() {
        steady.withLock { $0.hold(system, uptime: uptime.seconds) }
    }

    private static let steady = Mutex(SteadyWall())

    private static func time(of clock: clockid_t) -> Duration {
        var time = timespec()
        clock_gettime(clock, &time)
        return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
}
