import BeamscribeCore
import BeamscribeIO

/// A log that is exported, once it was looked through: its lines are read again to be written.
struct ExportedLog {
    let source: ExportSource
    let survey: JournalSurvey
    /// Whether a host was writing it when it was looked through.
    let isInUse: Bool
    /// Whether words stay masked that the host did not show to guests.
    let isMasked: Bool
    private let decoder = PacketDecoder()

    /// - Throws: ``Failure`` where the log can't be read, or is none.
    init(_ source: ExportSource, isMasked: Bool) throws {
        (self.source, self.isMasked) = (source, isMasked)
        let isLog: Bool
        do throws(SystemError) {
            isInUse = source.log.isLockedByAnother
            survey = try source.log.survey(
                within: source.boundaries, isTranslation: source.title?.translates != nil)
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

    /// What it is called in messages.
    var name: String { source.name }

    /// Its lines from its first one on, a piece of the log at a time.
    func lines() -> Lines { Lines(self) }

    /// Reads lines one after another, of which those of one piece of the log are held at a time.
    struct Lines {
        private let log: ExportedLog
        private var stretch = 0
        private var reader: JournalReader?
        private var offset: UInt64 = 0
        private var waiting: ArraySlice<TranscriptLine> = []

        fileprivate init(_ log: ExportedLog) { self.log = log }

        /// - Returns: nil at the end.
        mutating func next() throws -> TranscriptLine? {
            while waiting.isEmpty {
                guard stretch < log.survey.stretches.count else { return nil }
                try readOn(in: log.survey.stretches[stretch])
            }
            return waiting.popFirst()
        }

        private mutating func readOn(in bounds: JournalSurvey.Stretch) throws {
            if reader == nil { offset = bounds.bytes.lowerBound }
            var reader = reader ?? JournalReader(after: bounds.after)
            let left = Int(clamping: bounds.bytes.upperBound - offset)
            let bytes = try log.source.log.bytes(from: offset, limit: min(left, SessionLog.piece))
            guard !bytes.isEmpty else { throw log.changed }
            offset += UInt64(clamping: bytes.count)
            var lines: [TranscriptLine] = []
            bytes.withUnsafeBytes { piece in
                reader.read(piece) { lines.append(log.line($1, seq: $2)) }
            }
            waiting = lines[...]
            if reader.isBroken { throw log.changed }
            let isDone = offset >= bounds.bytes.upperBound
            if isDone { stretch += 1 }
            self.reader = isDone ? nil : reader
        }
    }

    /// A line as its corrections say it.
    func corrected(_ line: TranscriptLine) throws -> TranscriptLine {
        var line = line
        // What corrects a line that is lost stands for itself.
        line.replaces = nil
        for place in survey.corrections.corrections(of: line.seq) {
            line = line.corrected(by: try self.line(at: place))
        }
        return line
    }

    /// The line at a place, and its corrections, the oldest first.
    func wordings(at place: JournalSurvey.LinePlace) throws -> [TranscriptLine] {
        let line = try line(at: place)
        return try [line]
            + survey.corrections.corrections(of: line.seq).map { try self.line(at: $0) }
    }

    private func line(at place: JournalSurvey.LinePlace) throws -> TranscriptLine {
        let bytes = try source.log.bytes(from: place.offset, limit: place.length)
        let packet = bytes.withUnsafeBytes { try? decoder.packet($0) }
        guard case .liveChunk(let chunk)? = packet, let seq = chunk.seq else { throw changed }
        return line(chunk, seq: seq)
    }

    private func line(_ chunk: LiveChunk, seq: Int) -> TranscriptLine {
        var chunk = chunk
        // Others' lines are exported as they were shown.
        if !isMasked, source.isOwn, let original = chunk.original { chunk.text = original }
        var line = TranscriptLine(chunk, seq: seq)
        if let place = survey.correctedPlaces[seq] { line.at = place }
        return line
    }

    private var changed: Failure {
        Failure(.inputOutput, "\(source.name) was changed while it was read. Try again.")
    }
}

extension SessionLog {
    /// Bytes that are read at once: about 2,000 lines.
    static let piece = 262_144

    /// Reads all of the log, to find what is whole in it.
    func survey(
        within boundaries: RunBoundaries, isTranslation: Bool = false
    ) throws(SystemError) -> JournalSurvey {
        var survey = JournalSurvey(within: boundaries, isTranslation: isTranslation)
        try readAll { survey.read($0, at: $1) }
        return survey
    }
}
