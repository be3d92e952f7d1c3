/// A sign of life, and half of a clock comparison.
public struct KeepAlive: Codable, Equatable, Sendable {
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
