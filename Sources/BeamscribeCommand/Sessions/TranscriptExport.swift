import BeamscribeCore
import BeamscribeIO

/// Exports one session: looks through its log, and then reads it again to write it.
///
/// Of the lines only those of one piece of the log are held at a time, whatever its size.
struct TranscriptExport {
    let source: ExportSource
    let survey: JournalSurvey
    /// Whether a host was writing the log when it was looked through.
    let isInUse: Bool
    let showsCorrections: Bool
    /// Whether words stay masked that the host did not show to guests.
    let isMasked: Bool
    /// Which lines are wanted.
    let languages: CaptionFilter
    private let decoder = PacketDecoder()

    /// - Throws: ``Failure`` where the log can't be read, or is none.
    init(
        _ source: ExportSource, showsCorrections: Bool, isMasked: Bool, languages: CaptionFilter
    ) throws {
        self.source = source
        self.languages = languages
        self.showsCorrections = showsCorrections
        self.isMasked = isMasked
        let isLog: Bool
        do throws(SystemError) {
            isInUse = source.log.isLockedByAnother
            survey = try source.log.survey(within: source.boundaries)
            let head = try source.log.bytes(from: 0, limit: 16)
            isLog = survey.count > 0 || head.isEmpty || JournalSurvey.isBeginning(head)
        } catch {
            throw Failure(cannotExport: "\(error).")
        }
        guard isLog else {
            throw Failure(
                cannotExport: "\(source.name) is no session's log: there is no line in it.")
        }
    }

    /// The lines between two bounds; nil where there are none.
    func range(from: ExportBound?, to: ExportBound?) throws -> ClosedRange<Int>? {
        guard let event = times(from, to) else {
            let first = from?.line ?? 1
            return first...max(first, to?.line ?? .max)
        }
        let (earliest, latest) = (from?.moment(in: event), to?.moment(in: event))
        var first = from?.line ?? (earliest == nil ? 1 : nil)
        var last = to?.line ?? (latest == nil ? .max : nil)
        for stretch in survey.stretches {
            try read(stretch) { line in
                guard !survey.corrections.isCorrection(line.seq) else { return }
                if let earliest, first == nil, line.sentTimestamp >= earliest { first = line.seq }
                if let latest, line.sentTimestamp <= latest { last = line.seq }
            }
        }
        guard let first, let last, first <= last else { return nil }
        return first...last
    }

    /// When the first line came and when the last; nil where no bound is a time.
    private func times(_ from: ExportBound?, _ to: ExportBound?) -> ClosedRange<Double>? {
        guard [from, to].contains(where: { $0 != nil && $0?.line == nil }) else { return nil }
        let (first, last) = (survey.firstSent ?? 0, survey.lastSent ?? 0)
        // A clock that was set back may have the last before the first.
        return min(first, last)...max(first, last)
    }

    func write(
        _ format: TranscriptFormat, range: ClosedRange<Int>, withTimes: Bool,
        to output: ExportOutput
    ) throws {
        var exporter = TranscriptExporter(
            format, range: range, marks: source.marks,
            timeWords: withTimes ? { LocalTime($0).timeWithSeconds } : nil)
        var languages = languages
        try output.write(exporter.header)
        for stretch in survey.stretches where stretch.after < range.upperBound {
            try read(stretch) { line in
                try output.write(try text(for: line, &exporter, in: &languages))
            }
        }
        try output.write(exporter.end())
        try output.flush()
    }

    private func read(
        _ stretch: JournalSurvey.Stretch, _ body: (TranscriptLine) throws -> Void
    ) throws {
        var reader = JournalReader(after: stretch.after)
        var offset = stretch.bytes.lowerBound
        while offset < stretch.bytes.upperBound {
            let left = Int(stretch.bytes.upperBound - offset)
            let bytes = try source.log.bytes(from: offset, limit: min(left, SessionLog.piece))
            guard !bytes.isEmpty else { throw changed }
            offset += UInt64(bytes.count)
            var lines: [TranscriptLine] = []
            bytes.withUnsafeBytes { piece in
                reader.read(piece) { lines.append(self.line($1, seq: $2)) }
            }
            try lines.forEach(body)
        }
        if reader.isBroken { throw changed }
    }

    private func text(
        for line: TranscriptLine, _ exporter: inout TranscriptExporter,
        in languages: inout CaptionFilter
    ) throws -> String {
        guard !showsCorrections else {
            return languages.passes(line) ? exporter.text(for: line) : ""
        }
        if survey.corrections.isCorrection(line.seq) { return "" }
        var line = line
        // What corrects a line that is lost stands for itself.
        line.replaces = nil
        guard exporter.includes(line.seq) else { return exporter.text(for: line) }
        for place in survey.corrections.corrections(of: line.seq) {
            line = line.corrected(by: try correction(at: place))
        }
        guard languages.passes(line) else { return "" }
        return exporter.text(for: line)
    }

    private func correction(at place: JournalSurvey.LinePlace) throws -> TranscriptLine {
        let bytes = try source.log.bytes(from: place.offset, limit: place.length)
        let packet = bytes.withUnsafeBytes { try? decoder.packet($0) }
        guard case .liveChunk(let chunk)? = packet, let seq = chunk.seq else { throw changed }
        return line(chunk, seq: seq)
    }

    private func line(_ chunk: LiveChunk, seq: Int) -> TranscriptLine {
        var chunk = chunk
        if !isMasked, let original = chunk.original { chunk.text = original }
        return TranscriptLine(chunk, seq: seq)
    }

    private var changed: Failure {
        Failure(.inputOutput, "\(source.name) was changed while it was read. Try again.")
    }
}

extension SessionLog {
    /// Bytes that are read at once: about 2,000 lines.
    static let piece = 262_144

    /// Reads all of the log, to find what is whole in it.
    func survey(within boundaries: RunBoundaries) throws(SystemError) -> JournalSurvey {
        var survey = JournalSurvey(within: boundaries)
        try readAll { survey.read($0, at: $1) }
        return survey
    }
}
