/// What the input says about one caption.
public struct InputLine: Equatable, Sendable {
    /// The caption, without control characters and in at most `Limits.lineBytes` bytes of UTF-8.
    public var text: String

    /// The id that the input gave the line, by which its partials and its final belong together.
    /// Input that gives none has one open line.
    public var line: String?

    /// Who speaks.
    public var speaker: String?

    /// The language, as the input names it.
    public var lang: String?

    /// When the words begin, in seconds, on the input's own clock.
    public var start: Double?

    /// When the words end, in seconds, on the input's own clock.
    public var end: Double?

    /// The number of the earlier line that this one corrects.
    public var replaces: Int?

    /// A caption of which nothing but the text is known, unless more is given.
    public init(
        text: String, line: String? = nil, speaker: String? = nil, lang: String? = nil,
        start: Double? = nil, end: Double? = nil, replaces: Int? = nil
    ) {
        self.text = text
        self.line = line
        self.speaker = speaker
        self.lang = lang
        self.start = start
        self.end = end
        self.replaces = replaces
    }
}
