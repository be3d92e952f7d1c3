/// What can be known of a caption besides its words, from the input through the wire and the log to
/// what is made of it. A new key is a property here and its row in the table below.
public struct CaptionDetails: Equatable, Sendable {
    /// Who speaks.
    public var speaker: String?
    /// A BCP 47 language tag.
    public var lang: String?
    /// Where the words begin in the recording, in seconds, as the recogniser said.
    public var start: Double?
    /// Where the words end, in seconds.
    public var end: Double?

    /// The table: names and order of the wire, and what a text may hold.
    @inline(__always)
    mutating func visit(_ visitor: inout some CaptionVisitor) -> Bool {
        visitor.field("speaker", &speaker, .name)
            || visitor.field("lang", &lang, .label)
            || visitor.field("start", &start)
            || visitor.field("end", &end)
    }

    /// The same with other texts.
    func mapped(_ map: @escaping (String, CaptionText) -> String) -> CaptionDetails {
        var (details, fields) = (self, MappedFields(map: map))
        _ = details.visit(&fields)
        return details
    }

    /// Nothing is known, unless more is given.
    public init(
        speaker: String? = nil, lang: String? = nil, start: Double? = nil, end: Double? = nil
    ) {
        self.speaker = speaker
        self.lang = lang
        self.start = start
        self.end = end
    }
}

/// A caption in one of its forms.
public protocol DetailedCaption {
    /// What is known of it besides its words.
    var details: CaptionDetails { get set }
}

extension DetailedCaption {
    /// Who speaks.
    public var speaker: String? {
        get { details.speaker }
        set { details.speaker = newValue }
    }
    /// A BCP 47 language tag.
    public var lang: String? {
        get { details.lang }
        set { details.lang = newValue }
    }
    /// Where the words begin in the recording, in seconds, as the recogniser said.
    public var start: Double? {
        get { details.start }
        set { details.start = newValue }
    }
    /// Where the words end, in seconds.
    public var end: Double? {
        get { details.end }
        set { details.end = newValue }
    }
}
