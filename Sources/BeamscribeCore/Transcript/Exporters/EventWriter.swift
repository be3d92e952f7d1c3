import FoundationEssentials

/// Turns a guest's events into the bytes of a pipe or a file, in one of the formats.
///
/// Subtitles are those of what the event's host writes, its main log and what it hears those say who talk, unless
/// those of all are asked for: whoever shows them as they come would have the cues of several upon each other, and
/// late ones at a wrong time.
///
/// Invariant: in every format but JSON, only finals are written, each once.
public struct EventWriter {
    /// Which lines are subtitles.
    public enum Subtitles: Sendable {
        /// Those of the main log, and of other captions of its writer.
        case ofMainLog
        /// Those of all logs, under their names, for whom lines come in order.
        case ofAllLogs
        /// The same of one log by itself, which needs no name.
        case ofOneLog
    }

    /// The format that is written.
    public let format: TranscriptFormat
    private var subtitles: SubtitleWriter
    private let json = JSONEncoder()
    private let kind: Subtitles
    private var isBegun: Bool
    private var corrections: Corrections
    /// Of the event's other logs, by their sessions.
    private var othersCorrections: [String: Corrections] = [:]
    /// Who writes the main log, once that is known.
    private var founder: Fingerprint?

    /// How far a writer is, to go on in the same file later.
    public struct Progress: Codable, Sendable {
        var isBegun: Bool
        var subtitles: SubtitleWriter
        /// Nil in what was written before there was one.
        var corrections: Corrections?
        /// Of the other logs; nil where there is none.
        var others: [String: Corrections]?
    }

    /// How far this one is.
    public var progress: Progress {
        Progress(
            isBegun: isBegun, subtitles: subtitles, corrections: corrections,
            others: othersCorrections.isEmpty ? nil : othersCorrections)
    }

    /// A writer at the start of its pipe or file, or where an earlier one was.
    public init(
        _ format: TranscriptFormat, after progress: Progress? = nil,
        subtitles kind: Subtitles = .ofMainLog
    ) {
        (self.format, self.kind) = (format, kind)
        isBegun = progress?.isBegun ?? false
        subtitles = progress?.subtitles ?? SubtitleWriter(isVTT: format == .vtt)
        corrections = progress?.corrections ?? Corrections()
        othersCorrections = progress?.others ?? [:]
        json.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// What is to be written for `events`.
    public mutating func text(for events: [GuestEvent]) -> String {
        var text = isBegun ? "" : header
        isBegun = true
        let next = mainTimes(behind: events)
        for (index, event) in events.enumerated() {
            switch event {
            case .line(let line): append(line, to: &text)
            case .inLog(let log, let event):
                append(event, of: log, before: next.isEmpty ? nil : next[index], to: &text)
            case .withdrawn(let from, _):
                corrections.forget(from: from)
                fallthrough
            default:
                if event == .begunAnew { corrections = Corrections() }
                if case .joined(let joined) = event { founder = joined.writer }
                if format == .jsonl, let record = EventRecord(event) { append(record, to: &text) }
            }
        }
        return text
    }

    /// For each event when the next line of the main log was sent that comes with them; nothing
    /// where no subtitles are written.
    private func mainTimes(behind events: [GuestEvent]) -> [Double?] {
        guard format == .srt || format == .vtt else { return [] }
        var next: Double?
        var times: [Double?] = []
        for event in events.reversed() {
            times.append(next)
            if case .line(let line) = event { next = line.sentTimestamp }
        }
        return times.reversed()
    }

    private mutating func append(
        _ event: GuestEvent, of log: LogTitle, before next: Double?, to text: inout String
    ) {
        if case .withdrawn(let from, _) = event {
            othersCorrections[log.session]?.forget(from: from)
        }
        if format == .jsonl {
            if let record = EventRecord(.inLog(log, event)) { append(record, to: &text) }
        } else if case .line(let line) = event, format == .text || hasSubtitles(of: log) {
            let corrected = othersCorrections[log.session, default: Corrections()].add(line)
            let keepsSpeaker = format == .vtt
            let marked =
                corrected.map { line.marked(correcting: $0, keepsSpeaker: keepsSpeaker) } ?? line
            text +=
                format == .text
                ? log.tag(beside: corrected == nil ? line.speaker : nil) + marked.spokenText + "\n"
                : subtitles.cues(
                    kind == .ofOneLog ? marked : marked.named(after: log), of: log, before: next)
        }
    }

    /// Whether lines of another log are left out, since subtitles are those of the main one.
    public func leavesOut(_ log: LogTitle) -> Bool {
        (format == .srt || format == .vtt) && !hasSubtitles(of: log)
    }

    private func hasSubtitles(of log: LogTitle) -> Bool {
        kind != .ofMainLog
            || log.writer == founder && log.translates == nil && log.standsInFor == nil
    }

    private mutating func append(_ line: TranscriptLine, to text: inout String) {
        let corrected = corrections.add(line)
        guard format != .jsonl else {
            append(EventRecord.line(line), to: &text)
            if let corrected { append(CorrectionRecord(of: corrected, by: line), to: &text) }
            return
        }
        let marked = corrected.map { line.marked(correcting: $0, keepsSpeaker: format == .vtt) }
        if format == .text {
            text += (marked ?? line).spokenText
            text += "\n"
        } else {
            text += subtitles.cues(marked ?? line)
        }
    }

    private var header: String { format == .vtt ? subtitles.header : "" }

    private func append(_ record: some Encodable, to text: inout String) {
        // Encoding fails for numbers that are not finite only; such an event says nothing.
        guard let data = try? json.encode(record) else { return }
        text += String(decoding: data, as: UTF8.self)
        text += "\n"
    }
}
