import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Receives strangers at a host's doors, drives their handshakes with sockets on a loop, and hands
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

    let loop: EventLoop
    let context: TLSContext
    let allowsPlain: Bool
    /// Nil for an event that is open to everybody.
    let code: CodeRecord?
    var book: Reception
    /// Those of the strangers who are to prove the event's code.
    var desk: CodeDesk
    var strangers: [ConnectionID: Stranger] = [:]
    private var nextID: ConnectionID = 1
    private var looking: LoopTimer?
    var beginning: LoopTimer?
    /// Set while somebody may be waiting for an answer to its guess.
    var answering: LoopTimer?
    private let timeout: Duration
    let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 65_536, alignment: 16)

    /// - Parameter guests: how many guests the host takes at once.
    init(
        _ security: HostSecurity, guests: Int, timing: Timing, on loop: EventLoop
    ) throws(TLSError) {
        context = try TLSContext(host: security.key)
        allowsPlain = security.allowsPlain
        code = security.code
        timeout = timing.handshakeTimeout
        book = Reception(
            timeout: timing.handshakeTimeout, seed: SystemRandomNumberGenerator.seed(),
            places: .init(openFiles: ResourceLimits.openFiles))
        desk = CodeDesk(
            timeout: timing.handshakeTimeout, seed: SystemRandomNumberGenerator.seed(),
            limit: guests + Limits.provingGuests)
        self.loop = loop
    }

    deinit {
        looking?.cancel()
        beginning?.cancel()
        answering?.cancel()
        scratch.deallocate()
    }

    var isEmpty: Bool { strangers.isEmpty }

    /// Takes in a connection that was accepted.
    func receive(_ accepted: consuming Listener.Accepted) throws(SystemError) {
        let peer = accepted.peer
        let stranger = Stranger(nextID, accepted.takeSocket(), from: peer)
        nextID += 1
        let now = Clock.uptime
        guard !desk.isClosed(stranger.source, now: now) else {
            return stranger.say(TLSAlert.accessDenied.record)
        }
        book.arrived(stranger.id, from: stranger.source, now: now)
        stranger.registration = try register(stranger)
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
            if !stranger.firstWords.isEmpty { stranger.say(TLSAlert.internalError.record) }
            forget(stranger)
        }
        while let id = book.waitingSurplus(), let stranger = strangers[id] {
            stranger.say(TLSAlert.internalError.record)
            leave(stranger, "came while too many others did")
        }
    }

    private func register(_ stranger: Stranger) throws(SystemError) -> Registration {
        do throws(SystemError) {
            return try loop.register(stranger.number, for: .read) {
                [unowned self, unowned stranger] in ready(stranger, $0)
            }
        } catch {
            book.left(stranger.id)
            throw error
        }
    }

    // MARK: Leaving

    func sendAway(_ id: ConnectionID) {
        strangers[id] = nil
    }

    func leave(_ stranger: Stranger, _ why: String) {
        let hasGuessed = forget(stranger)
        let why = hasGuessed ? "gave a wrong code" : why
        report([.connectionRefused(peer: stranger.name, why: why)])
    }

    /// - Returns: whether it has guessed the event's code, wrongly as far as anybody can tell.
    @discardableResult
    func forget(_ stranger: Stranger) -> Bool {
        book.left(stranger.id)
        let hasGuessed = desk.left(stranger.id, now: Clock.uptime)
        sendAway(stranger.id)
        departed()
        return hasGuessed
    }

    func departed() {
        beginSoon()
        answerLater()
        if strangers.isEmpty { allGone() }
    }

    func lookLater() {
        let deadlines = [book.nextDeadline, desk.nextDeadline].compactMap(\.self)
        guard looking == nil, let due = deadlines.min() else { return }
        looking = loop.schedule(at: due) { [unowned self] in look() }
    }

    func look() {
        looking?.cancel()
        looking = nil
        let now = Clock.uptime
        let overdue = (book.overdue(now: now) + desk.overdue(now: now)).compactMap { strangers[$0] }
        let why = CloseReason.handshakeTimeout(timeout).description
        for stranger in overdue { leave(stranger, why) }
        lookLater()
    }
}
