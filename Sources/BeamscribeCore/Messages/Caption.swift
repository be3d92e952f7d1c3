/// A line as the input gave it, before it has a number.
public struct Caption: Equatable, Sendable {
    public var text: String
    /// The input's own id of the line; lines without one are told apart by their order.
    public var line: String?
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?
    /// Seconds in the recording.
    public var start: Double?
    public var end: Double?
    /// The number of the final that this one corrects.
    public var replaces: Int?

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
