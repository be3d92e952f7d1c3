import BeamscribeCore
import FoundationEssentials

/// A guest's machine and program: drives a ``GuestSession`` as `Guest` and `GuestLink` do.
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
        start: GuestSession.Start
    ) {
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

    // MARK: The connection

    private func soon(_ action: @escaping () -> Void) {
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
            connection.down.whenReadable = { [self] in soon { [self] in read() } }
            connection.up.whenWritable = { [self] in soon { [self] in flush() } }
            connection.guestReset = { [self, unowned connection] in
                soon { [self] in
                    if self.connection === connection { closed(.networkLost, "driver: reset") }
                }
            }
            perform(session.connected(now: machine.now))
            soon { [self] in read() }
        }
    }

    private func disconnect() {
        dial += 1
        connection?.closeGuestEnd()
        connection = nil
        unsent = []
    }

    private func closed(_ cause: LossCause, _ why: String) {
        world.note(name, "loses its connection")
        disconnect()
        perform(session.disconnected(ConnectionTrouble(cause, why), now: machine.now))
    }

    private func read() {
        while let connection, !isPaused, isRunning {
            let limit = world.chance(percent: 20) ? world.random(1...500) : 262_144
            guard let bytes = connection.down.read(atMost: limit) else {
                if connection.down.hasEnded { closed(.hostLost, "driver: closed") }
                return
            }
            world.note(name, "receives", bytes.count)
            let actions = bytes.withUnsafeBytes { session.received($0, now: machine.now) }
            perform(actions, connection.run)
        }
    }

    private func flush() {
        guard let connection, !unsent.isEmpty else { return }
        unsent.removeFirst(unsent.withUnsafeBytes { connection.up.send($0) })
    }

    // MARK: What the session wants

    private func perform(_ actions: [GuestSession.Action], _ run: RunTruth? = nil) {
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
        case .joined:
            (joinedAt, lostAt) = (world.now, nil)
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
        session = Self.session(
            name, device, start, stage, saved?.position, world.seed, machine.now)
        begin()
    }
}
