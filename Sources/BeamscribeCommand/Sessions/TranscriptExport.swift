import BeamscribeCore
import BeamscribeIO

/// Exports one log, or several of an event in their common order: looks through each, and then reads it
/// again to write it.
///
/// Of the lines only those of one piece of each log are held at a time, whatever their sizes.
struct TranscriptExport {
    let logs: [ExportedLog]
    /// Which of them, by their ids, are there for what interpreters have said in lines of their own alone.
    private let interpreters: Set<String>
    /// What stands in the place of lines in another language.
    private let translations: [Translation]
    /// Private logs that are not written.
    private let leftOut: [ExportedLog]
    let showsCorrections: Bool
    /// Which lines are wanted.
    let languages: CaptionFilter

    /// The lines of each log that are wanted; nil for none of it.
    typealias Ranges = [ClosedRange<Int>?]

    /// - Throws: ``Failure`` where a log can't be read, or is none.
    init(
        _ sources: ExportChoice.Sources, showsCorrections: Bool, isMasked: Bool,
        languages: CaptionFilter
    ) throws {
        (self.showsCorrections, self.languages) = (showsCorrections, languages)
        let originals = try sources.logs.map { try ExportedLog($0, isMasked: isMasked) }
        // With the corrections everything is shown as it was said.
        let asked = sources.translations.filter {
            !showsCorrections && languages.asks(for: $0.title?.lang)
        }
        translations = try asked.map {
            Translation(try ExportedLog($0, isMasked: isMasked), of: originals)
        }
        let written = Set(originals.compactMap(\.source.title?.session))
        let spoken = translations.map(\.log).filter { log in
            !log.survey.interpreted.isEmpty && !written.contains(log.source.title?.session ?? "")
                && originals.contains { log.translates($0) }
        }
        logs = originals + spoken
        interpreters = Set(spoken.compactMap(\.source.title?.session))
        leftOut = sources.leftOut.compactMap { try? ExportedLog($0, isMasked: isMasked) }
    }

    /// A log whose lines stand in the place of another's.
    private struct Translation {
        let log: ExportedLog
        /// Where the words are of each line, whichever of its corrections was translated.
        private var places: [Int: JournalSurvey.LinePlace] = [:]

        init(_ log: ExportedLog, of originals: [ExportedLog]) {
            self.log = log
            let original = originals.first { log.translates($0) }
            for (seq, place) in log.survey.translations.sorted(by: { $0.key < $1.key }) {
                places[original?.survey.corrections.root(of: seq) ?? seq] = place
            }
        }

        /// The words that stand for `line`; nil if there are none, or if they translate a lost line
        /// that had its number.
        func words(of line: TranscriptLine) throws -> TranscriptLine? {
            guard let place = places[line.seq] else { return nil }
            let wordings = try log.wordings(at: place)
            guard let first = wordings.first, let newest = wordings.last, newest.at >= line.at
            else { return nil }
            return wordings.dropFirst().reduce(first) { $0.corrected(by: $1) }
        }
    }

    /// When the lines of several logs were said, by one clock.
    private func clock() throws -> EventTimes {
        var times: [[EventTimes.Line]] = []
        for log in logs where isMerged {
            var (own, lines): ([EventTimes.Line], _) = ([], log.lines())
            while let line = try lines.next() { own.append(EventTimes.Line(line)) }
            times.append(own)
        }
        return EventTimes(
            of: times, sessions: logs.map { $0.source.title?.session ?? "" },
            main: logs.firstIndex { $0.source.isMain },
            founded: logs.first { $0.source.isMain }?.source.founded)
    }

    private var isMerged: Bool { logs.count > 1 }

    /// Logs whose lines stand in the place of others', and that are not written for themselves.
    var standing: [ExportedLog] {
        translations.map(\.log).filter { log in
            !interpreters.contains(log.source.title?.session ?? "")
        }
    }

    /// The lines between two bounds.
    ///
    /// - Throws: ``Failure`` where lines are numbered in several ways.
    func ranges(from: ExportBound?, to: ExportBound?) throws -> Ranges {
        guard !isMerged || from?.line == nil && to?.line == nil else {
            throw Failure(
                .usage,
                "each of the event's \(logs.count) logs numbers its own lines: give --from and --to "
                    + "as times, or one of the logs by --log.")
        }
        let isTimed = [from, to].contains { $0 != nil && $0?.line == nil }
        let clock = try isTimed ? clock() : EventTimes()
        let event = times(from, to, by: clock)
        return try logs.indices.map { index in
            try range(of: logs[index], from, to, within: event) { line in
                clock.time(of: line.seq, in: index) ?? line.sentTimestamp
            }
        }
    }

    private func range(
        of log: ExportedLog, _ from: ExportBound?, _ to: ExportBound?,
        within event: ClosedRange<Double>?,
        _ time: (TranscriptLine) -> Double = { $0.sentTimestamp }
    ) throws -> ClosedRange<Int>? {
        guard let event else {
            let first = from?.line ?? 1
            return first...max(first, to?.line ?? .max)
        }
        let (earliest, latest) = (from?.moment(in: event), to?.moment(in: event))
        var first = from?.line ?? (earliest == nil ? 1 : nil)
        var last = to?.line ?? (latest == nil ? .max : nil)
        var lines = log.lines()
        while let line = try lines.next() {
            guard !log.survey.corrections.isCorrection(line.seq) else { continue }
            if let earliest, first == nil, time(line) >= earliest { first = line.seq }
            if let latest, time(line) <= latest { last = line.seq }
        }
        guard let first, let last, first <= last else { return nil }
        return first...last
    }

    /// When the first line came and when the last; nil where no bound is a time.
    private func times(
        _ from: ExportBound?, _ to: ExportBound?, by clock: EventTimes = EventTimes()
    ) -> ClosedRange<Double>? {
        guard [from, to].contains(where: { $0 != nil && $0?.line == nil }) else { return nil }
        if let bounds = clock.bounds { return bounds }
        // A clock that was set back may have the last before the first.
        let times: [Double] = logs.map(\.survey).flatMap { survey -> [Double] in
            [survey.firstSent, survey.lastSent].compactMap(\.self)
        }
        return (times.min() ?? 0)...(times.max() ?? 0)
    }

    /// How many private lines are not written that belong to what is asked for.
    func countLeftOut(from: ExportBound?, to: ExportBound?) -> Int {
        let event = times(from, to)
        return leftOut.reduce(0) { sum, log in
            // Numbers of lines are those of another log.
            let bounds = (event == nil ? nil : from, event == nil ? nil : to)
            guard let range = try? range(of: log, bounds.0, bounds.1, within: event) else {
                return sum
            }
            return sum + ((try? count(log, within: range)) ?? 0)
        }
    }

    private func count(_ log: ExportedLog, within range: ClosedRange<Int>) throws -> Int {
        var (lines, count) = (log.lines(), 0)
        while let line = try lines.next() {
            let isCorrection = log.survey.corrections.isCorrection(line.seq)
            if range.contains(line.seq), showsCorrections || !isCorrection { count += 1 }
        }
        return count
    }

    // MARK: Writing

    func write(
        _ format: TranscriptFormat, ranges: Ranges, withTimes: Bool, to output: ExportOutput
    ) throws {
        let isTimed = [.srt, .vtt].contains(format)
        let clock = try isTimed ? clock() : EventTimes()
        var exporter = TranscriptExporter(
            format, of: exported(ranges, clock),
            timeWords: withTimes ? { LocalTime($0).timeWithSeconds } : nil)
        var filters = logs.map { _ in languages }
        var lines = logs.map { $0.lines() }
        var merged = MergedLines(of: logs.map { $0.source.title?.session ?? "" })
        for log in logs.indices where ranges[log] != nil {
            merged.set(try lines[log].next(), of: log)
        }
        try output.write(exporter.header)
        while let (line, log) = merged.first() {
            try output.write(
                try text(
                    for: line, of: log, at: clock.time(of: line.seq, in: log), &exporter,
                    in: &filters[log]))
            let isLast = line.seq >= ranges[log]?.upperBound ?? 0
            merged.set(isLast ? nil : try lines[log].next(), of: log)
        }
        try output.write(exporter.end())
        try output.flush()
    }

    private func exported(_ ranges: Ranges, _ clock: EventTimes) -> [TranscriptExporter.Log] {
        let begins = logs.indices.map { isMerged ? clock.first(of: $0) : nil }
        let first = begins.compactMap(\.self).min()
        return logs.indices.map { index in
            let (log, range) = (logs[index], ranges[index])
            return TranscriptExporter.Log(
                log.source.shownTitle(amongOthers: isMerged), range: range ?? 1...1,
                // A place is one in the log that its operator writes.
                marks: range != nil && (log.source.isMarked || !isMerged) ? log.source.marks : [],
                begins: isMerged ? (begins[index] ?? 0) - (first ?? 0) : 0)
        }
    }

    private func text(
        for line: TranscriptLine, of index: Int, at time: Double?,
        _ exporter: inout TranscriptExporter,
        in filter: inout CaptionFilter
    ) throws -> String {
        let log = logs[index]
        if !showsCorrections {
            if log.survey.corrections.isCorrection(line.seq) { return "" }
            guard exporter.includes(line.seq, of: index) else {
                return exporter.text(for: withoutTarget(line), of: index, at: time)
            }
        }
        let isInterpreters = log.source.title.map { interpreters.contains($0.session) } ?? false
        if isInterpreters, line.of != nil { return "" }
        let shown = showsCorrections ? line : try log.corrected(line)
        let title = log.source.toldTitle(amongOthers: isMerged)
        if let (translated, other) = try translation(of: shown, in: log) {
            let signed = title == nil ? nil : other.map { (placed(translated, as: shown), $0) }
            return exporter.text(
                for: shown.corrected(by: translated), of: index, at: time, signed: signed)
        }
        guard !isInterpreted(line, in: log), passes(shown, of: log, &filter) else { return "" }
        return exporter.text(
            for: shown, of: index, at: time, signed: title.map { (shown, $0) })
    }

    /// What corrects a line that is lost stands for itself.
    private func withoutTarget(_ line: TranscriptLine) -> TranscriptLine {
        var line = line
        line.replaces = nil
        return line
    }

    // MARK: Languages

    /// A line that does not tell its language has its log's; one that is not translated yet stands where
    /// its translation would.
    private func passes(
        _ line: TranscriptLine, of log: ExportedLog, _ filter: inout CaptionFilter
    ) -> Bool {
        var told = line
        if line.replaces == nil { told.lang = line.lang ?? log.source.title?.lang }
        let passes = filter.passes(told)
        return passes || translations.contains { $0.log.interprets(log) }
    }

    /// Whether an interpreter's lines stand in the place of a line, which does not itself say that it is in a
    /// language that is wanted.
    private func isInterpreted(_ line: TranscriptLine, in log: ExportedLog) -> Bool {
        !languages.asks(for: line.lang)
            && translations.contains { other in
                other.log.interprets(log) && other.log.survey.interpreted.covers(line.at)
            }
    }

    /// The line in a language that is wanted, where there is a log with it.
    private func translation(
        of line: TranscriptLine, in log: ExportedLog
    ) throws -> (TranscriptLine, LogTitle?)? {
        guard !languages.asks(for: line.lang ?? log.source.title?.lang) else { return nil }
        for other in translations where other.log.translates(log) {
            guard var words = try other.words(of: line), !words.text.isEmpty else { continue }
            let title = other.log.source.title
            words.lang = words.lang ?? title?.lang
            return (words, title)
        }
        return nil
    }

    /// A translation where its line stands.
    private func placed(
        _ translation: TranscriptLine, as line: TranscriptLine
    ) -> TranscriptLine {
        var translation = translation
        translation.at = line.at
        return translation
    }
}

extension ExportedLog {
    /// Whether its lines can stand for what is said in another log: that which it translates, or one whose writer
    /// stands in for that one's.
    fileprivate func interprets(_ other: ExportedLog) -> Bool {
        guard let original = source.title?.translates else { return false }
        return translates(other) || other.source.title?.speaks(for: original) ?? false
    }

    /// Whether its lines are those of another log in another language.
    fileprivate func translates(_ other: ExportedLog) -> Bool {
        source.title?.translates != nil && source.title?.translates == other.source.title?.session
    }
}
