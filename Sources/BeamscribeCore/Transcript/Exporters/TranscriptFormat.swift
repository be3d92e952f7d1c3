/// How lines are written to a pipe or a file.
public enum TranscriptFormat: String, CaseIterable, Sendable {
    /// One line of text each, `Speaker: text`.
    case text
    /// One JSON object a line.
    case jsonl
    /// SubRip subtitles.
    case srt
    /// WebVTT subtitles.
    case vtt

    /// The format that a file's name asks for by its ending; text where it asks for none.
    public init(forFile path: String) {
        let ending = path.split(separator: "/").last?.split(separator: ".").last ?? ""
        self = Self(rawValue: ending.lowercased()) ?? .text
    }
}
