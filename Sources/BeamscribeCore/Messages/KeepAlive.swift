/// A sign of life, and half of a clock comparison.
public struct KeepAlive: FlatPacket, Codable, Equatable, Sendable {
    /// The sender's clock, in seconds since 1970.
    public var timestamp: Double
    /// The sender's device, a lower-case UUID.
    public var deviceId: String?
    /// Host only: seconds since its last input.
    public var inputAge: Double?
    /// The other side's last timestamp, and the sender's own clock when that came.
    public var echo: Double?
    /// The sender's clock when `echo` came.
    public var received: Double?
    /// Guest only: the last line it has taken in.
    public var applied: Int?
    /// Guest only: how long its last live lines were under way, in seconds: the median.
    public var latencyP50: Double?
    /// Guest only: and the 95th percentile.
    public var latencyP95: Double?

    /// A sign of life with nothing but its time.
    public init(timestamp: Double) {
        self.timestamp = timestamp
    }

    @inline(__always)
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool {
        visitor.field("timestamp", &timestamp)
            || visitor.field("deviceId", &deviceId)
            || visitor.field("inputAge", &inputAge)
            || visitor.field("echo", &echo)
            || visitor.field("received", &received)
            || visitor.field("applied", &applied)
            || visitor.field("latencyP50", &latencyP50)
            || visitor.field("latencyP95", &latencyP95)
    }

    static let requiredFields = RequiredFields.of(KeepAlive(timestamp: 0))
}

extension KeepAlive {
    /// How late lines reach the guest, where it says so and it makes sense.
    var latency: LatencyPercentiles? {
        get {
            let plausible = -Limits.seconds...Limits.seconds
            guard let latencyP50, let latencyP95, plausible.contains(latencyP50),
                plausible.contains(latencyP95)
            else { return nil }
            return LatencyPercentiles(p50: latencyP50, p95: latencyP95)
        }
        set {
            latencyP50 = newValue?.p50
            latencyP95 = newValue?.p95
        }
    }
}
