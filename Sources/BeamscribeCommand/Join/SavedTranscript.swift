import BeamscribeCore
import BeamscribeIO

/// The file of `--save`, written as the lines come. A later guest with the same file goes on in it.
///
/// Invariant: the first `bytes` bytes of the file hold the lines up to `after` of one session, each
/// once; `isAtEnd` says that it has been cut to them.
actor SavedTranscript {
    private let file: OutputFile
    private let path: String
    private var writer: EventWriter
    private var session: String?
    private var run = 1
    private var after = 0
    private var bytes = 0
    private var isAtEnd = false
    private var hasFailed = false
    private var eventIsOver = false

    /// Opens the file: a new one, or one that another guest has not finished.
    init(_ path: String) throws {
        self.path = path
        do throws(SystemError) {
            guard OutputFile.exists(path) else {
                file = try OutputFile(creating: path)
                writer = EventWriter(TranscriptFormat(forFile: path))
                return
            }
            guard let kept = try? SmallFile.read(SavedPosition.path(for: path)),
                let position = SavedPosition(json: kept)
            else { throw SystemError.fileExists("make the file", path) }
            file = try OutputFile(continuing: path)
            guard position.bytes <= (try file.size) else {
                throw SystemError.isNotAsItWas("go on in", path)
            }
            writer = EventWriter(TranscriptFormat(forFile: path), after: position.writer)
            (session, run) = (position.session, position.run)
            (after, bytes) = (position.after, position.bytes)
        } catch {
            throw Self.failure(error, path)
        }
    }

    /// The last line that the file has; nil for a new file, and one in which nothing stands yet.
    var lastLine: Int? { bytes == 0 ? nil : after }

    private static func failure(_ error: SystemError, _ path: String) -> Failure {
        let advice =
            error.isLocked
            ? "Another program is writing it; choose another name."
            : "Choose another name; nothing was changed."
        return Failure(.cannotMakeFile, "\(error). \(advice)")
    }

    // MARK: Writing

    /// Writes what `events` bring. A failure to write is told once, and the captions go on.
    ///
    /// - Throws: ``Failure`` where the event is not the one that the file holds lines of.
    func write(_ events: [GuestEvent]) throws {
        guard !hasFailed else { return }
        var text = ""
        for event in events {
            if case .joined(let event) = event { try begin(event) }
            if isNews(event) { text += writer.text(for: [event]) }
        }
        do throws(SystemError) {
            try write(text)
        } catch {
            hasFailed = true
            say(
                "warning: \(error). The captions go on; the file is incomplete from here on, until "
                    + "`beamscribe join` is started again with it.")
        }
    }

    /// The guest is done. A file of an event that is over is finished: nobody goes on in it.
    func finish(_ outcome: GuestOutcome?) {
        guard !hasFailed, outcome == .ended, eventIsOver else { return }
        try? SmallFile.remove(SavedPosition.path(for: path))
    }

    /// The lines of another run may be other lines than those that the file has.
    private func begin(_ event: JoinedEvent) throws {
        if let session, session != event.session, after > 0 {
            throw Failure(
                .cannotMakeFile,
                "\(path) holds lines of another session than this event's. Choose another name; "
                    + "nothing was changed.")
        }
        session = event.session
        after = event.runs.valid(through: after, of: run)
        run = event.runs.current
        // A guest that is killed before it has written a position must find its file again, too.
        if bytes == 0 { try? storePosition() }
    }

    /// Whether the file lacks what an event brings.
    private func isNews(_ event: GuestEvent) -> Bool {
        switch event {
        case .line(let line):
            guard line.seq > after else { return false }
            after = line.seq
            return true
        case .gap(_, let through): return through > after
        case .withdrawn: return true
        case .alert(let kind, _):
            if kind == Alert.Kind.ended.rawValue { eventIsOver = true }
            return false
        default: return false
        }
    }

    private func write(_ text: String) throws(SystemError) {
        guard !text.isEmpty else { return }
        if !isAtEnd { try file.rewind(to: bytes) }
        isAtEnd = true
        try file.write(text)
        bytes += text.utf8.count
        try storePosition()
    }

    private func storePosition() throws(SystemError) {
        guard let session else { return }
        let position = SavedPosition(
            session: session, run: run, after: after, bytes: bytes, writer: writer.progress)
        try SmallFile.replace(SavedPosition.path(for: path), with: position.json, durably: false)
    }
}
