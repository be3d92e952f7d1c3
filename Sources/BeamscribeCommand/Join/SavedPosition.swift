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
    /// - Returns: whether the file lacks what it brings.
    mutating func isNews(_ event: GuestEvent) -> Bool {
        switch event {
        case .joined(let event):
            // The lines of another run may be other lines than those that the file has.
            after = event.runs.valid(through: after, of: run)
            run = event.runs.current
            return false
        // It was told to be missing, and is there once.
        case .line(let line) where line.isLate && line.seq <= after: return true
        case .line(let line):
            guard line.seq > after else { return false }
            after = line.seq
            return true
        case .gap(_, let through): return through > after
        case .withdrawn: return true
        case .inLog(let log, let event): return isNews(event, of: log.session)
        default: return false
        }
    }

    /// The same of another log, which comes from its beginning each time.
    private mutating func isNews(_ event: GuestEvent, of log: String) -> Bool {
        let last = others?[log] ?? 0
        switch event {
        case .line(let line):
            guard line.seq > last else { return false }
            others = (others ?? [:]).merging([log: line.seq]) { $1 }
            return true
        case .gap(_, let through): return through > last
        case .withdrawn(let from, _):
            others?[log] = min(last, from - 1)
            return true
        default: return false
        }
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
