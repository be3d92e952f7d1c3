/// Turns the lines of a whole session, or of the logs of a whole event, into a transcript.
///
/// Of subtitles it holds one line back, until the next one tells how long that can be shown.
public struct TranscriptExporter {
    /// A log whose lines are written.
    public struct Log {
        /// What its lines are told from those of others by; nil for those of the main one, or of one alone.
        public var name: LogTitle?
        /// The lines that are written.
        public var range: ClosedRange<Int>
        /// The places that its operator marked, the oldest first.
        public var marks: [SessionRecord.Mark]
        /// When its first line came, in seconds after the event's first one.
        public var begins: Double

        /// A log by itself, or the first one.
        public init(
            _ name: LogTitle? = nil, range: ClosedRange<Int>, marks: [SessionRecord.Mark] = [],
            begins: Double = 0
        ) {
            (self.name, self.range, self.marks, self.begins) = (name, range, marks, begins)
        }
    }

    /// What is known of a log while its lines come.
    private struct Progress {
        let log: Log
        var clock = CaptionClock()
        var corrections = Corrections()
        var marks: MarkWriter

        /// - Parameters:
        ///   - time: when it was said, where its writer's clock is wrong.
        ///   - isAmongOthers: whether the lines are those of several logs.
        mutating func span(
            of line: TranscriptLine, at time: Double?, isAmongOthers: Bool
        ) -> CaptionSpan {
            var timed = line
            timed.sentTimestamp = time ?? line.sentTimestamp
            let span = clock.span(of: timed).moved(by: log.begins)
            guard isAmongOthers, line.start != nil, let first = clock.firstSent else { return span }
            return span.begun(by: timed.sentTimestamp - first + log.begins)
        }
    }

    private let format: TranscriptFormat
    private var logs: [Progress]
    private var subtitles: SubtitleWriter
    private var held: (line: TranscriptLine, spoken: CaptionSpan)?
    private let timeWords: ((Double) -> String)?

    /// An exporter of one log.
    ///
    /// - Parameters:
    ///   - format: what is written.
    ///   - range: the lines that are.
    ///   - marks: the places that the operator marked, the oldest first.
    ///   - timeWords: what text has of a line's time, in seconds since 1970; nil for nothing.
    public init(
        _ format: TranscriptFormat, range: ClosedRange<Int>, marks: [SessionRecord.Mark] = [],
        timeWords: ((Double) -> String)? = nil
    ) {
        self.init(format, of: [Log(range: range, marks: marks)], timeWords: timeWords)
    }

    /// An exporter of several logs, at least one.
    public init(
        _ format: TranscriptFormat, of logs: [Log], timeWords: ((Double) -> String)? = nil
    ) {
        (self.format, self.timeWords) = (format, timeWords)
        self.logs = logs.map { log in
            let marks = log.marks.filter { log.range.contains(max(1, $0.after)) }
            return Progress(log: log, marks: MarkWriter(format, marks))
        }
        subtitles = SubtitleWriter(isVTT: format == .vtt)
    }

    /// What stands before the first line.
    public var header: String { format == .vtt ? subtitles.header : "" }

    /// Whether a line of a log is one of those that are written.
    public func includes(_ seq: Int, of log: Int = 0) -> Bool { logs[log].log.range.contains(seq) }

    /// What is to be written when `line` is next. All lines are to be given, those as well that
    /// are not in the range: times count from the log's first. A line that still `replaces`
    /// another is marked as a correction of the line that this was in the end.
    ///
    /// - Parameters:
    ///   - log: the line's, by its place among all.
    ///   - time: when it was said by the event's clock (``EventTimes``), for subtitles; nil where that is its
    ///     writer's. Text and JSON tell the writer's own.
    ///   - signed: the line as its writer has signed it, and in which log, where that is to be told.
    public mutating func text(
        for line: TranscriptLine, of log: Int = 0, at time: Double? = nil,
        signed: (TranscriptLine, LogTitle)? = nil
    ) -> String {
        let corrected = logs[log].corrections.add(line)
        let isWritten = includes(line.seq, of: log)
        switch format {
        case .text:
            let speaker = corrected == nil ? line.speaker : nil
            let tag = logs[log].log.name.map { $0.tag(beside: speaker) } ?? ""
            return isWritten ? text(marked(line, corrected), after: tag) : ""
        case .jsonl:
            guard isWritten else { return "" }
            let json = LineRecord.json(signed?.0 ?? line, of: signed?.1)
            return logs[log].marks.before(line.seq) + json + "\n"
        case .srt, .vtt:
            let spoken = logs[log].span(of: line, at: time, isAmongOthers: logs.count > 1)
            guard isWritten else { return "" }
            let named = logs[log].log.name.map { line.named(after: $0) } ?? line
            defer { held = (marked(named, corrected), spoken) }
            return release(next: spoken.start) + logs[log].marks.before(line.seq)
        }
    }

    private func text(_ line: TranscriptLine, after tag: String) -> String {
        let text = line.spokenText
        // A line that was withdrawn is none.
        guard !text.isEmpty else { return "" }
        let time = timeWords.map { $0(line.sentTimestamp) + " " } ?? ""
        return time + tag + text + "\n"
    }

    /// What is to be written after the last line.
    public mutating func end() -> String {
        var text = release(next: .infinity)
        for log in logs.indices { text += logs[log].marks.before(.max) }
        return text
    }

    private mutating func release(next: Double) -> String {
        guard let held else { return "" }
        self.held = nil
        return subtitles.cues(
            held.line, spoken: held.spoken, next: next, isAmongOthers: logs.count > 1)
    }

    private func marked(_ line: TranscriptLine, _ corrected: Int?) -> TranscriptLine {
        guard let corrected else { return line }
        // WebVTT says the speaker outside of the text.
        return line.marked(correcting: corrected, keepsSpeaker: format == .vtt)
    }
}
