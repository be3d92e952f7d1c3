import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Receives strangers at a host's doors, drives their handshakes on a network, and hands
/// over those who come through: a ``Reception`` that is alive.
///
/// Invariant: `strangers` are those that `book` or `desk` has, and each socket is closed or handed
/// over in the same step in which these forget it.
final class HostReception {
    /// Gets a connection whose handshake is done, and what has come on it already.
    var admit: (_ socket: SecureSocket, _ peer: Destination?, _ first: [UInt8]) -> Void = {
        _, _, _ in
    }
    /// Gets what the operator is to know.
    var report: ([HostEvent]) -> Void = { _ in }
    /// Called whenever the last stranger has gone.
    var allGone: () -> Void = {}

    private let loop: any Loop
    private let context: TLSContext
    private let allowsPlain: Bool
    /// Nil for an event that is open to everybody.
    private let code: CodeRecord?
    private var book: Reception
    /// Those of the strangers who are to prove the event's code.
    private var desk: CodeDesk
    private var strangers: [ConnectionID: Stranger] = [:]
    private var nextID: ConnectionID = 1
    @OwnedTimer private var looking: LoopTimer?
    @OwnedTimer private var beginning: LoopTimer?
    /// Set while somebody may be waiting for an answer to its guess.
    @OwnedTimer private var answering: LoopTimer?
    private let timeout: Duration
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 65_536, alignment: 16)

    /// - Parameter guests: how many guests the host takes at once.
    init(
        _ security: HostSecurity, guests: Int, timing: Timing, in surroundings: any Surroundings
    ) throws(TLSError) {
        loop = surroundings.network.loop
        context = try TLSContext(host: security.key)
        allowsPlain = security.allowsPlain
        code = security.code
        timeout = timing.handshakeTimeout
        book = Reception(
            timeout: timing.handshakeTimeout, seed: surroundings.seed(),
            places: .init(openFiles: surroundings.network.openFiles))
        desk = CodeDesk(
            timeout: timing.handshakeTimeout, seed: surroundings.seed(),
            limit: guests + Limits.provingGuests)
    }

    deinit {
        scratch.deallocate()
    }

    var isEmpty: Bool { strangers.isEmpty }

    /// What is wrong with its state; nil where nothing is. Looks at everybody: for tests.
    var brokenInvariant: String? {
        if let broken = book.brokenInvariant ?? desk.brokenInvariant { return broken }
        let known = book.everybody.union(desk.everybody)
        if known != Set(strangers.keys) { return "a stranger has gone and keeps its place" }
        return forgottenDuty
    }

    /// What somebody waits for and nothing will bring about.
    private var forgottenDuty: String? {
        if book.waitingCount > 0, beginning == nil { return "nobody calls a stranger who waits" }
        if looking == nil, book.nextDeadline ?? desk.nextDeadline != nil {
            return "nobody looks when a stranger's time is over"
        }
        var asked = desk
        if answering == nil, !asked.mayGuess(atMost: 1, now: loop.uptime).isEmpty {
            return "a guess has no answer"
        }
        let isStuck = strangers.values.contains {
            $0.hasOutput && !$0.interest.contains(.write)
        }
        return isStuck ? "a stranger's answer waits for nothing" : nil
    }

    func receive(_ accepted: AcceptedConnection) throws(SystemError) {
        let stranger = Stranger(nextID, accepted)
        nextID += 1
        let now = loop.uptime
        guard !desk.isClosed(stranger.source, now: now) else {
            return stranger.say(TLSAlert.accessDenied.record)
        }
        book.arrived(stranger.id, from: stranger.source, now: now)
        try watch(stranger)
        strangers[stranger.id] = stranger
        listen(to: stranger)
        makeRoom()
        lookLater()
    }

    /// Sends away who is one too many: nobody whose words wait in the kernel, and nobody without a
    /// word who has said one.
    private func makeRoom() {
        while let id = book.silentSurplus(), let stranger = strangers[id] {
            listen(to: stranger)
            guard strangers[id] != nil, !book.isWaiting(id) else { continue }
            stranger.dismiss(.internalError)
            forget(stranger)
        }
        while let id = book.waitingSurplus(), let stranger = strangers[id] {
            stranger.dismiss(.internalError)
            leave(stranger, "came while too many others did")
        }
    }

    private func watch(_ stranger: Stranger) throws(SystemError) {
        do throws(SystemError) {
            try stranger.watch { [unowned self, unowned stranger] in ready(stranger, $0) }
        } catch {
            book.left(stranger.id)
            throw error
        }
    }

    // MARK: Leaving

    private func leave(_ stranger: Stranger, _ why: String) {
        let hasGuessed = remove(stranger)
        let why = hasGuessed ? "gave a wrong code" : why
        report([.connectionRefused(peer: stranger.name, why: why)])
        departed()
    }

    private func forget(_ stranger: Stranger) {
        remove(stranger)
        departed()
    }

    /// - Returns: whether it has guessed the event's code, wrongly as far as anybody can tell.
    @discardableResult
    private func remove(_ stranger: Stranger) -> Bool {
        book.left(stranger.id)
        strangers[stranger.id] = nil
        return desk.left(stranger.id, now: loop.uptime)
    }

    /// With the last one who serves here may be gone: nothing is to be told to him behind it.
    private func departed() {
        beginSoon()
        answerLater()
        if strangers.isEmpty { allGone() }
    }

    private func lookLater() {
        let deadlines = [book.nextDeadline, desk.nextDeadline].compactMap(\.self)
        guard looking == nil, let due = deadlines.min() else { return }
        looking = loop.schedule(at: due) { [unowned self] in look() }
    }

    private func look() {
        looking = nil
        let now = loop.uptime
        let overdue = (book.overdue(now: now) + desk.overdue(now: now)).compactMap { strangers[$0] }
        let why = CloseReason.handshakeTimeout(timeout).description
        for stranger in overdue { leave(stranger, why) }
        lookLater()
    }

    // MARK: Handshakes: who may begin, and what comes of it

    private func ready(_ stranger: Stranger, _ readiness: Interest) {
        if let socket = stranger.secured {
            return shakeHands(stranger, socket, reads: readiness.contains(.read))
        }
        // Of those who wait nothing is asked, so that this is an error, or their end.
        guard !book.isWaiting(stranger.id) else {
            forget(stranger)
            return
        }
        listen(to: stranger)
    }

    /// Hears a stranger whose handshake has not begun. Whoever only looks whether the port answers
    /// says nothing and goes: no news.
    private func listen(to stranger: Stranger) {
        switch stranger.listen(into: scratch) {
        case .gone: forget(stranger)
        case .incomplete: return
        case .complete:
            // What else it says waits with the kernel.
            stranger.interest = []
            book.spoke(stranger.id, now: loop.uptime)
            beginSoon()
        }
    }

    /// Lets those begin who wait for their turn: once guests have had theirs, and once all are in
    /// whom the kernel has told of, so that the choice is among them.
    private func beginSoon() {
        guard book.waitingCount > 0 else { return }
        beginning = loop.schedule(after: .zero) { [unowned self] in beginWaiting() }
    }

    /// Begins with those whose turn it is, a few at a time.
    private func beginWaiting() {
        beginning = nil
        for _ in 0..<Self.beginsPerTurn {
            switch book.next(now: loop.uptime) {
            case .nobody: return
            case .later(let due):
                beginning = loop.schedule(at: due) { [unowned self] in beginWaiting() }
                return
            case .now(let id, let other):
                if let other { strangers[other] = nil }
                if let stranger = strangers[id] { begin(stranger) }
            }
        }
        beginSoon()
    }

    private func begin(_ stranger: Stranger) {
        // Who has gone while it waited costs no computing.
        guard stranger.listen(into: scratch) != .gone else {
            forget(stranger)
            return
        }
        lookLater()
        stranger.interest = .read
        stranger.takeFirstWords().withUnsafeBytes { hear(stranger, $0) }
    }

    /// The first byte tells a TLS handshake (22) from the length of a plain frame (0).
    private func hear(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        if first.first == Stranger.handshakeRecord {
            secure(stranger, first)
        } else if allowsPlain {
            admitPlainly(stranger, Array(first))
        } else {
            refusePlain(stranger, first)
        }
    }

    private func secure(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        do throws(TLSError) {
            let tls = try TLSConnection(context)
            guard let socket = stranger.begin(tls) else { return }
            defer { _ = try? socket.flush() }
            try tls.receive(first) { stranger.keep($0) }
        } catch {
            return leave(stranger, SecureSocketError.security(error).clause)
        }
        proceed(stranger)
    }

    private func shakeHands(_ stranger: Stranger, _ socket: SecureSocket, reads: Bool) {
        do throws(SecureSocketError) {
            guard reads else { return proceed(stranger) }
            let received = try socket.receive(into: scratch) { stranger.keep($0) }
            if received == .end { return leave(stranger, "broke its handshake off") }
        } catch {
            _ = try? socket.flush()
            return leave(stranger, error.clause)
        }
        proceed(stranger)
    }

    private func proceed(_ stranger: Stranger) {
        guard let socket = stranger.secured else { return }
        do throws(SecureSocketError) {
            let isSent = try stranger.flush()
            stranger.interest = isSent ? .read : [.read, .write]
        } catch {
            return leave(stranger, error.clause)
        }
        guard socket.isEstablished else { return }
        if let code { return examine(stranger, socket, code) }
        book.admitted(stranger.id)
        handOver(stranger, socket, stranger.takePlaintext())
    }

    private func admitPlainly(_ stranger: Stranger, _ first: [UInt8]) {
        guard let socket = stranger.begin(nil) else { return }
        book.admitted(stranger.id)
        handOver(stranger, socket, first)
    }

    private func handOver(_ stranger: Stranger, _ socket: SecureSocket, _ first: [UInt8]) {
        strangers[stranger.id] = nil
        socket.ignore()
        admit(socket, stranger.peer, first)
        departed()
    }

    /// A guest of ours that asks without encryption is told in a way that it understands.
    private func refusePlain(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        guard first.first == 0 else { return leave(stranger, "sent something that is no TLS") }
        let refusal = HandshakeResponse(
            rejecting: .encryptionRequired,
            "This host talks with encryption only; join without --insecure.")
        if let frame = try? FrameEncoder().frame(.handshakeResponse(refusal)) {
            stranger.say(frame)
        }
        leave(stranger, "asked for no encryption, which takes --insecure here, too")
    }

    /// Handshakes that are begun before guests have their turn: to begin one takes some tenths of a
    /// millisecond, and captions must not wait for a crowd at the door.
    private static let beginsPerTurn = 4

    // MARK: Strangers who are to prove the code, once their handshake is done

    /// Gives a stranger's examiner what came, and carries out what it wants.
    private func examine(_ stranger: Stranger, _ socket: SecureSocket, _ code: CodeRecord) {
        do throws(SecureSocketError) {
            if stranger.examiner == nil { try begin(stranger, socket, code) }
        } catch {
            return leave(stranger, error.clause)
        }
        let said = stranger.takePlaintext()
        let events = said.withUnsafeBytes { stranger.examiner?.receive($0) } ?? []
        for event in events where strangers[stranger.id] === stranger {
            carryOut(event, for: stranger, socket)
        }
    }

    private func begin(
        _ stranger: Stranger, _ socket: SecureSocket, _ code: CodeRecord
    ) throws(SecureSocketError) {
        stranger.examiner = CodeExaminer(
            code, exporter: try socket.exportedKey(), over: stranger.peer?.transport ?? .network)
        book.admitted(stranger.id)
        let evicted = desk.arrived(stranger.id, from: stranger.source, now: loop.uptime)
        if let evicted, let other = strangers[evicted] {
            leave(other, "had to give way to others who prove the code")
        }
        tellOfClosedDoors()
        lookLater()
        beginSoon()
    }

    private func carryOut(
        _ event: CodeExaminer.Event, for stranger: Stranger, _ socket: SecureSocket
    ) {
        switch event {
        case .say(let bytes): tell(stranger, bytes)
        case .guesses:
            desk.guessed(stranger.id)
            answerLater()
        case .admitted(let handshake):
            desk.proved(stranger.id)
            handOver(stranger, socket, handshake)
        case .wrongCode(let refusal): refuse(stranger, refusal, "gave a wrong code")
        case .refused(let refusal, let why): refuse(stranger, refusal, why)
        case .broken(let why): leave(stranger, why)
        }
    }

    private func refuse(_ stranger: Stranger, _ refusal: [UInt8], _ why: String) {
        _ = try? stranger.tell(refusal)
        stranger.secured?.finishSending()
        leave(stranger, why)
    }

    private func tell(_ stranger: Stranger, _ bytes: [UInt8]) {
        do throws(SecureSocketError) {
            try stranger.tell(bytes)
            let isSent = try stranger.flush()
            stranger.interest = isSent ? .read : [.read, .write]
        } catch {
            leave(stranger, error.clause)
        }
    }

    // MARK: Guesses

    /// An answer takes half a millisecond, and captions must not wait for a room that comes at once.
    private static let answersPerTurn = 4

    /// Answers those whose turn it is. What they learn by that counts from here on.
    private func answerGuesses() {
        let ready = desk.mayGuess(atMost: Self.answersPerTurn, now: loop.uptime)
        if ready.count == Self.answersPerTurn { answerLater() }
        for id in ready {
            guard let stranger = strangers[id], let socket = stranger.secured else { continue }
            do throws(TLSError) {
                guard let event = try stranger.examiner?.answer() else { continue }
                carryOut(event, for: stranger, socket)
            } catch {
                leave(stranger, "\(error)")
            }
        }
    }

    /// Somebody has guessed, or is gone, so that another's guess may have its turn: in the next turn
    /// of the loop, a few at a time.
    private func answerLater() {
        guard code != nil else { return }
        tellOfClosedDoors()
        guard answering == nil else { return }
        answering = loop.schedule(after: .zero) { [unowned self] in
            answering = nil
            answerGuesses()
        }
    }

    /// Whoever else of such a source is at the door has to go.
    private func tellOfClosedDoors() {
        let sources = desk.takeClosures()
        guard !sources.isEmpty else { return }
        for source in sources { book.hurry(source, now: loop.uptime) }
        report(sources.map { .doorClosed(source: $0) })
        loop.schedule(after: .zero) { [weak self] in self?.look() }
    }
}
