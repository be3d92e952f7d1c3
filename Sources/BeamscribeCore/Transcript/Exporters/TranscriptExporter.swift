/// Turns the lines of a whole session into a transcript.
///
/// Of subtitles it holds one line back, until the next one tells how long that can be shown.
public struct TranscriptExporter {
    private let format: TranscriptFormat
    private let range: ClosedRange<Int>
    private var subtitles: SubtitleWriter
    private var clock = CaptionClock()
    private var corrections = Corrections()
    private var held: (line: TranscriptLine, spoken: CaptionSpan)?
    private var marks: MarkWriter
    private let timeWords: ((Double) -> String)?

    /// - Parameters:
    ///   - format: what is written.
    ///   - range: the lines that are.
    ///   - marks: the places that the operator marked, the oldest first.
    ///   - timeWords: what text has of a line's time, in seconds since 1970; nil for nothing.
    public init(
        _ format: TranscriptFormat, range: ClosedRange<Int>, marks: [SessionRecord.Mark] = [],
        timeWords: ((Double) -> String)? = nil
    ) {
        self.timeWords = timeWords
        self.format = format
        self.range = range
        self.marks = MarkWriter(format, marks.filter { range.contains(max(1, $0.after)) })
        subtitles = SubtitleWriter(isVTT: format == .vtt)
    }

    /// What stands before the first line.
    public var header: String { format == .vtt ? subtitles.header : "" }

    /// Whether a line is one of those that are written.
    public func includes(_ seq: Int) -> Bool { range.contains(seq) }

    /// What is to be written when `line` is next. All lines are to be given, those as well that
    /// are not in the range: times count from the session's first. A line that still `replaces`
    /// another is marked as a correction of the line that this was in the end.
    public mutating func text(for line: TranscriptLine) -> String {
        let corrected = corrections.add(line)
        switch format {
        case .text:
            let text = marked(line, corrected).spokenText
            // A line that was withdrawn is none.
            guard range.contains(line.seq), !text.isEmpty else { return "" }
            return (timeWords.map { $0(line.sentTimestamp) + " " } ?? "") + text + "\n"
        case .jsonl:
            guard range.contains(line.seq) else { return "" }
            return marks.before(line.seq) + LineRecord.json(line) + "\n"
        case .srt, .vtt:
            let spoken = clock.span(of: line)
            guard range.contains(line.seq) else { return "" }
            defer { held = (marked(line, corrected), spoken) }
            return release(next: spoken.start) + marks.before(line.seq)
        }
    }

    /// What is to be written after the last line.
    public mutating func end() -> String { release(next: .infinity) + marks.before(.max) }

    private mutating func release(next: Double) -> String {
        guard let held else { return "" }
        self.held = nil
        return subtitles.cues(held.line, spoken: held.spoken, next: next)
    }

    private func marked(_ line: TranscriptLine, _ corrected: Int?) -> TranscriptLine {
        guard let corrected else { return line }
        // WebVTT says the speaker outside of the text.
        return line.marked(correcting: corrected, keepsSpeaker: format == .vtt)
    }
}
