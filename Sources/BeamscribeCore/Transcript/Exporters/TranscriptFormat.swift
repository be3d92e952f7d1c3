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

    /// Whether a file's name asks for a form that is none of these: another program would take what
    /// is in it for damaged.
    public static func isForeign(file path: String) -> Bool {
        let parts = path.split(separator: "/").last?.split(separator: ".") ?? []
        guard parts.count > 1, let ending = parts.last?.lowercased() else { return false }
        return foreign.contains(ending)
    }

    private static let foreign: Set<String> = [
        "pdf", "doc", "docx", "odt", "rtf", "html", "htm", "epub", "csv", "xls", "xlsx", "ods",
        "ass", "ssa", "sbv", "ttml", "dfxp", "stl", "xml", "json", "zip", "mp3", "mp4", "mkv",
        "wav",
    ]
}
