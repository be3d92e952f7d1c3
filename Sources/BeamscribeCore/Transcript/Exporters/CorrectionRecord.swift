/// What a correction changes, as the `correction` records of docs/JSONL.md tell it: for readers who
/// keep lines by their numbers and do not want to follow corrections of corrections.
public struct CorrectionRecord: Encodable, Equatable, Sendable {
    /// The line that is corrected in the end.
    public var seq: Int
    /// The line that corrects it.
    public var by: Int
    /// The words that the corrected line has now.
    public var text: String
    /// Who speaks, if the correction says so; else it is as it was.
    public var speaker: String?
    /// The language, if the correction says so; else it is as it was.
    public var lang: String?

    private enum CodingKeys: String, CodingKey { case by, lang, seq, speaker, text, type }

    /// What `line` changes in line `seq`.
    public init(of seq: Int, by line: TranscriptLine) {
        self.seq = seq
        by = line.seq
        text = line.text
        speaker = line.speaker
        lang = line.lang
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("correction", forKey: .type)
        try container.encode(seq, forKey: .seq)
        try container.encode(by, forKey: .by)
        try container.encode(text, forKey: .text)
        try container.encodeIfPresent(speaker, forKey: .speaker)
        try container.encodeIfPresent(lang, forKey: .lang)
    }
}
