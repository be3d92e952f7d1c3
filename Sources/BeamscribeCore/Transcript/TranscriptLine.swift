/// A line of the transcript as a reader gets it.
public struct TranscriptLine: Equatable, Sendable {
    /// The line's number in the session, from 1.
    public var seq: Int
    /// The open line that it completes.
    public var line: String
    /// The words.
    public var text: String
    /// Who speaks.
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?
    /// Seconds in the recording, as the recogniser said.
    public var start: Double?
    /// Where the words end, in seconds.
    public var end: Double?
    /// The line that this one corrects.
    public var replaces: Int?
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
        self.speaker = speaker
        self.lang = lang
        self.start = start
        self.end = end
        self.replaces = replaces
        self.sentTimestamp = sentTimestamp
        self.receivedTimestamp = receivedTimestamp
        self.latency = latency
    }

    /// `Speaker: text`, or the text alone.
    public var spokenText: String {
        speaker.map { "\($0): \(text)" } ?? text
    }
}

extension TranscriptLine {
    /// A line as a session's log has it. Whoever wrote the file, its text can be shown.
    public init(_ chunk: LiveChunk, seq: Int) {
        self.init(
            seq: seq, line: SafeText.line(chunk.line), text: SafeText.line(chunk.text),
            speaker: chunk.speaker.map(SafeText.line), lang: chunk.lang.map(SafeText.line),
            start: chunk.start, end: chunk.end, replaces: chunk.replaces,
            sentTimestamp: chunk.sentTimestamp, receivedTimestamp: chunk.sentTimestamp,
            latency: 0)
    }
}
