import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// A guest's machine and program: drives a ``GuestSession`` as `Guest`, `GuestLink` and
/// `SecureDialer` do.
///
/// Invariant: at most one of `dial` and `connection` is there.
final class SimulatedGuest {
    let world: World
    let stage: Stage
    let network: Network
    let name: String
    let machine: Machine
    let device: UUID
    private let start: GuestSession.Start
    private(set) var session: GuestSession
    private(set) var view: GuestView
    private(set) var outcome: GuestOutcome?
    private(set) var connection: Connection?
    private(set) var socket: SecureEnd?
    /// Whether TLS has still to find out who is at the other end.
    var isShakingHands = false
    var trust: GuestTrust
    private(set) var isGone = false
    /// Whether the reader takes nothing.
    private(set) var isPaused = false
    /// What an earlier moment's position and view were: what a restart may find.
    private var saved: (position: Handshake.Resume, view: GuestView)?
    private var dial = 0
    private var alarm = 0
    private var unsent: [UInt8] = []
    private var joinedAt: Int?
    private var lostAt: (time: Int, hadHeld: Bool)?
    /// Another guest uses the same device's id.
    var sharesDevice = false
    /// So that the host can't tell what it has said first.
    private(set) var clockWasSet = false

    init(
        _ world: World, _ stage: Stage, _ network: Network, name: String, device: UUID,
        start: GuestSession.Start, knowsHost: Bool
    ) {
        trust = GuestTrust(stage.identities, knowsHost: knowsHost)
        self.world = world
        self.stage = stage
        self.network = network
        self.name = name
        self.device = device
        self.start = start
        machine = Machine(world)
        view = GuestView(start)
        session = Self.session(name, device, start, stage, nil, world.seed, machine.now)
    }

    private static func session(
        _ name: String, _ device: UUID, _ start: GuestSession.Start, _ stage: Stage,
        _ resume: Handshake.Resume?, _ seed: UInt64, _ now: Moment
    ) -> GuestSession {
        var configuration = GuestSession.Configuration(deviceID: device, displayName: name)
        configuration.start = start
        configuration.resume = resume
        configuration.timing = stage.scenario.timing
        return GuestSession(configuration, seed: seed, now: now)
    }

    func begin() {
        perform(session.tick(machine.now))
    }

    /// Whether the host has let it in, as far as it knows.
    var isIn: Bool { connection != nil && joinedAt != nil }

    var isRunning: Bool { outcome == nil && !isGone }

    /// Whether it can tell the host from others.
    var knowsHost: Bool { trust.hostFingerprint != nil }

    // MARK: The connection

    func soon(_ action: @escaping () -> Void) {
        machine.schedule(after: 0) { [self] in if isRunning { action() } }
    }

    private func connect() {
        disconnect()
        checkPause()
        dial += 1
        let number = dial
        world.note(name, "dials", number)
        network.dial(from: self) { [self] result in
            machine.schedule(after: 0) { [self] in
                guard number == dial, isRunning, connection == nil else {
                    if case .success(let connection) = result { connection.closeGuestEnd() }
                    return
                }
                dialled(result)
            }
        }
    }

    private func dialled(_ result: Result<Connection, ConnectionTrouble>) {
        dial += 1
        switch result {
        case .failure(let trouble):
            world.note(name, "finds nobody")
            perform(session.connectionFailed(trouble, now: machine.now))
        case .success(let connection):
            world.note(name, "is connected")
            self.connection = connection
            socket = SecureEnd(
                reading: connection.down, writing: connection.up, stage.identities?.guest)
            connection.down.whenReadable = { [self] in soon { [self] in readable() } }
            connection.up.whenWritable = { [self] in soon { [self] in writable() } }
            connection.guestReset = { [self, unowned connection] in
                soon { [self] in
                    if self.connection === connection { closed(.networkLost, "driver: reset") }
                }
            }
            beginHandshake()
        }
    }

    func disconnect() {
        dial += 1
        if unsent.isEmpty, !isShakingHands { socket?.finishSending() }
        connection?.closeGuestEnd()
        connection = nil
        socket = nil
        isShakingHands = false
        unsent = []
    }

    func closed(_ cause: LossCause, _ why: String) {
        world.note(name, "loses its connection")
        let trouble = ConnectionTrouble(cause, why)
        let wasShakingHands = isShakingHands
        disconnect()
        perform(
            wasShakingHands
                ? session.connectionFailed(trouble, now: machine.now)
                : session.disconnected(trouble, now: machine.now))
    }

    private func readable() {
        isShakingHands ? shakeHands() : read()
    }

    private func writable() {
        if isShakingHands { shakeHands() } else { flush() }
    }

    /// The one at the other end is the host, as far as can be told.
    func enter(_ security: ConnectionSecurity) {
        isShakingHands = false
        perform(session.connected(security: security, now: machine.now))
        soon { [self] in readable() }
    }

    private func read() {
        while let connection, let socket, !isPaused, isRunning {
            do throws(TLSError) {
                let received = try socket.receive(atMost: readLimit) { bytes in
                    take(bytes, on: connection)
                    return self.connection === connection
                }
                guard self.connection === connection else { continue }
                switch received {
                case .bytes: continue
                case .nothing: return
                case .end: return closed(.hostLost, "driver: closed")
                }
            } catch {
                checkFailure(error)
                if self.connection === connection { closed(.networkLost, "driver: \(error)") }
            }
        }
    }

    /// How much is read at once: sometimes very little.
    var readLimit: Int { world.chance(percent: 20) ? world.random(1...500) : 262_144 }

    private func take(_ bytes: UnsafeRawBufferPointer, on connection: Connection) {
        world.note(name, "receives", bytes.count)
        if connection.isForged { world.fail("\(name): it listens to an impostor") }
        perform(session.received(bytes, now: machine.now), connection.run)
    }

    private func flush() {
        guard let socket else { return }
        do throws(TLSError) {
            let count = try unsent.span.withUnsafeBytes { bytes throws(TLSError) in
                try socket.send(bytes)
            }
            unsent.removeFirst(count)
            if let broken = socket.brokenInvariant { world.fail("\(name): \(broken)") }
        } catch {
            checkFailure(error)
            closed(.networkLost, "driver: \(error)")
        }
    }

    // MARK: What the session wants

    func perform(_ actions: [GuestSession.Action], _ run: RunTruth? = nil) {
        for action in actions {
            switch action {
            case .report(let event): take(event, run)
            case .send(let bytes):
                unsent += bytes
                flush()
            case .connect: connect()
            case .disconnect: disconnect()
            case .finish(let outcome): return finish(outcome)
            }
        }
        arm()
    }

    private func arm() {
        alarm += 1
        let number = alarm
        guard let due = session.nextDeadline, isRunning else { return }
        machine.schedule(at: due) { [self] in
            guard number == alarm, isRunning else { return }
            perform(session.tick(machine.now))
        }
    }

    private func finish(_ outcome: GuestOutcome) {
        world.note(name, "is done")
        self.outcome = outcome
        disconnect()
        if let fault = GuestVerdict(self).fault(of: outcome) { world.fail("\(name): \(fault)") }
    }

    private func take(_ event: GuestEvent, _ run: RunTruth?) {
        switch event {
        case .joined(let joined):
            (joinedAt, lostAt) = (world.now, nil)
            if let fault = trust.join(joined) { world.fail("\(name): \(fault)") }
            world.note(name, "joins")
        case .line(let line): world.note(name, "shows line", line.seq)
        case .gap(_, let through): world.note(name, "is told of a gap to", through)
        case .withdrawn(let from, _): world.note(name, "withdraws from", from)
        case .partial(_, let text, _): world.note(name, "shows a partial", text.utf8.count)
        case .trouble(let why): lose(why)
        case .state, .alert, .stillLost: break
        }
        if let fault = view.take(event, from: run) ?? GuestVerdict(self).fault(of: event, run) {
            world.fail("\(name): \(fault)")
        }
        if case .line = event, world.chance(percent: 10) { save() }
    }

    // MARK: Pauses between tries

    private func lose(_ why: String) {
        let held = joinedAt.map { world.now - $0 >= .seconds(4) } ?? false
        lostAt = (world.now, held)
        joinedAt = nil
    }

    /// After a connection that has held the first try comes at once.
    private func checkPause() {
        guard let lostAt, lostAt.hadHeld, machine.asleepUntil < lostAt.time else { return }
        if world.now - lostAt.time > .milliseconds(2) {
            world.fail(
                "\(name): its connection had held, and it waited "
                    + "\((world.now - lostAt.time) / 1_000) ms before it tried again")
        }
        self.lostAt = nil
    }

    // MARK: What befalls it

    func pause(_ isPaused: Bool) {
        guard isRunning, isPaused != self.isPaused else { return }
        world.note(name, isPaused ? "pauses" : "reads on")
        self.isPaused = isPaused
        // It dials again only when its reader reads.
        if let lostAt, !isPaused { self.lostAt = (world.now, lostAt.hadHeld) }
        session.readingPaused(isPaused, now: machine.now)
        arm()
        if !isPaused { soon { self.read() } }
    }

    func setClock() {
        machine.setClock()
        clockWasSet = true
    }

    func hearNews() {
        guard isRunning, !machine.isAsleep else { return }
        perform(session.prospectsChanged(now: machine.now))
    }

    func leave() {
        world.note(name, "leaves")
        disconnect()
        isGone = true
    }

    private func save() {
        guard let position = session.position, position.after == view.last else { return }
        saved = (position, view)
    }

    /// The program is killed, and started again with what it had saved.
    func restart() {
        guard isRunning else { return }
        world.note(name, "is started anew", saved?.position.after ?? 0)
        disconnect()
        if world.chance(percent: 50) { save() }
        view = saved?.view.restarted ?? GuestView(start)
        (joinedAt, lostAt, isPaused) = (nil, nil, false)
        trust.restart(after: saved?.position)
        session = Self.session(
            name, device, start, stage, saved?.position, world.seed, machine.now)
        begin()
    }
}
