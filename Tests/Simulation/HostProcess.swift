import BeamscribeCore
import BeamscribeTLS

/// One run of the host's program: drives a ``Room`` as `HostServer` does.
///
/// Invariant: `ends` are the connections that the session knows, in the order in which they were let
/// in; `strangers` are those that `book` has.
final class HostProcess {
    let stage: Stage
    let log: EventLog
    let publisher: Publisher
    private let room: Room
    let truth: RunTruth
    var world: World { stage.world }
    /// False once it was killed or has ended.
    private(set) var isAlive = true
    private(set) var isFinishing = false
    /// Sends until the process is killed in the middle of one; nil for never.
    var sendsUntilKilled: Int?
    private var ends: [HostEnd] = []
    var strangers: [HostEnd] = []
    var book: Reception
    var lookIsSet = false
    var nextID: ConnectionID = 1
    private var isTicking = false
    var storageRetryIsSet = false
    var synchronizationIsSet = false

    private static let turnBytes = 1_048_576

    init(_ stage: Stage, _ log: EventLog, _ room: Room, _ truth: RunTruth) {
        self.stage = stage
        self.log = log
        self.room = room
        publisher = Publisher(into: log)
        log.add(.disk)
        self.truth = truth
        book = Reception(timeout: room.configuration.timing.handshakeTimeout, seed: 1)
    }

    var now: Moment { stage.machine.now }
    var timing: Timing { room.configuration.timing }
    var connections: [Connection] { (strangers + ends).map(\.connection) }

    // MARK: Connections

    /// Lets in a connection whose handshake is done, and on which something may have come already.
    func add(_ end: HostEnd, _ first: [UInt8]) {
        ends.append(end)
        end.socket.mayWrite = { [self] in survivesSending() }
        world.note("host", "accepts", end.id)
        end.guest = room.connected(end.id, from: "192.0.2.\(end.id)", now: now)
        if room.surplus() != nil { world.fail("host: it has no place for a connection") }
        tickLater()
        if !first.isEmpty { first.withUnsafeBytes { received($0, on: end) } }
        read(end)
    }

    /// Something for the process to do as soon as its machine is awake.
    func soon(_ action: @escaping () -> Void) {
        stage.machine.schedule(after: 0) { [self] in if isAlive { action() } }
    }

    func readable(_ end: HostEnd) {
        soon { [self] in isStranger(end) ? shakeHands(with: end) : read(end) }
    }

    private func isOpen(_ end: HostEnd) -> Bool {
        isAlive && ends.contains { $0 === end }
    }

    private func read(_ end: HostEnd) {
        while isOpen(end) {
            var said = 0
            do throws(TLSError) {
                let outcome = try end.socket.receive(atMost: readLimit) { bytes in
                    said += bytes.count
                    received(bytes, on: end)
                    return isOpen(end)
                }
                switch outcome {
                case .bytes(let count): receivedOverhead(count - said, on: end)
                case .nothing: return
                case .end: close(end, why: Room.closedByPeer)
                }
            } catch {
                checkFailure(error, of: end)
                close(end, why: "\(error)")
            }
        }
    }

    /// How much is read at once: sometimes very little.
    var readLimit: Int { world.chance(percent: 20) ? world.random(1...200) : 65_536 }

    private func received(_ bytes: UnsafeRawBufferPointer, on end: HostEnd) {
        world.note("host", "receives", end.id)
        perform(room.received(bytes, from: end.id, now: now))
    }

    private func receivedOverhead(_ count: Int, on end: HostEnd) {
        guard count > 0 else { return }
        perform(room.receivedOverhead(count, from: end.id, now: now))
    }

    func writable(_ end: HostEnd) {
        soon { [self] in
            if isStranger(end) { end.socket.flush() }
            guard isOpen(end) else { return }
            end.isBlocked = false
            pump(end)
        }
    }

    func close(_ end: HostEnd, why: String) {
        guard isOpen(end) else { return }
        world.note("host", "loses", end.id)
        perform(room.disconnected(end.id, why: why, now: now))
        forget(end.id)
    }

    private func forget(_ id: ConnectionID) {
        guard let index = ends.firstIndex(where: { $0.id == id }) else { return }
        world.note("host", "closes", id)
        ends.remove(at: index).connection.closeHostEnd()
        endIfAllGone()
    }

    func endIfAllGone() {
        if ends.isEmpty, strangers.isEmpty, isFinishing { end() }
    }

    // MARK: Sending

    func pump(_ end: HostEnd) {
        guard isAlive, !end.isBlocked, let guest = end.guest else { return }
        do throws(TLSError) {
            let drained = try room.drain(guest, limit: Self.turnBytes, now: now) {
                bytes throws(TLSError) in try send(bytes, to: end)
            }
            guard isAlive else { return }
            // What was taken may still be on its way into the pipe.
            guard end.socket.flush() else {
                end.isFinishing = end.isFinishing || drained == .forGood
                return end.isBlocked = true
            }
            switch drained {
            case .completely: if end.isFinishing { end.socket.finishSending() }
            case .untilBlocked: end.isBlocked = true
            case .forGood: end.socket.finishSending()
            }
        } catch {
            checkFailure(error, of: end)
            close(end, why: "\(error)")
        }
    }

    private func send(
        _ bytes: UnsafeRawBufferPointer, to end: HostEnd
    ) throws(TLSError) -> Int {
        stage.checkThatAllIsStored(by: self)
        guard world.failure == nil else { return 0 }
        let count = try end.socket.send(bytes)
        guard isAlive else { return 0 }
        world.note("host", "sends", count)
        if let broken = end.socket.brokenInvariant { world.fail("host: \(broken)") }
        return count
    }

    /// Whether the process lives on to write: it may be killed between any two writes.
    private func survivesSending() -> Bool {
        guard let left = sendsUntilKilled else { return isAlive }
        sendsUntilKilled = left - 1
        if left == 0 { stage.kill() }
        return isAlive
    }

    func pumpAll() {
        for end in ends { pump(end) }
    }

    /// As `HostServer`: what is published is sent once it is stored, and then what is too old goes.
    func sendPublished() {
        pumpAll()
        guard isAlive else { return }
        perform(room.trim())
        truth.firstInMemory = log.firstSeq
    }

    func perform(_ actions: [Room.Action]) {
        for case .report(let event) in actions { note(event) }
        for action in actions where isAlive {
            switch action {
            case .send(let id): ends.first { $0.id == id }.map(pump)
            case .close(let id): forget(id)
            case .report: continue
            }
        }
    }

    func note(_ events: [HostEvent]) {
        for event in events { note(event) }
    }

    private func note(_ event: HostEvent) {
        guard case .storageGap(let from, let through) = event else { return }
        truth.unstored.formUnion(from...through)
        guard !log.isFailing(.disk) else { return }
        world.fail("line \(from) went from memory before it was stored")
    }

    // MARK: Time

    private func tickLater() {
        guard !isTicking else { return }
        isTicking = true
        let interval = room.configuration.timing.checkInterval
        stage.machine.schedule(at: now.uptime + interval) { [self] in
            guard isAlive else { return }
            isTicking = false
            perform(room.tick(now))
            if let broken = room.brokenInvariant { world.fail("host: \(broken)") }
            if !ends.isEmpty { tickLater() }
        }
    }

    // MARK: The end

    func finish(_ kind: Alert.Kind) {
        guard isAlive, !isFinishing else { return }
        world.note("host", "says goodbye")
        isFinishing = true
        perform(room.finish(kind, "Goodbye.", now: now))
        if isAlive { endIfAllGone() }
    }

    private func end() {
        guard isAlive else { return }
        publish()
        guard isAlive else { return }
        if !log.isFailing(.disk), let place = log.place(of: .disk) {
            stage.disk.cutOff(after: Int(place.fileOffset))
        }
        stage.disk.synchronizeAll()
        stage.processEnded()
    }

    /// The process is no more; the kernel closes what it had open.
    func die() {
        isAlive = false
        for end in strangers + ends { end.connection.closeHostEnd() }
        (strangers, ends) = ([], [])
    }
}
