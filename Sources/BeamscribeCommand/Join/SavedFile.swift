import BeamscribeCore
import BeamscribeIO

/// A file of `--save` that is open: a new one, or one that another guest has not finished.
///
/// Invariant: the first `position.bytes` bytes of the file hold the lines up to `position.after` of
/// one session, each once; `isAtEnd` says that it has been cut to them. The position beside the file
/// is never ahead of it.
final class SavedFile {
    let path: String
    private let file: OutputFile
    private var position: SavedPosition
    private var writer: EventWriter
    private var isAtEnd = false

    /// Names that are tried before giving up.
    private static let tries = 1_000

    /// Opens the first of `path`, the same with `-2` and so on that is new, empty, or this
    /// session's to go on in. Nothing else is touched.
    static func open(
        _ path: String, session: String, subtitles: EventWriter.Subtitles = .ofAllLogs
    ) throws(SystemError) -> SavedFile {
        for number in 1..<tries {
            let file = try SavedFile(name(path, number), session: session, subtitles)
            if let file { return file }
        }
        throw .fileExists("make the file", name(path, tries))
    }

    /// Where the newest file of `path` that was not finished has come to.
    static func newestPosition(of path: String) -> SavedPosition? {
        var newest: SavedPosition?
        for number in 1..<tries where OutputFile.exists(name(path, number)) {
            newest = SavedPosition(of: name(path, number)) ?? newest
        }
        return newest
    }

    /// `notes.srt`, `notes-2.srt` and so on.
    static func name(_ path: String, _ number: Int) -> String {
        guard number > 1 else { return path }
        let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
        let dot = path[name...].dropFirst().lastIndex(of: ".") ?? path.endIndex
        return "\(path[..<dot])-\(number)\(path[dot...])"
    }

    /// Nil where the file is none to write this session's lines to.
    private init?(
        _ path: String, session: String, _ subtitles: EventWriter.Subtitles
    ) throws(SystemError) {
        self.path = path
        let new = SavedPosition(session: session, writer: EventWriter(path, subtitles).progress)
        var kept = SavedPosition(of: path)
        guard try OutputFile.mayBeReplaced(path, largest: .max) else { return nil }
        if OutputFile.exists(path) {
            do throws(SystemError) {
                file = try OutputFile(continuing: path)
            } catch  where error.isPermission || error.isLocked {
                return nil
            }
            let size = try file.size
            if size == 0 { kept = new }
            guard let kept, kept.session == session, kept.bytes <= size else { return nil }
        } else {
            kept = new
            // A guest that is killed before it has written a line must find its file again, too.
            try new.store(for: path)
            do throws(SystemError) {
                file = try OutputFile(creating: path)
            } catch {
                try? SmallFile.remove(SavedPosition.path(for: path))
                throw error
            }
        }
        position = kept ?? new
        writer = EventWriter(path, subtitles, after: position.writer)
    }

    /// What the file has.
    var resume: Handshake.Resume? { position.resume }

    // MARK: Writing

    /// Writes what `events` bring that the file does not have; all of it, or nothing.
    ///
    /// - Returns: withdrawals of lines that only the file has: the guest has not reported them.
    @discardableResult
    func write(_ events: [GuestEvent]) throws(SystemError) -> [GuestEvent] {
        var (next, nextWriter) = (position, writer)
        var (news, ownWithdrawals): ([GuestEvent], [GuestEvent]) = ([], [])
        for event in events {
            let own = next.news(of: event)
            news += own
            ownWithdrawals += own.filter { $0 != event && $0.finalLine == nil }
        }
        let text = news.isEmpty ? "" : nextWriter.text(for: news)
        next.bytes += text.utf8.count
        next.writer = nextWriter.progress
        if !text.isEmpty { try write(text, next) }
        (position, writer) = (next, nextWriter)
        return ownWithdrawals
    }

    private func write(_ text: String, _ next: SavedPosition) throws(SystemError) {
        if !isAtEnd { try file.rewind(to: position.bytes) }
        isAtEnd = false
        do throws(SystemError) {
            try file.write(text)
            try next.store(for: path)
        } catch {
            // Whoever reads the file meanwhile finds whole lines.
            try? file.rewind(to: position.bytes)
            throw error
        }
        isAtEnd = true
    }

    /// How many lines of `events` the file does not have.
    func missing(of events: [GuestEvent]) -> Int {
        var position = position
        return events.count { position.news(of: $0).contains { $0.finalLine != nil } }
    }

    /// Nobody goes on in the file.
    func finish() {
        try? SmallFile.remove(SavedPosition.path(for: path))
    }
}

extension EventWriter {
    fileprivate init(_ path: String, _ subtitles: Subtitles, after progress: Progress? = nil) {
        self.init(TranscriptFormat(forFile: path), after: progress, subtitles: subtitles)
    }
}
