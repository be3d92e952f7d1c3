/// A line of captions: a final, which has its number for ever, or a partial, which the next
/// partial or the final of the same `line` replaces.
public struct LiveChunk: DetailedCaption, FlatPacket, Equatable, Sendable {
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
    /// What else is known of it.
    public var details = CaptionDetails()
    /// The final that this one corrects. Both stay in the log.
    public var replaces: Int?
    /// The final whose words these are in the language `lang`.
    public var of: Int?
    /// A final's place among those of all the event's logs: one more than the highest that its writer had
    /// seen; nil where that is ``seq``.
    public var at: Int?
    /// What was said, where the host has masked words in `text`. It is for the host's log and what is
    /// made of it; guests show `text`.
    public var original: String?
    /// The words as the recogniser had them, where the host's glossary has changed them. For the
    /// host's log, too.
    public var heard: String?

    /// The table: names and order of the wire, and what a text may hold. A key that goes with a
    /// caption from the input to what is made of it is in that of ``CaptionDetails``.
    @inline(__always)
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool {
        visitor.field("isFinal", &isFinal)
            || visitor.field("seq", &seq)
            || visitor.field("line", &line, .label)
            || visitor.field("revision", &revision)
            || visitor.field("text", &text, .words)
            || visitor.field("sentTimestamp", &sentTimestamp)
            || details.visit(&visitor)
            || visitor.field("replaces", &replaces)
            || visitor.field("of", &of)
            || visitor.field("at", &at)
            || visitor.field("original", &original, .words)
            || visitor.field("heard", &heard, .words)
    }

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

extension LiveChunk: Codable {
    /// The rows of the table that every caption has.
    static let requiredFields = RequiredFields.of(
        LiveChunk(final: 0, line: "", text: "", sentTimestamp: 0))

    /// Whether an id, a tag or a name is longer than it may be.
    var hasLongLabel: Bool {
        var (chunk, labels) = (self, LongLabels())
        return chunk.visit(&labels)
    }

    public init(from decoder: any Decoder) throws {
        self.init(final: 0, line: "", text: "", sentTimestamp: 0)
        var fields = try CaptionFieldDecoder(decoder)
        _ = visit(&fields)
        if let failure = fields.failure { throw failure }
    }

    public func encode(to encoder: any Encoder) throws {
        var (chunk, fields) = (self, CaptionFieldEncoder(encoder))
        _ = chunk.visit(&fields)
        if let failure = fields.failure { throw failure }
    }
}
