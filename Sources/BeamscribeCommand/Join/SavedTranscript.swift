import BeamscribeCore
import BeamscribeIO

/// What `--save` is given, as the lines come; they wait for a file that cannot be written.
///
/// Invariant: the file has the event's lines up to one, and `waiting` those from there on that were
/// given, in order, up to where `isOverfull` was set. There is no file before there is a line for it. Lines
/// that wait to be put into the event's order are among these.
actor SavedTranscript {
    /// The name that was asked for.
    private let wanted: String
    private let subtitles: EventWriter.Subtitles
    private let tell: @Sendable (String) -> Void
    private var file: SavedFile?
    private var session = ""
    private var waiting: [GuestEvent] = []
    private var waitingBytes = 0
    /// Whether so much has waited that what came then was given up.
    private var isOverfull = false
    /// Lines that were given up.
    private var lost = 0
    /// Why the file lacks what waits, or did.
    private var trouble: SystemError?
    private var retry: Task<Void, any Error>?
    private var order = ArrivalOrder()
    private var release: Task<Void, any Error>?
    private var eventIsOver = false
    /// What the newest file of an earlier guest has, of whatever event; nil once that is known not
    /// to be this one.
    private var earlier: Handshake.Resume?

    /// - Parameters:
    ///   - subtitles: whether the lines come of several logs or of one.
    ///   - tell: takes warnings.
    /// - Throws: ``Failure`` where no file of that name can be made, whatever is in the folder.
    init(
        _ path: String, subtitles: EventWriter.Subtitles = .ofAllLogs,
        tell: @escaping @Sendable (String) -> Void
    ) throws {
        (wanted, self.subtitles) = (path, subtitles)
        self.tell = tell
        do throws(SystemError) {
            try OutputFile.checkFolder(of: path)
            guard try OutputFile.mayBeReplaced(path, largest: .max) else {
                throw SystemError.fileExists("make the file", path)
            }
        } catch {
            throw Failure(.cannotMakeFile, "\(error). Choose another name; nothing was changed.")
        }
        earlier = SavedFile.newestPosition(of: path)?.resume
    }

    /// The file, if there is one by now.
    var path: String? { file?.path }

    /// What is in a file already, for a guest that is not to ask for all.
    var resume: Handshake.Resume? { session.isEmpty ? earlier : file?.resume }

    /// A host has another event than that of ``resume``.
    ///
    /// - Returns: whether nothing was joined yet, so that it may be the event that is wanted.
    func isOfAnotherEvent() -> Bool {
        defer { earlier = nil }
        return session.isEmpty && earlier != nil
    }

    // MARK: Writing

    /// Writes what `events` bring. What cannot be written waits until it can.
    func write(_ events: [GuestEvent]) {
        for event in events {
            switch event {
            case .joined(let joined):
                if joined.session != session { begin(joined.session) }
                wait(for: event, bytes: 0)
            case .line, .gap, .withdrawn, .inLog(_, .line), .inLog(_, .gap), .inLog(_, .withdrawn):
                wait(for: event, bytes: event.finalLine?.text.utf8.count ?? 0)
            case .alert(Alert.Kind.ended.rawValue, _): eventIsOver = true
            default: break
            }
            if isOrdered { order.note(event, now: Clock.uptime) }
        }
        if order.end != nil { return releaseLater() }
        // A disk that is full is not asked with each line.
        if retry == nil { writeWaiting() }
    }

    /// JSON lines say where they belong, and whether they came late.
    private var isOrdered: Bool { TranscriptFormat(forFile: wanted) != .jsonl }

    private func releaseLater() {
        guard release == nil, let end = order.end else { return }
        release = Task { [weak self] in
            try await Task.sleep(for: end - Clock.uptime)
            await self?.releaseNow()
        }
    }

    private func releaseNow() {
        release = nil
        if let end = order.end, end > Clock.uptime { return releaseLater() }
        writeInOrder()
    }

    /// Writes what was kept for the sake of its order.
    private func writeInOrder() {
        guard order.end != nil else { return }
        order.release()
        release?.cancel()
        release = nil
        waiting = ArrivalOrder.ordered(waiting, main: session)
        if retry == nil { writeWaiting() }
    }

    /// What follows is another event's, and goes to a file of its own.
    private func begin(_ session: String) {
        writeInOrder()
        // Before the first event only lines are reported that the host has lost.
        if !self.session.isEmpty {
            lost += missing
            (waiting, waitingBytes, isOverfull) = ([], 0, false)
        }
        (file, self.session, eventIsOver) = (nil, session, false)
        order = ArrivalOrder()
    }

    private func wait(for event: GuestEvent, bytes: Int) {
        let bytes = bytes + MemoryLayout<GuestEvent>.size
        isOverfull = isOverfull || waitingBytes + bytes > Limits.unsavedBytes
        guard !isOverfull else { return lost += event.finalLine == nil ? 0 : 1 }
        waiting.append(event)
        waitingBytes += bytes
    }

    private func writeWaiting() {
        guard file != nil || waiting.contains(where: { $0.finalLine != nil }) else { return }
        do throws(SystemError) {
            let file = try openFile()
            while !waiting.isEmpty {
                let piece = Array(waiting.prefix(Self.piece))
                let withdrawals = try file.write(piece)
                waiting.removeFirst(piece.count)
                withdrawals.compactMap { LogWords.withdrawal($0, from: file.path) }.forEach(tell)
            }
            waitingBytes = 0
        } catch {
            failed(error)
        }
    }

    /// Events that are written at once, so that a disk with little room gets some of many.
    private static let piece = 256

    private func openFile() throws(SystemError) -> SavedFile {
        if let file { return file }
        let opened = try SavedFile.open(wanted, session: session, subtitles: subtitles)
        file = opened
        if opened.path != wanted {
            tell("\(wanted) is there already: the lines go to \(opened.path).")
        }
        return opened
    }

    private func failed(_ error: SystemError) {
        if trouble == nil {
            tell("\(error). The captions go on; the file gets what it lacks when that works again.")
        }
        trouble = error
        retry = Task { [weak self] in
            try await Task.sleep(for: Limits.savingRetry)
            await self?.tryAgain()
        }
    }

    private func tryAgain() {
        retry = nil
        if order.end == nil { writeWaiting() }
        if eventIsOver { leaveFinished() }
    }

    // MARK: The end

    /// The guest is done. A file of an event that is over is finished: nobody goes on in it.
    func finish(_ outcome: GuestOutcome?) {
        writeInOrder()
        eventIsOver = eventIsOver && outcome == .ended
        if eventIsOver { leaveFinished() }
    }

    private func leaveFinished() {
        if waiting.isEmpty, lost == 0 { file?.finish() }
    }

    /// The program ends.
    ///
    /// - Returns: what is to be said of a file that lacks lines.
    func close() -> Failure? {
        writeInOrder()
        if retry != nil {
            retry?.cancel()
            tryAgain()
            retry?.cancel()
        }
        guard let trouble, missing + lost > 0 else { return nil }
        return Failure(
            .inputOutput,
            "\(file?.path ?? wanted) lacks the last \(plural(missing + lost, "line")): \(trouble). "
                + "While the host is there, the same command adds them once that works again.")
    }

    /// Lines that wait and are not in the file.
    private var missing: Int { file?.missing(of: waiting) ?? waiting.count { $0.finalLine != nil } }
}
