import BeamscribeCore
import BeamscribeIO
import Glibc

/// Everything between the programs of a world.
class Wires {
    let world: World
    private(set) var connections: [Connection] = []
    /// Who listens where. All hosts of an event take over one address from each other.
    private var doors: [Endpoint: Door] = [:]

    /// The program has it: who lets go of it listens no more.
    private struct Door {
        weak var listener: SimulatedListener?
    }
    var refusesUntil = 0
    var acceptsLateUntil = 0
    var slowUntil = 0
    var noDescriptorsUntil = 0
    var falseReadinessUntil = 0
    private let isSecure: Bool
    private(set) var isHealed = false
    let ether: Ether
    private var addresses: UInt8 = 1

    /// Bytes that a connection holds for a reader that does not read.
    private static let buffers = [3_000, 9_000, 40_000, 200_000]
    private static let connectTimeout = Int.seconds(10)

    init(_ world: World, isSecure: Bool) {
        (self.world, self.isSecure) = (world, isSecure)
        ether = Ether(world)
    }

    /// An address of somebody's who has nothing to do with the event.
    static func elsewhere(_ world: World) -> IPAddress {
        IPAddress(bytes: [10] + (0..<3).map { _ in UInt8(clamping: world.random(0...255)) })!
    }

    func newAddress() -> IPAddress {
        addresses = addresses == 250 ? 2 : addresses &+ 1
        return IPAddress(bytes: [192, 0, 2, addresses])!
    }

    // MARK: What an event has of its own

    /// How many descriptors a program may have open.
    var openFiles: Int { 1_024 }

    /// Where others find a program.
    func publicAddress(of process: SimulatedProcess) -> IPAddress { process.address }

    /// Until when a program does not get there.
    func brokenUntil(_ process: SimulatedProcess, _ destination: Destination) -> Int { 0 }

    /// Where a program comes to that dials an endpoint.
    func place(of endpoint: Endpoint, for process: SimulatedProcess) -> Endpoint { endpoint }

    /// Somebody answers in place of who is dialled; nil for nobody.
    func deceive(
        _ process: SimulatedProcess, dialling endpoint: Endpoint, _ latency: Int
    ) -> Connection? { nil }

    /// A program has got through to another.
    func gotThrough(_ process: SimulatedProcess, to other: SimulatedProcess) {}

    /// A connection's first bytes.
    func overhear(_ bytes: UnsafeRawBufferPointer) {}

    /// A program has sent somebody away whom it has not read.
    func sentAwayUnheard(_ connection: Connection, after time: Int) {}

    // MARK: Connecting

    func listen(at port: UInt16, for process: SimulatedProcess) throws(SystemError)
        -> SimulatedListener
    {
        let place = Endpoint(publicAddress(of: process), port: port)
        guard doors[place]?.listener == nil else {
            throw SystemError("listen on", "port \(port)", code: EADDRINUSE)
        }
        let listener = SimulatedListener(process)
        doors[place] = Door(listener: listener)
        process.open(listener) { [self, weak listener] in
            guard let listener else { return }
            listener.isOpen = false
            if doors[place]?.listener === listener { doors[place] = nil }
        }
        return listener
    }

    /// Who listens there.
    func door(at endpoint: Endpoint) -> SimulatedListener? { doors[endpoint]?.listener }

    /// - Parameter stream: gets what comes of it; one that was closed meanwhile asks nobody.
    func dial(
        from guest: SimulatedProcess, to destination: Destination, for stream: SimulatedStream
    ) {
        let wait = max(0, brokenUntil(guest, destination) - world.now)
        let latency = world.random(200...(world.chance(percent: 10) ? 300_000 : 20_000))
        // Some addresses lead nowhere, and do not say so.
        guard wait < Self.connectTimeout, !isSilent(destination) else {
            return world.schedule(after: Self.connectTimeout) { [weak stream] in
                let error = SystemError("connect to", "\(destination)", code: ETIMEDOUT)
                stream?.completed(.failure(error))
            }
        }
        // A lost first packet is sent again after a second or more.
        let delay = wait > 0 ? wait + world.random(0...2_000_000) : 0
        world.schedule(after: delay + latency) { [self, weak stream] in
            if let stream { stream.completed(open(guest, to: destination, latency)) }
        }
    }

    private func isSilent(_ destination: Destination) -> Bool {
        guard case .network(let endpoint) = destination else { return false }
        return endpoint.address.bytes.first == 10 && endpoint.address.bytes.last! % 2 == 0
    }

    private func open(
        _ guest: SimulatedProcess, to destination: Destination, _ latency: Int
    ) -> Result<Connection, SystemError> {
        let refusal = SystemError("connect to", "\(destination)", code: ECONNREFUSED)
        guard case .network(let endpoint) = destination else { return .failure(refusal) }
        if let connection = deceive(guest, dialling: endpoint, latency) {
            return .success(connection)
        }
        guard let door = door(at: place(of: endpoint, for: guest)), world.now >= refusesUntil
        else { return .failure(refusal) }
        gotThrough(guest, to: door.process)
        let connection = connect(guest, latency)
        connection.server = door.process
        let isLate = world.now < acceptsLateUntil && world.chance(percent: 50)
        // Who is dialled may come to know of a connection much later than who dials: where the
        // handshake's last packet is lost, it does by the first bytes that come through.
        let wait = isLate ? world.random(0...25_000_000) : latency
        door.process.machine.schedule(after: wait) { [weak door] in
            guard !connection.isDead else { return }
            guard let door, door.isOpen else { return connection.cut() }
            door.arrive(connection, from: Endpoint(guest.address, port: 40_000))
        }
        return .success(connection)
    }

    func connect(_ guest: SimulatedProcess, _ latency: Int) -> Connection {
        let isSlow = world.now < slowUntil
        let connection = Connection(
            world, from: guest, latency: latency, jitter: world.random(0...latency),
            upCapacity: world.chance(percent: 10) ? world.random(20...400) : 65_536,
            capacity: isSlow ? world.random(300...5_000) : world.pick(Self.buffers) ?? 0,
            pace: isSlow ? world.random(10_000...500_000) : 0)
        // Some are cut in the middle of the host's first words.
        if !isHealed, world.chance(percent: 4) {
            let isAtHistory = world.chance(percent: 50)
            let plainly = isAtHistory ? world.random(250...550) : world.random(1...1_200)
            let bytes = isSecure ? world.random(1...3_500) : plainly
            connection.down.cut(behind: bytes) { [weak connection] in connection?.cut() }
        }
        connections.append(connection)
        return connection
    }

    // MARK: The end

    func heal() {
        isHealed = true
        (refusesUntil, acceptsLateUntil, slowUntil) = (0, 0, 0)
        (noDescriptorsUntil, falseReadinessUntil) = (0, 0)
        ether.heal()
        connections.forEach { $0.heal() }
    }

    func end() {
        connections.forEach { $0.end() }
        connections = []
        doors = [:]
        ether.end()
    }
}

/// Where connections come in at a program.
final class SimulatedListener: ConnectionListener {
    let process: SimulatedProcess
    private var waiting: [AcceptedConnection] = []
    private var ready: (() -> Void)?
    private var isTurnSet = false
    var isOpen = true
    var isResting = false { didSet { update() } }

    init(_ process: SimulatedProcess) {
        self.process = process
    }

    deinit {
        process.closed(self)
    }

    func arrive(_ connection: Connection, from peer: Endpoint) {
        let stream = SimulatedStream(of: process, accepting: connection)
        waiting.append(AcceptedConnection(stream, from: .network(peer)))
        update()
    }

    func accept() throws(SystemError) -> AcceptedConnection? {
        guard process.world.now >= process.wires.noDescriptorsUntil else {
            throw SystemError("accept", "a connection", code: EMFILE)
        }
        return waiting.isEmpty ? nil : waiting.removeFirst()
    }

    func watch(_ ready: @escaping () -> Void) throws(SystemError) {
        self.ready = ready
        update()
    }

    private func update() {
        guard !isTurnSet, !isResting, !waiting.isEmpty, ready != nil else { return }
        isTurnSet = true
        process.soon { [weak self] in
            guard let self else { return }
            isTurnSet = false
            if !isResting, !waiting.isEmpty { ready?() }
            update()
        }
    }
}
