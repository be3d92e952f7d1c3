import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import Glibc

/// Everything between the guests and the host.
final class Wires {
    let world: World
    private let stage: Stage
    private(set) var connections: [Connection] = []
    /// Who listens where. All hosts of an event take over one address from each other.
    private var doors: [Endpoint: Door] = [:]

    /// The program has it: who lets go of it listens no more.
    private struct Door {
        weak var listener: SimulatedListener?
    }
    /// The ways that are broken, by guest, and until when.
    private var brokenUntil: [String: Int] = [:]
    /// Those who reach everybody but the host, by guest, and until when.
    private var severedUntil: [String: Int] = [:]
    /// Those who reach nobody but who lies, by guest, and until when.
    private var misledUntil: [String: Int] = [:]
    var refusesUntil = 0
    var acceptsLateUntil = 0
    var slowUntil = 0
    var noDescriptorsUntil = 0
    var falseReadinessUntil = 0
    private var isHealed = false
    /// What a guest said first, for whoever listens on the way.
    private(set) var overheard: [UInt8] = []
    /// How many of a guest's next tries an impostor answers, by guest.
    private var impostures: [String: Int] = [:]
    /// How many of a guest's next tries lead to the host's twin, by guest.
    private var mistakes: [String: Int] = [:]

    /// Where the host is when the run begins, and where it is now.
    static let firstAddress = IPAddress(bytes: [192, 0, 2, 1])!
    private(set) var hostAddress = firstAddress
    let ether: Ether
    private var addresses: UInt8 = 1

    /// Bytes that a connection holds for a reader that does not read.
    private static let buffers = [3_000, 9_000, 40_000, 200_000]
    private static let connectTimeout = Int.seconds(10)

    init(_ world: World, _ stage: Stage) {
        self.world = world
        self.stage = stage
        ether = Ether(world)
    }

    /// How many descriptors a program may have open.
    var openFiles: Int { stage.scenario.openFiles }

    /// The host's machine gets another address.
    func renumberHost() {
        hostAddress = IPAddress(bytes: [198, 51, 100, UInt8(world.random(1...254))])!
    }

    /// An address of somebody's who has nothing to do with the event.
    static func elsewhere(_ world: World) -> IPAddress {
        IPAddress(bytes: [10] + (0..<3).map { _ in UInt8(world.random(0...255)) })!
    }

    func newAddress() -> IPAddress {
        addresses = addresses == 250 ? 2 : addresses + 1
        return IPAddress(bytes: [192, 0, 2, addresses])!
    }

    /// Whether a program of ours is at an address, rather than somebody of the crowd.
    func isGuest(_ peer: String) -> Bool {
        peer.hasPrefix("192.0.2.") || peer.hasPrefix("203.0.113.")
    }

    /// Where a machine is that serves the event besides its host, in whatever program.
    static func address(ofHolder number: Int) -> IPAddress {
        IPAddress(bytes: [203, 0, 113, UInt8(number)])!
    }

    /// Where others find a program.
    func publicAddress(of process: SimulatedProcess) -> IPAddress {
        stage.isHost(process) ? hostAddress : process.address
    }

    /// Where the host listens.
    private var hostDoor: Endpoint { Endpoint(hostAddress, port: Stage.port) }

    /// The newest connection that a guest has.
    func connection(of process: SimulatedProcess) -> Connection? {
        connections.last { $0.guest === process && $0.guestIsOpen }
    }

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

    private func brokenUntil(_ guest: SimulatedProcess, _ destination: Destination) -> Int {
        let misled = isLiars(destination) ? 0 : misledUntil[guest.name, default: 0]
        let broken = max(brokenUntil[guest.name, default: 0], misled)
        guard destination == .network(hostDoor) else { return broken }
        return max(broken, severedUntil[guest.name, default: 0])
    }

    private func isLiars(_ destination: Destination) -> Bool {
        guard case .network(let endpoint) = destination else { return false }
        return stage.liars.contains { $0.address == endpoint.address }
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
        if endpoint.address == hostAddress, let connection = deceive(guest, latency) {
            return .success(connection)
        }
        guard let door = doors[mistaken(endpoint, guest)]?.listener, world.now >= refusesUntil
        else { return .failure(refusal) }
        if door.process === stage.twin?.process { stage.guest(of: guest)?.meetsTwin() }
        let connection = connect(guest, latency)
        connection.server = door.process
        let isLate = world.now < acceptsLateUntil && world.chance(percent: 50)
        // The host may come to know of a connection much later than the guest: where the
        // handshake's last packet is lost, it does by the first bytes that come through.
        let wait = isLate ? world.random(0...25_000_000) : latency
        door.process.machine.schedule(after: wait) { [weak door] in
            guard !connection.isDead else { return }
            guard let door, door.isOpen else { return connection.cut() }
            door.arrive(connection, from: Endpoint(guest.address, port: 40_000))
        }
        return .success(connection)
    }

    private func connect(_ guest: SimulatedProcess, _ latency: Int) -> Connection {
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
            let bytes = stage.scenario.isSecure ? world.random(1...3_500) : plainly
            connection.down.cut(behind: bytes) { [weak connection] in connection?.cut() }
        }
        connections.append(connection)
        return connection
    }

    // MARK: Trouble

    /// Nothing gets through from and to a guest for a while.
    func breakWay(of guest: SimulatedGuest, for duration: Int) {
        world.note(guest.name, "has no network for", duration)
        brokenUntil[guest.name] = world.now + duration
        guest.connection?.stall(up: true, down: true, for: duration)
    }

    /// A guest reaches everybody but the host, for a while.
    func sever(_ guest: SimulatedGuest, for duration: Int) {
        world.note(guest.name, "does not reach the host for", duration)
        severedUntil[guest.name] = world.now + duration
        for connection in connections where connection.guest === guest.process {
            if stage.leadsToHost(connection) {
                connection.stall(up: true, down: true, for: duration)
            }
        }
    }

    /// A guest reaches nobody but who lies, for a while.
    func mislead(_ guest: SimulatedGuest, for duration: Int) {
        world.note(guest.name, "reaches liars alone for", duration)
        misledUntil[guest.name] = world.now + duration
        guest.connection?.stall(up: true, down: true, for: duration)
    }

    /// All connections of a machine are cut.
    func cutAll(of guest: SimulatedGuest) {
        for connection in connections {
            if connection.guest === guest.process || connection.server === guest.process {
                connection.cut()
            }
        }
    }

    func isSevered(_ guest: SimulatedGuest) -> Bool {
        severedUntil[guest.name, default: 0] > world.now
    }

    /// An impostor answers a guest's next tries.
    func impersonateHost(to guest: SimulatedGuest, times: Int) {
        impostures[guest.name] = times
    }

    /// The host's address is its twin's for a guest's next tries.
    func leadToTwin(_ guest: SimulatedGuest, times: Int) { mistakes[guest.name] = times }

    private func mistaken(_ endpoint: Endpoint, _ process: SimulatedProcess) -> Endpoint {
        guard endpoint == hostDoor, let twin = stage.twin, let left = mistakes[process.name],
            left > 0
        else { return endpoint }
        mistakes[process.name] = left - 1
        return Endpoint(twin.process.address, port: Stage.port)
    }

    private func deceive(_ process: SimulatedProcess, _ latency: Int) -> Connection? {
        guard let identities = stage.identities, let guest = stage.guest(of: process),
            let left = impostures[guest.name], left > 0, let flaw = flaw(before: guest)
        else { return nil }
        impostures[guest.name] = left - 1
        world.note(guest.name, "is answered by an impostor")
        guest.meetsImpostor()
        let connection = connect(process, latency)
        connection.isForged = true
        let impostor = SimulatedProcess("impostor", on: stage.machine, self)
        Impostor(impostor, stage, identities, on: connection, to: guest.name, flaw).begin()
        return connection
    }

    /// Whoever meets the host for the first time takes any key: without a code it cannot tell then.
    private func flaw(before guest: SimulatedGuest) -> Impostor.Flaw? {
        guard !guest.knowsHost else { return .key }
        guard let code = guest.code else { return nil }
        if world.chance(percent: 30) { return .noCode }
        return .otherCode(code == .sample ? .otherSample : .sample)
    }

    /// A connection's first bytes.
    func overhear(_ bytes: UnsafeRawBufferPointer) {
        if overheard.isEmpty, bytes.first == 22 { overheard = Array(bytes) }
    }

    /// Strangers come to the host's door, from one address or many. They say nothing, or something
    /// else than guests do, a byte at a time, or what they have heard a guest say, and no more.
    func sendCrowd(of count: Int) {
        guard let door = doors[hostDoor]?.listener else { return }
        let common = world.chance(percent: 30) ? Self.elsewhere(world) : nil
        let repeats = world.chance(percent: 40) ? overheard : []
        for _ in 0..<count {
            let stranger = SimulatedProcess("stranger", on: stage.machine, self)
            let connection = connect(stranger, world.random(200...20_000))
            connection.server = door.process
            let address = common ?? Self.elsewhere(world)
            door.arrive(connection, from: Endpoint(address, port: 40_000))
            if !repeats.isEmpty {
                repeatLater(repeats, over: connection)
            } else if world.chance(percent: 70) {
                babble(over: connection, world.random(0...300))
            }
        }
    }

    private func repeatLater(_ words: [UInt8], over connection: Connection) {
        world.schedule(after: world.random(0...200_000)) {
            _ = words.withUnsafeBytes { connection.up.send($0) }
        }
        if world.chance(percent: 50) {
            world.schedule(after: world.random(0...12_000_000)) { connection.closeGuestEnd() }
        }
    }

    private func babble(over connection: Connection, _ bytesLeft: Int) {
        world.schedule(after: world.random(1_000...1_000_000)) { [self] in
            guard bytesLeft > 0, connection.hostIsOpen else { return connection.closeGuestEnd() }
            let byte = [world.chance(percent: 50) ? 22 : UInt8(world.random(0...255))]
            _ = byte.withUnsafeBytes { connection.up.send($0) }
            babble(over: connection, bytesLeft - 1)
        }
    }

    /// Whoever is one too many at the door may be sent away, but not without being heard. Whose time
    /// was over while the host slept may.
    func sentAwayUnheard(_ connection: Connection, after time: Int) {
        guard time < .seconds(10), let run = stage.run, run.isServing, !run.isFinishing,
            !stage.scenario.hasCode, connection.isWhole, stage.leadsToHost(connection),
            let guest = stage.guest(of: connection.guest)
        else { return }
        world.fail("host: it sends \(guest.name) away without having heard it")
    }

    func heal() {
        isHealed = true
        (impostures, mistakes) = ([:], [:])
        (refusesUntil, acceptsLateUntil, slowUntil) = (0, 0, 0)
        (noDescriptorsUntil, falseReadinessUntil) = (0, 0)
        (brokenUntil, severedUntil, misledUntil) = ([:], [:], [:])
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

/// Where connections come in at a host.
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
