/// A line of captions: a final, which has its number for ever, or a partial, which the next
/// partial or the final of the same `line` replaces.
public struct LiveChunk: Codable, Equatable, Sendable {
    /// Whether the line is done.
    public var isFinal: Bool
    /// A final's number in the session: from 1, without gaps.
    public var seq: Int?
    /// The open line that this text belongs to.
    public var line: String
    /// A partial's revision, rising within its line.
    public var revision: Int?
    /// The text; an empty partial withdraws its line.
    public var text: String
    /// The host's clock when the text came, in seconds since 1970.
    public var sentTimestamp: Double
    /// Who speaks.
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?
    /// Where the words begin and end in the recording, in seconds, as the recogniser said.
    public var start: Double?
    /// Where the words end, in seconds.
    public var end: Double?
    /// The final that this one corrects. Both stay in the log.
    public var replaces: Int?
    /// What was said, where the host has masked words in `text`. It is for the host's log and what is
    /// made of it; guests show `text`.
    public var original: String?

    /// A final of which nothing else is known.
    public init(final seq: Int, line: String, text: String, sentTimestamp: Double) {
        self.isFinal = true
        self.seq = seq
        self.line = line
        self.text = text
        self.sentTimestamp = sentTimestamp
    }

    /// A partial of which nothing else is known.
    public init(
        partialOf line: String, revision: Int, text: String, sentTimestamp: Double
    ) {
        self.isFinal = false
        self.line = line
        self.revision = revision
        self.text = text
        self.sentTimestamp = sentTimestamp
    }
}
