import BeamscribeCore
import FoundationEssentials

/// One run of the host's program: drives a ``HostSession`` as `HostServer` does.
///
/// Invariant: `ends` are the connections that the session knows, in the order of their numbers.
final class HostProcess {
    let stage: Stage
    let session: HostSession
    let truth: RunTruth
    var world: World { stage.world }
    /// False once it was killed or has ended.
    private(set) var isAlive = true
    private(set) var isFinishing = false
    /// Sends until the process is killed in the middle of one; nil for never.
    var sendsUntilKilled: Int?
    private var ends: [HostEnd] = []
    private var nextID: ConnectionID = 1
    private var isTicking = false
    var storageRetryIsSet = false
    var synchronizationIsSet = false

    private static let turnBytes = 1_048_576

    init(_ stage: Stage, _ session: HostSession, _ truth: RunTruth) {
        self.stage = stage
        self.session = session
        self.truth = truth
    }

    var now: Moment { stage.machine.now }
    var connections: [Connection] { ends.map(\.connection) }

    // MARK: Connections

    func accept(_ connection: Connection) {
        let end = HostEnd(nextID, connection)
        nextID += 1
        ends.append(end)
        connection.up.whenReadable = { [self] in readable(end) }
        connection.down.whenWritable = { [self] in writable(end) }
        connection.hostReset = { [self] in
            soon { [self] in close(end, why: "was cut off") }
        }
        world.note("host", "accepts", end.id)
        let actions = session.connected(end.id, from: "192.0.2.\(end.id)", now: now)
        end.guest = session.guest(end.id)
        perform(actions)
        tickLater()
        readable(end)
    }

    /// Something for the process to do as soon as its machine is awake.
    private func soon(_ action: @escaping () -> Void) {
        stage.machine.schedule(after: 0) { [self] in if isAlive { action() } }
    }

    private func readable(_ end: HostEnd) {
        soon { [self] in read(end) }
    }

    private func isOpen(_ end: HostEnd) -> Bool {
        isAlive && ends.contains { $0 === end }
    }

    private func read(_ end: HostEnd) {
        while isOpen(end) {
            let limit = world.chance(percent: 20) ? world.random(1...200) : 65_536
            guard let bytes = end.connection.up.read(atMost: limit) else {
                if end.connection.up.hasEnded { close(end, why: HostSession.closedByPeer) }
                return
            }
            world.note("host", "receives", end.id)
            perform(bytes.withUnsafeBytes { session.received($0, from: end.id, now: now) })
        }
    }

    private func writable(_ end: HostEnd) {
        soon { [self] in
            guard isOpen(end) else { return }
            end.isBlocked = false
            pump(end)
        }
    }

    private func close(_ end: HostEnd, why: String) {
        guard isOpen(end) else { return }
        world.note("host", "loses", end.id)
        perform(session.disconnected(end.id, why: why, now: now))
        forget(end.id)
    }

    private func forget(_ id: ConnectionID) {
        guard let index = ends.firstIndex(where: { $0.id == id }) else { return }
        world.note("host", "closes", id)
        ends.remove(at: index).connection.closeHostEnd()
        if ends.isEmpty, isFinishing { end() }
    }

    // MARK: Sending

    func pump(_ end: HostEnd) {
        guard isAlive, !end.isBlocked, let guest = end.guest else { return }
        let drained = session.drain(guest, limit: Self.turnBytes, now: now) { send($0, to: end) }
        guard isAlive else { return }
        switch drained {
        case .completely: return
        case .untilBlocked: end.isBlocked = true
        case .forGood: end.connection.down.finish()
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer, to end: HostEnd) -> Int {
        stage.checkThatAllIsStored(by: self)
        guard world.failure == nil else { return 0 }
        if let left = sendsUntilKilled {
            sendsUntilKilled = left - 1
            if left == 0 { stage.kill() }
            guard isAlive else { return 0 }
        }
        let count = end.connection.down.send(bytes)
        world.note("host", "sends", count)
        return count
    }

    func pumpAll() {
        for end in ends { pump(end) }
    }

    /// As `HostServer`: what is published is sent once it is stored, and then what is too old goes.
    func sendPublished() {
        pumpAll()
        guard isAlive else { return }
        perform(session.trim())
        truth.firstInMemory = session.transcript.firstSeq
    }

    func perform(_ actions: [HostSession.Action]) {
        for case .report(.storageGap(let from, _)) in actions where !session.storageIsFailing {
            world.fail("line \(from) went from memory before it was stored")
        }
        for action in actions where isAlive {
            switch action {
            case .send(let id): ends.first { $0.id == id }.map(pump)
            case .sendToAll: pumpAll()
            case .close(let id): forget(id)
            case .report: continue
            }
        }
    }

    // MARK: Time

    private func tickLater() {
        guard !isTicking else { return }
        isTicking = true
        let interval = session.configuration.timing.checkInterval
        stage.machine.schedule(at: now.uptime + interval) { [self] in
            guard isAlive else { return }
            isTicking = false
            perform(session.tick(now))
            if let broken = session.brokenInvariant { world.fail("host: \(broken)") }
            if !ends.isEmpty { tickLater() }
        }
    }

    // MARK: The end

    func finish(_ kind: Alert.Kind) {
        guard isAlive, !isFinishing else { return }
        world.note("host", "says goodbye")
        isFinishing = true
        perform(session.finish(kind, "Goodbye.", now: now))
        if isAlive, ends.isEmpty { end() }
    }

    private func end() {
        guard isAlive else { return }
        store()
        guard isAlive else { return }
        if !session.storageIsFailing { stage.disk.cutOff(after: Int(session.logSize)) }
        stage.disk.synchronizeAll()
        stage.processEnded()
    }

    /// The process is no more; the kernel closes what it had open.
    func die() {
        isAlive = false
        for end in ends { end.connection.closeHostEnd() }
        ends = []
    }
}
