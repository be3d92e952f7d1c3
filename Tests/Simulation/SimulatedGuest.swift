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
    let start: GuestSession.Start
    var session: GuestSession
    var view: GuestView
    var outcome: GuestOutcome?
    var connection: Connection?
    var socket: SecureEnd?
    /// Whether TLS has still to find out who is at the other end.
    var isShakingHands = false
    var trust: GuestTrust
    var isGone = false
    /// Whether the reader takes nothing.
    var isPaused = false
    /// What an earlier moment's position and view were: what a restart may find.
    var saved: (position: Handshake.Resume, view: GuestView)?
    var dial = 0
    var alarm = 0
    var unsent: [UInt8] = []
    var joinedAt: Int?
    var lostAt: (time: Int, hadHeld: Bool)?
    /// Another guest uses the same device's id.
    var sharesDevice = false
    /// So that the host can't tell what it has said first.
    var clockWasSet = false

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

    static func session(
        _ name: String, _ device: UUID, _ start: GuestSession.Start, _ stage: Stage,
        _ resume: Handshake.Resume?, _ seed: UInt64, _ now: Moment
    ) -> GuestSession {
        var configuration = GuestSession.Configuration(displayName: name)
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

    // MARK: What the session wants

    func perform(_ actions: [GuestSession.Action], _ run: RunTruth? = nil) {
        for action in actions {
            switch action {
            case .report(let event): take(event, run)
            case .send(let bytes):
                unsent += bytes
                flush()
            case .connect: connect()
            case .proveCode, .judgeCode: world.fail("\(name): it is asked for a code")
            case .disconnect: disconnect()
            case .finish(let outcome): return finish(outcome)
            }
        }
        arm()
    }

    func arm() {
        alarm += 1
        let number = alarm
        guard let due = session.nextDeadline, isRunning else { return }
        machine.schedule(at: due) { [self] in
            guard number == alarm, isRunning else { return }
            perform(session.tick(machine.now))
        }
    }

    func finish(_ outcome: GuestOutcome) {
        world.note(name, "is done")
        self.outcome = outcome
        disconnect()
        if let fault = GuestVerdict(self).fault(of: outcome) { world.fail("\(name): \(fault)") }
    }

    func take(_ event: GuestEvent, _ run: RunTruth?) {
        switch event {
        case .joined(let joined):
            (joinedAt, lostAt) = (world.now, nil)
            if let fault = trust.join(joined) { world.fail("\(name): \(fault)") }
            world.note(name, "joins")
        case .line(let line): world.note(name, "shows line", line.seq)
        case .gap(_, let through): world.note(name, "is told of a gap to", through)
        case .withdrawn(let from, _): world.note(name, "withdraws from", from)
        case .partial(let partial):
            world.note(name, "shows a partial", partial.text.utf8.count)
        case .trouble(let why): lose(why)
        case .state, .alert, .stillLost, .stats, .turnedAway: break
        }
        if let fault = view.take(event, from: run) ?? GuestVerdict(self).fault(of: event, run) {
            world.fail("\(name): \(fault)")
        }
        if case .line = event, world.chance(percent: 10) { save() }
    }

    // MARK: Pauses between tries

    func lose(_ why: String) {
        let held = joinedAt.map { world.now - $0 >= .seconds(4) } ?? false
        lostAt = (world.now, held)
        joinedAt = nil
    }

    /// After a connection that has held the first try comes at once.
    func checkPause() {
        guard let lostAt, lostAt.hadHeld, machine.asleepUntil < lostAt.time else { return }
        if world.now - lostAt.time > .milliseconds(2) {
            world.fail(
                "\(name): its connection had held, and it waited "
                    + "\((world.now - lostAt.time) / 1_000) ms before it tried again")
        }
        self.lostAt = nil
    }
}
