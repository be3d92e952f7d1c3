/// Something about the event that everyone should know.
public struct Alert: Codable, Equatable, Sendable {
    /// One of ``Kind``'s, or a later version's, which is shown by its message.
    public var kind: String
    /// The alert for people, at most ``Limits/messageBytes``.
    public var message: String?
    /// The host's clock, in seconds since 1970.
    public var sentTimestamp: Double?

    /// The kinds of the contract.
    public enum Kind: String, Sendable {
        case hostDisconnected = "host_disconnected"
        case ended
        case batteryLow = "battery_low"
        case sessionResumed = "session_resumed"
        case inputStalled = "input_stalled"
        case inputEnded = "input_ended"
        case paused
        /// Ours: what is said is thrown away until ``resumed``.
        case offRecord = "off_record"
        /// Ours: others caption until ``resumed``.
        case offAir = "off_air"
        case resumed
        /// Ours: the operator has marked this place in the event.
        case mark
        case storageFailed = "storage_failed"
        /// Ours: what ``storageFailed`` said is over.
        case storageRestored = "storage_restored"
    }

    /// The kind of an alert that a guest makes for its own reader: logs that the event's host
    /// offers do not come. Nobody sends it.
    static let logsMissing = "logs_missing"

    /// An alert of one of the kinds of the contract.
    public init(_ kind: Kind, _ message: String, sentTimestamp: Double) {
        self.kind = kind.rawValue
        self.message = message
        self.sentTimestamp = sentTimestamp
    }
}
