import BeamscribeCore

/// Everything between the guests and the host.
final class Network {
    let world: World
    let stage: Stage
    private(set) var connections: [Connection] = []
    /// The ways that are broken, by guest, and until when.
    private var brokenUntil: [String: Int] = [:]
    var refusesUntil = 0
    var acceptsLateUntil = 0
    var slowUntil = 0
    /// How many of a guest's next tries an impostor answers, by guest.
    private var impostures: [String: Int] = [:]

    /// Bytes that a connection holds for a reader that does not read.
    private static let buffers = [3_000, 9_000, 40_000, 200_000]
    private static let connectTimeout = Int.seconds(10)

    init(_ world: World, _ stage: Stage) {
        self.world = world
        self.stage = stage
    }

    // MARK: Connecting

    func dial(
        from guest: SimulatedGuest,
        _ done: @escaping (Result<Connection, ConnectionTrouble>) -> Void
    ) {
        let wait = max(0, brokenUntil[guest.name, default: 0] - world.now)
        let latency = world.random(200...(world.chance(percent: 10) ? 300_000 : 20_000))
        guard wait < Self.connectTimeout else {
            return world.schedule(after: Self.connectTimeout) {
                done(.failure(ConnectionTrouble(.networkLost, "driver: no answer")))
            }
        }
        // A lost first packet is sent again after a second or more.
        let delay = wait > 0 ? wait + world.random(0...2_000_000) : 0
        world.schedule(after: delay + latency) { [self] in open(guest, latency, done) }
    }

    private func open(
        _ guest: SimulatedGuest, _ latency: Int,
        _ done: (Result<Connection, ConnectionTrouble>) -> Void
    ) {
        if isAnsweredByImpostor(guest) { return deceive(guest, latency, done) }
        guard let process = stage.process, !process.isFinishing, world.now >= refusesUntil else {
            return done(.failure(ConnectionTrouble(.hostLost, "driver: refused")))
        }
        let connection = connect(to: process.truth, latency)
        let isLate = world.now < acceptsLateUntil && world.chance(percent: 50)
        accept(connection, by: process, after: isLate ? world.random(0...25_000_000) : latency)
        done(.success(connection))
    }

    private func connect(to run: RunTruth, _ latency: Int) -> Connection {
        let isSlow = world.now < slowUntil
        let connection = Connection(
            world, to: run, latency: latency, jitter: world.random(0...latency),
            capacity: isSlow ? world.random(300...5_000) : world.pick(Self.buffers) ?? 0,
            pace: isSlow ? world.random(10_000...500_000) : 0)
        connections.append(connection)
        return connection
    }

    /// The host may come to know of a connection much later than the guest: where the handshake's
    /// last packet is lost, it does by the first bytes that come through.
    private func accept(_ connection: Connection, by process: HostProcess, after delay: Int) {
        stage.machine.schedule(after: delay) {
            guard !connection.isDead else { return }
            guard process.isAlive, !process.isFinishing else {
                return connection.cut()
            }
            process.receive(connection)
        }
    }

    // MARK: Trouble

    /// Nothing gets through from and to a guest for a while.
    func breakWay(of guest: SimulatedGuest, for duration: Int) {
        world.note(guest.name, "has no network for", duration)
        brokenUntil[guest.name] = world.now + duration
        guest.connection?.stall(up: true, down: true, for: duration)
    }

    /// An impostor answers a guest's next tries.
    func impersonateHost(to guest: SimulatedGuest, times: Int) {
        impostures[guest.name] = times
    }

    /// Whoever meets the host for the first time takes any key: no guest can tell then.
    private func isAnsweredByImpostor(_ guest: SimulatedGuest) -> Bool {
        guard guest.knowsHost, let left = impostures[guest.name], left > 0 else { return false }
        impostures[guest.name] = left - 1
        return true
    }

    private func deceive(
        _ guest: SimulatedGuest, _ latency: Int,
        _ done: (Result<Connection, ConnectionTrouble>) -> Void
    ) {
        guard let identities = stage.identities else { return }
        world.note(guest.name, "is answered by an impostor")
        let nobody = RunTruth(
            session: stage.sessionID.wireName, number: 0, texts: [], hasLost: false)
        let connection = connect(to: nobody, latency)
        connection.isForged = true
        _ = Impostor(stage, identities, on: connection, to: guest.name)
        done(.success(connection))
    }

    func heal() {
        impostures = [:]
        (refusesUntil, acceptsLateUntil, slowUntil) = (0, 0, 0)
        brokenUntil = [:]
        connections.forEach { $0.heal() }
    }

    func end() {
        connections.forEach { $0.end() }
        connections = []
    }
}
