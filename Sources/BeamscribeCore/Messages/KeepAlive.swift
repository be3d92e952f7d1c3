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

    /// A sign of life with nothing but its time.
    public init(timestamp: Double) {
        self.timestamp = timestamp
    }
}
