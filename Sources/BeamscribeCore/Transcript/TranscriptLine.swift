/// A line of the transcript as a reader gets it.
public struct TranscriptLine: DetailedCaption, Equatable, Sendable {
    /// The line's number in the session, from 1.
    public var seq: Int
    /// The open line that it completes.
    public var line: String
    /// The words.
    public var text: String
    /// What else is known of it.
    public var details: CaptionDetails
    /// The line that this one corrects.
    public var replaces: Int?
    /// The line whose words these are in another language.
    public var of: Int?
    /// Its place among the lines of all the event's logs.
    public var at: Int
    /// Whether a line that belongs behind it came before it.
    public var isLate = false
    /// The host's clock when the line came, in seconds since 1970.
    public var sentTimestamp: Double
    /// The reader's clock when it got the line, in seconds since 1970.
    public var receivedTimestamp: Double
    /// Seconds from one to the other, corrected by the difference of the two clocks; for a line
    /// of the history, its age.
    public var latency: Double

    /// A line with what is known of it.
    public init(
        seq: Int, line: String, text: String, speaker: String? = nil, lang: String? = nil,
        start: Double? = nil, end: Double? = nil, replaces: Int? = nil,
        sentTimestamp: Double, receivedTimestamp: Double, latency: Double
    ) {
        self.seq = seq
        self.line = line
        self.text = text
        details = CaptionDetails(speaker: speaker, lang: lang, start: start, end: end)
        self.replaces = replaces
        at = seq
        self.sentTimestamp = sentTimestamp
        self.receivedTimestamp = receivedTimestamp
        self.latency = latency
    }

    /// The table of what every record of a line has, as that of ``LiveChunk``.
    @inline(__always)
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool {
        visitor.field("seq", &seq)
            || visitor.field("line", &line, .label)
            || visitor.field("text", &text, .words)
            || details.visit(&visitor)
            || visitor.field("replaces", &replaces)
            || visitor.field("of", &of)
            || visitor.field("sentTimestamp", &sentTimestamp)
    }

    /// `Speaker: text`, or the text alone; nothing of a line that was withdrawn.
    public var spokenText: String {
        text.isEmpty ? "" : speaker.map { "\($0): \(text)" } ?? text
    }
}

extension TranscriptLine {
    /// Gives the general encoder what is in the table.
    func encodeFields(to encoder: any Encoder) throws {
        var (line, fields) = (self, CaptionFieldEncoder(encoder))
        _ = line.visit(&fields)
        if let failure = fields.failure { throw failure }
    }

    /// A line as a session's log has it. Whoever wrote the file, its text can be shown.
    public init(_ chunk: LiveChunk, seq: Int) {
        self.init(
            seq: seq, line: SafeText.line(chunk.line), text: SafeText.line(chunk.text),
            replaces: chunk.replaces, sentTimestamp: chunk.sentTimestamp,
            receivedTimestamp: chunk.sentTimestamp, latency: 0)
        of = chunk.of
        at = chunk.at ?? seq
        details = chunk.details.mapped { text, _ in SafeText.line(text) }
    }
}
