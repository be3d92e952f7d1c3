import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// Receives strangers at a host's doors, drives their handshakes with sockets on a loop, and hands
/// over those who come through: a ``Reception`` that is alive.
///
/// Invariant: `strangers` are those that `book` has, and each socket is closed or handed over in
/// the same step in which the book forgets it; those who are `waiting` are among them.
final class HostReception {
    /// Gets a connection whose handshake is done, and what has come on it already.
    var admit: (_ socket: SecureSocket, _ peer: Destination?, _ first: [UInt8]) -> Void = {
        _, _, _ in
    }
    /// Gets what the operator is to know.
    var report: ([HostEvent]) -> Void = { _ in }
    /// Called whenever the last stranger has gone.
    var allGone: () -> Void = {}
    /// Called when there is room for more after ``isCrowded``.
    var hasRoomAgain: () -> Void = {}

    let loop: EventLoop
    let context: TLSContext
    let allowsPlain: Bool
    var book: Reception
    var strangers: [ConnectionID: Stranger] = [:]
    /// Those who have spoken and whose handshake may not begin yet, in order.
    var waiting: [ConnectionID] = []
    private var nextID: ConnectionID = 1
    private var looking: LoopTimer?
    var beginning: LoopTimer?
    var begunThisTurn = 0
    private let timeout: Duration
    let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: 65_536, alignment: 16)

    init(
        _ security: HostSecurity, timing: Timing, on loop: EventLoop
    ) throws(TLSError) {
        context = try security.context()
        allowsPlain = security.allowsPlain
        timeout = timing.handshakeTimeout
        book = Reception(timeout: timing.handshakeTimeout)
        self.loop = loop
    }

    deinit {
        looking?.cancel()
        beginning?.cancel()
        scratch.deallocate()
    }

    var isEmpty: Bool { strangers.isEmpty }
    /// Whether more had better wait before they are accepted.
    var isCrowded: Bool { waiting.count >= Limits.waitingHandshakes }

    /// Takes in a connection that was accepted.
    func receive(_ accepted: consuming Listener.Accepted) throws(SystemError) {
        let peer = accepted.peer
        let stranger = Stranger(nextID, accepted.takeSocket(), from: peer)
        nextID += 1
        switch book.arrived(stranger.id, from: stranger.source, now: Clock.uptime) {
        case .refuse: stranger.say(TLSAlert.accessDenied.record)
        case .wait(let other):
            if let other { sendAway(other) }
            stranger.registration = try register(stranger)
            strangers[stranger.id] = stranger
            lookLater()
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
        waiting.removeAll { $0 == id }
    }

    func leave(_ stranger: Stranger, _ why: String) {
        forget(stranger)
        report([.connectionRefused(peer: stranger.name, why: why)])
    }

    func forget(_ stranger: Stranger) {
        book.left(stranger.id)
        sendAway(stranger.id)
        departed()
    }

    func departed() {
        makeUseOfRoom()
        if strangers.isEmpty { allGone() }
    }

    private func lookLater() {
        guard looking == nil, let due = book.nextDeadline else { return }
        looking = loop.schedule(at: due) { [unowned self] in look() }
    }

    func look() {
        looking?.cancel()
        looking = nil
        let overdue = book.overdue(now: Clock.uptime).compactMap { strangers[$0] }
        let why = CloseReason.handshakeTimeout(timeout).description
        for stranger in overdue { leave(stranger, why) }
        lookLater()
    }
}
