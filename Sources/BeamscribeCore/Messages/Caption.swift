/// A line as the input gave it, before it has a number.
public struct Caption: Equatable, Sendable {
    /// The words, without control characters, at most ``Limits/lineBytes`` bytes of UTF-8.
    public var text: String
    /// The input's own id of the line; lines without one are told apart by their order.
    public var line: String?
    /// Who speaks.
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?
    /// Seconds in the recording.
    public var start: Double?
    /// Where the words end, in seconds.
    public var end: Double?
    /// The number of the final that this one corrects.
    public var replaces: Int?

    /// A line of which nothing but the text is known, unless more is given.
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
