/// How a guest fares, in numbers.
public struct GuestStatistics: Equatable, Sendable {
    /// Lines that were reported since the guest was started.
    public var lines: Int
    /// The newest line taken in, reported or not; nil before the first history.
    public var applied: Int?
    /// How long the connection has been there, in seconds; nil without one.
    public var connectionAge: Double?
    /// How many connections there were after the first.
    public var reconnects: Int
    /// How late the last live lines came; nil before the first.
    public var latency: LatencyPercentiles?
}
