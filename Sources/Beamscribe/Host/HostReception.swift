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

    private let loop: EventLoop
    private let context: TLSContext
    private let allowsPlain: Bool
    private var book: Reception
    private var strangers: [ConnectionID: Stranger] = [:]
    /// Those who have spoken and whose handshake may not begin yet, in order.
    private var waiting: [ConnectionID] = []
    private var nextID: ConnectionID = 1
    private var looking: LoopTimer?
    private var beginning: LoopTimer?
    private var begunThisTurn = 0
    private let timeout: Duration
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
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
            strangers[stranger.id] = stranger
            stranger.registration = try loop.register(stranger.number, for: .read) {
                [unowned self, unowned stranger] in ready(stranger, $0)
            }
            lookLater()
        }
    }

    // MARK: Handshakes

    private func ready(_ stranger: Stranger, _ readiness: EventLoop.Readiness) {
        guard let socket = stranger.secured else {
            // Of those who wait nothing is asked, so that this is an error, or their end.
            if waiting.contains(stranger.id) { return forget(stranger) }
            // Whoever has to wait for its turn is ready at the next one again.
            if mayBeginThisTurn(), !begin(stranger) { wait(stranger) }
            return
        }
        shakeHands(stranger, socket, reads: readiness.contains(.read))
    }

    /// Counts; timers fire at the end of each turn of the loop, which begins to count anew.
    private func mayBeginThisTurn() -> Bool {
        guard begunThisTurn < Self.beginsPerTurn else { return false }
        if begunThisTurn == 0 {
            loop.schedule(at: .zero) { [weak self] in self?.begunThisTurn = 0 }
        }
        begunThisTurn += 1
        return true
    }

    /// - Returns: false if it has to wait for another's end.
    private func begin(_ stranger: Stranger) -> Bool {
        switch book.begin(stranger.id, now: Clock.uptime) {
        case .later(let due):
            if beginning == nil {
                beginning = loop.schedule(at: due) { [unowned self] in beginWaiting() }
            }
            return false
        case .now(let other):
            if let other { sendAway(other) }
            hear(stranger)
            return true
        }
    }

    private func wait(_ stranger: Stranger) {
        stranger.registration?.interest = []
        waiting.append(stranger.id)
    }

    /// Somebody is gone, and another may begin: in a moment, for that may be why somebody goes.
    private func makeUseOfRoom() {
        guard !waiting.isEmpty else { return }
        beginning?.cancel()
        beginning = loop.schedule(at: .zero) { [unowned self] in beginWaiting() }
    }

    /// Begins with those who wait, as far as there is room.
    private func beginWaiting() {
        beginning?.cancel()
        beginning = nil
        let wasCrowded = isCrowded
        while let next = waiting.first, let stranger = strangers[next] {
            guard mayBeginThisTurn() else {
                makeUseOfRoom()
                break
            }
            stranger.registration?.interest = .read
            guard begin(stranger) else {
                stranger.registration?.interest = []
                break
            }
            waiting.removeAll { $0 == next }
        }
        if wasCrowded, !isCrowded { hasRoomAgain() }
    }

    /// The first byte tells a TLS handshake (22) from the length of a plain frame (0).
    private func hear(_ stranger: Stranger) {
        do throws(SystemError) {
            guard case .bytes(let count) = try stranger.receiveFirst(into: scratch) else {
                // Whoever only looks whether the port answers says nothing and goes: no news.
                return forget(stranger)
            }
            let first = UnsafeRawBufferPointer(rebasing: scratch[..<count])
            if first.first == Self.handshakeRecord {
                secure(stranger, first)
            } else if allowsPlain {
                admitPlainly(stranger, Array(first))
            } else {
                refusePlain(stranger, first)
            }
        } catch {
            forget(stranger)
        }
    }

    private func secure(_ stranger: Stranger, _ first: UnsafeRawBufferPointer) {
        do throws(TLSError) {
            let tls = try TLSConnection(context)
            guard let socket = stranger.begin(tls) else { return }
            defer { _ = try? socket.flush() }
            try tls.receive(first) { stranger.keep($0) }
        } catch {
            return failed(stranger, .security(error))
        }
        proceed(stranger)
    }

    private func shakeHands(_ stranger: Stranger, _ socket: SecureSocket, reads: Bool) {
        do throws(SecureSocketError) {
            try socket.flush()
            guard reads else { return proceed(stranger) }
            let received = try socket.receive(into: scratch) { stranger.keep($0) }
            if received == .end { return leave(stranger, "broke its handshake off") }
        } catch {
            _ = try? socket.flush()
            return failed(stranger, error)
        }
        proceed(stranger)
    }

    private func proceed(_ stranger: Stranger) {
        guard let socket = stranger.secured else { return }
        do throws(SecureSocketError) {
            let isSent = try socket.flush()
            stranger.registration?.interest = isSent ? .read : [.read, .write]
        } catch {
            return failed(stranger, error)
        }
        guard socket.isEstablished else { return }
        book.admitted(stranger.id)
        handOver(stranger, socket, stranger.plaintext)
    }

    private func admitPlainly(_ stranger: Stranger, _ first: [UInt8]) {
        guard let socket = stranger.begin(nil) else { return }
        book.admitted(stranger.id)
        handOver(stranger, socket, first)
    }

    private func handOver(_ stranger: Stranger, _ socket: SecureSocket, _ first: [UInt8]) {
        strangers[stranger.id] = nil
        stranger.registration?.cancel()
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

    private func failed(_ stranger: Stranger, _ error: SecureSocketError) {
        guard case .security(.wrongCode) = error else { return leave(stranger, error.clause) }
        let event: HostEvent
        switch book.failedCode(stranger.id, now: Clock.uptime) {
        case .open: event = .connectionRefused(peer: stranger.name, why: error.clause)
        case .closed: event = .doorClosed(source: stranger.source)
        }
        forget(stranger)
        report([event])
        // Its source's other strangers may have to go at once.
        look()
    }

    // MARK: Leaving

    private func sendAway(_ id: ConnectionID) {
        strangers[id] = nil
        waiting.removeAll { $0 == id }
    }

    private func leave(_ stranger: Stranger, _ why: String) {
        forget(stranger)
        report([.connectionRefused(peer: stranger.name, why: why)])
    }

    private func forget(_ stranger: Stranger) {
        book.left(stranger.id)
        sendAway(stranger.id)
        departed()
    }

    private func departed() {
        makeUseOfRoom()
        if strangers.isEmpty { allGone() }
    }

    private func lookLater() {
        guard looking == nil, let due = book.nextDeadline else { return }
        looking = loop.schedule(at: due) { [unowned self] in look() }
    }

    private func look() {
        looking?.cancel()
        looking = nil
        let overdue = book.overdue(now: Clock.uptime).compactMap { strangers[$0] }
        let why = CloseReason.handshakeTimeout(timeout).description
        for stranger in overdue { leave(stranger, why) }
        lookLater()
    }

    /// Handshakes that are begun before guests have their turn: to begin one takes some tenths of a
    /// millisecond, and captions must not wait for a crowd at the door.
    private static let beginsPerTurn = 4
    /// The type of a record that holds handshake messages (RFC 8446, section 5.1).
    private static let handshakeRecord: UInt8 = 22
}

extension Stranger {
    /// Keeps what came behind the handshake, as much as a guest may say; it has to wait for the
    /// answer to that.
    fileprivate func keep(_ bytes: UnsafeRawBufferPointer) -> Bool {
        plaintext += bytes
        return plaintext.count <= Limits.guestFramePayload
    }
}
