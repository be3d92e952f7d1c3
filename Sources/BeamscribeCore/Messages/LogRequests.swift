/// Asks the other side of a connection for the lines of a log that is not its main one.
public struct ReadRequest: Codable, Equatable, Sendable {
    /// The log, a lower-case UUID.
    public var session: String
    /// The newest line that is there already; 0 for none.
    public var after: Int
    /// The run of the log in which that line came; nil where there is none.
    public var run: Int?
    /// Whether the event is over, so that what follows is not taken any more: true, or nil.
    public var over: Bool?

    /// Asks for what follows a line.
    init(_ session: String, after: Int = 0, run: Int? = nil) {
        (self.session, self.after, self.run) = (session, after, run)
    }
}

/// Names one of an event's logs: `in` says that the captions that follow are of it, `unread` that nothing
/// more of it is wanted.
public struct LogMention: Codable, Equatable, Sendable {
    /// The log, a lower-case UUID.
    public var session: String

    init(_ session: String) { self.session = session }
}
