import FoundationEssentials

/// The founder of an event lets another writer's log in, by his signature. Of several for a log that with
/// the highest number counts.
public struct LogGrant: Codable, Equatable, Sendable {
    /// The event's id: that of the log that founded it.
    public var event: String
    /// The log that is let in, a lower-case UUID.
    public var session: String
    /// The key that writes it, as all 64 digits of its ``Fingerprint``.
    public var key: String
    /// Whose turn the captions are where two writers could take it; the founder's own is 0.
    public var rank: Int
    /// Counts the grants of a log.
    public var number: Int

    /// Lets a log in for good.
    init(event: UUID, session: UUID, writer: Fingerprint, rank: Int = 1, number: Int = 1) {
        (self.event, self.session) = (event.wireName, session.wireName)
        (key, self.rank, self.number) = (writer.hex, rank, number)
    }
}
