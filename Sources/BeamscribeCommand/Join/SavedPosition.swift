import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

/// How far the file of `--save` is, kept beside it while it is not finished, so that another
/// `join` with the same file goes on in it.
///
/// It is written after the file: of the two, it is never ahead.
struct SavedPosition: Codable, Sendable {
    var version = 1
    /// The session that the lines are of.
    var session: String
    /// The session's run in which the last line came.
    var run = 1
    /// The last line in the file.
    var after = 0
    /// The bytes that hold it and those before.
    var bytes = 0
    /// What the file's writer knows.
    var writer: EventWriter.Progress
    /// The last lines of the event's other logs, by their sessions; nil where there is none.
    var others: [String: Int]?
    /// When the newest of these lines were sent, by their sessions and numbers. A line with another
    /// time is another line: its writer has lost the first.
    var sent: [String: [Int: Double]]?

    /// Where a new file is.
    init(session: String, writer: EventWriter.Progress) {
        (self.session, self.writer) = (session, writer)
    }

    /// What a guest that goes on in the file has; nil where that is nothing.
    var resume: Handshake.Resume? {
        after == 0 ? nil : Handshake.Resume(session: session, after: after, run: run)
    }

    /// Takes `event` in.
    ///
    /// - Returns: what the file lacks of it. If the file has lines that the host has lost, their
    ///   withdrawal comes first, unless the guest has reported it.
    mutating func news(of event: GuestEvent) -> [GuestEvent] {
        switch event {
        case .joined(let event):
            // The lines of another run may be other lines than those that the file has.
            let withdrawal = GuestEvent.withdrawn(
                from: event.runs.valid(through: after, of: run) + 1, through: after)
            run = event.runs.current
            return news(of: withdrawal)
        // It was told to be missing, and is there once.
        case .line(let line) where line.isLate && line.seq <= after: return [event]
        case .line(let line):
            guard line.seq > after else { return [] }
            after = line.seq
            return [event]
        case .gap(_, let through): return through > after ? [event] : []
        case .withdrawn(let from, _):
            guard from <= after else { return [] }
            after = from - 1
            return [event]
        case .inLog(let log, let event): return news(of: event, in: log)
        default: return []
        }
    }

    /// The same of another log, which comes from its beginning each time.
    private mutating func news(of event: GuestEvent, in log: LogTitle) -> [GuestEvent] {
        let last = others?[log.session] ?? 0
        switch event {
        case .line(let line):
            guard line.seq <= last else {
                note(line, in: log.session)
                return [.inLog(log, event)]
            }
            let known = sent?[log.session]?[line.seq] ?? line.sentTimestamp
            guard known != line.sentTimestamp else { return [] }
            return news(of: .withdrawn(from: line.seq, through: last), in: log)
                + news(of: event, in: log)
        case .gap(_, let through): return through > last ? [.inLog(log, event)] : []
        case .withdrawn(let from, _):
            guard from <= last else { return [] }
            others?[log.session] = from - 1
            let times = sent?[log.session]?.filter { $0.key < from }
            sent?[log.session] = times
            return [.inLog(log, event)]
        default: return []
        }
    }

    private mutating func note(_ line: TranscriptLine, in log: String) {
        others = (others ?? [:]).merging([log: line.seq]) { $1 }
        var times = sent?[log] ?? [:]
        times[line.seq] = line.sentTimestamp
        if times.count > Limits.savedLineTimes, let oldest = times.keys.min() {
            times[oldest] = nil
        }
        sent = (sent ?? [:]).merging([log: times]) { $1 }
    }
}

extension SavedPosition {
    /// Nil for what this version has not written.
    init?(of file: String) {
        guard let json = try? SmallFile.read(Self.path(for: file)),
            let position = try? OutsideJSON().decode(Self.self, from: Data(json)),
            position.version == 1, (0...Limits.lineNumber).contains(position.after),
            position.others?.values.allSatisfy((0...Limits.lineNumber).contains) ?? true,
            position.bytes >= 0
        else { return nil }
        self = position
    }

    func store(for file: String) throws(SystemError) {
        // Encoding fails for numbers that are not finite only.
        let json = (try? JSONEncoder().encode(self)).map { Array($0) } ?? []
        try SmallFile.replace(
            Self.path(for: file), with: json + [UInt8(ascii: "\n")], durably: false)
    }

    /// Where the position of `file` is kept.
    static func path(for file: String) -> String { file + ".beamscribe" }
}
