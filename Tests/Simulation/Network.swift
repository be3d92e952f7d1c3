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
        guard let process = stage.process, !process.isFinishing, world.now >= refusesUntil else {
            return done(.failure(ConnectionTrouble(.hostLost, "driver: refused")))
        }
        let isSlow = world.now < slowUntil
        let connection = Connection(
            world, to: process.truth, latency: latency, jitter: world.random(0...latency),
            capacity: isSlow ? world.random(300...5_000) : world.pick(Self.buffers) ?? 0,
            pace: isSlow ? world.random(10_000...500_000) : 0)
        connections.append(connection)
        let isLate = world.now < acceptsLateUntil && world.chance(percent: 50)
        accept(connection, by: process, after: isLate ? world.random(0...25_000_000) : latency)
        done(.success(connection))
    }

    /// The host may come to know of a connection much later than the guest: where the handshake's
    /// last packet is lost, it does by the first bytes that come through.
    private func accept(_ connection: Connection, by process: HostProcess, after delay: Int) {
        stage.machine.schedule(after: delay) {
            guard !connection.isDead else { return }
            guard process.isAlive, !process.isFinishing else {
                return connection.cut()
            }
            process.accept(connection)
        }
    }

    // MARK: Trouble

    /// Nothing gets through from and to a guest for a while.
    func breakWay(of guest: SimulatedGuest, for duration: Int) {
        world.note(guest.name, "has no network for", duration)
        brokenUntil[guest.name] = world.now + duration
        guest.connection?.stall(up: true, down: true, for: duration)
    }

    func heal() {
        (refusesUntil, acceptsLateUntil, slowUntil) = (0, 0, 0)
        brokenUntil = [:]
        connections.forEach { $0.heal() }
    }

    func end() {
        connections.forEach { $0.end() }
        connections = []
    }
}
