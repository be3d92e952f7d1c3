import FoundationEssentials

/// Turns a guest's events into the bytes of a pipe or a file, in one of the formats.
///
/// Invariant: in every format but JSON, only finals are written, each once.
public struct EventWriter {
    /// The format that is written.
    public let format: TranscriptFormat
    private var subtitles: SubtitleWriter
    private let json = JSONEncoder()
    private var isBegun: Bool

    /// How far a writer is, to go on in the same file later.
    public struct Progress: Codable, Sendable {
        var isBegun: Bool
        var subtitles: SubtitleWriter
    }

    /// How far this one is.
    public var progress: Progress { Progress(isBegun: isBegun, subtitles: subtitles) }

    /// A writer at the start of its pipe or file, or where an earlier one was.
    public init(_ format: TranscriptFormat, after progress: Progress? = nil) {
        self.format = format
        isBegun = progress?.isBegun ?? false
        subtitles = progress?.subtitles ?? SubtitleWriter(isVTT: format == .vtt)
        json.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// What is to be written for `events`.
    public mutating func text(for events: [GuestEvent]) -> String {
        var text = isBegun ? "" : header
        isBegun = true
        for event in events {
            switch (format, event) {
            case (.jsonl, _): appendJSON(event, to: &text)
            case (.text, .line(let line)):
                text += line.spokenText
                text += "\n"
            case (.srt, .line(let line)), (.vtt, .line(let line)): text += subtitles.cues(line)
            default: continue
            }
        }
        return text
    }

    private var header: String { format == .vtt ? subtitles.header : "" }

    private func appendJSON(_ event: GuestEvent, to text: inout String) {
        // Encoding fails for numbers that are not finite only; such an event says nothing.
        guard let record = EventRecord(event), let data = try? json.encode(record) else { return }
        text += String(decoding: data, as: UTF8.self)
        text += "\n"
    }
}
