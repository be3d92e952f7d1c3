/// A point in time as the program's driver read it: the machines themselves read no clock.
public struct Moment: Sendable, Equatable {
    /// Time since some fixed point, never going back, also counting sleep: for timeouts.
    public var uptime: Duration
    /// Seconds since 1970: for what people and other machines see.
    public var wall: Double

    /// A moment by both clocks.
    public init(uptime: Duration, wall: Double) {
        self.uptime = uptime
        self.wall = wall
    }

    /// This moment, later by `duration` on both clocks.
    public func advanced(by duration: Duration) -> Moment {
        Moment(uptime: uptime + duration, wall: wall + duration.seconds)
    }
}

extension Duration {
    /// The duration in seconds.
    public var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) * 1e-18
    }
}
