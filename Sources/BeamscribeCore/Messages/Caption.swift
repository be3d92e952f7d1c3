/// A line as the input gave it, before it has a number.
public struct Caption: DetailedCaption, Equatable, Sendable {
    /// The words, without control characters, at most ``Limits/lineBytes`` bytes of UTF-8.
    public var text: String
    /// The input's own id of the line; lines without one are told apart by their order.
    public var line: String?
    /// What else is known of it.
    public var details: CaptionDetails
    /// The number of the final that this one corrects.
    public var replaces: Int?
    /// The number of the final that this one translates.
    public var of: Int?
    /// The words as the input had them, where a glossary has changed them.
    public var heard: String?

    /// A line of which nothing but the text is known, unless more is given.
    public init(
        text: String, line: String? = nil, speaker: String? = nil, lang: String? = nil,
        start: Double? = nil, end: Double? = nil, replaces: Int? = nil
    ) {
        self.text = text
        self.line = line
        details = CaptionDetails(speaker: speaker, lang: lang, start: start, end: end)
        self.replaces = replaces
    }

    /// The same, with the words that were meant.
    public func mended(by glossary: Glossary) -> Caption {
        let meant = glossary.mended(text, lang: lang)
        guard meant != text else { return self }
        var caption = self
        (caption.text, caption.heard) = (meant, text)
        return caption
    }
}
