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
    /// The last line of the log that is of the event; nil for one without an end.
    public var until: Int?

    /// Lets a log in.
    ///
    /// - Parameters:
    ///   - key: all 64 digits of its writer's.
    ///   - seq: the last line that is of the event; nil for good.
    init(
        event: UUID, session: String, key: String, rank: Int = 1, number: Int = 1,
        until seq: Int? = nil
    ) {
        (self.event, self.session, self.key) = (event.wireName, session, key)
        (self.rank, self.number, until) = (rank, number, seq)
    }

    /// Lets a log in for good.
    init(event: UUID, session: UUID, writer: Fingerprint) {
        self.init(event: event, session: session.wireName, key: writer.hex)
    }
}
