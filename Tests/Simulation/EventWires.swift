import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// What lies between the guests of an event and its host, and those who mean harm.
final class EventWires: Wires {
    private let stage: Stage
    /// The ways that are broken, by guest, and until when.
    private var brokenUntil: [String: Int] = [:]
    /// Those who reach everybody but the host, by guest, and until when.
    private var severedUntil: [String: Int] = [:]
    /// Those who reach nobody but who lies, by guest, and until when.
    private var misledUntil: [String: Int] = [:]
    /// What a guest said first, for whoever listens on the way.
    private(set) var overheard: [UInt8] = []
    /// How many of a guest's next tries an impostor answers, by guest.
    private var impostures: [String: Int] = [:]
    /// How many of a guest's next tries lead to the host's twin, by guest.
    private var mistakes: [String: Int] = [:]

    /// Where the host is when the run begins, and where it is now.
    static let firstAddress = IPAddress(bytes: [192, 0, 2, 1])!
    private(set) var hostAddress = firstAddress

    init(_ world: World, _ stage: Stage) {
        self.stage = stage
        super.init(world, isSecure: stage.scenario.isSecure)
    }

    override var openFiles: Int { stage.scenario.openFiles }

    /// The host's machine gets another address.
    func renumberHost() {
        hostAddress = IPAddress(bytes: [198, 51, 100, UInt8(clamping: world.random(1...254))])!
    }

    /// Whether a program of ours is at an address, rather than somebody of the crowd.
    func isGuest(_ peer: String) -> Bool {
        peer.hasPrefix("192.0.2.") || peer.hasPrefix("203.0.113.")
    }

    /// The time since a guest's last closed connection has taken bytes; nil if it took none.
    func ageOfLastBytes(to peer: String) -> Int? {
        let closed = connections.last {
            "\(Endpoint($0.guest.address, port: 40_000))" == peer && !$0.hostIsOpen
        }
        return closed?.down.lastSent.map { world.now - $0 }
    }

    /// Where a machine is that serves the event besides its host, in whatever program.
    static func address(ofHolder number: Int) -> IPAddress {
        IPAddress(bytes: [203, 0, 113, UInt8(clamping: number)])!
    }

    override func publicAddress(of process: SimulatedProcess) -> IPAddress {
        stage.isHost(process) ? hostAddress : process.address
    }

    /// Where the host listens.
    private var hostDoor: Endpoint { Endpoint(hostAddress, port: Stage.port) }

    /// The newest connection that a guest has.
    func connection(of process: SimulatedProcess) -> Connection? {
        connections.last { $0.guest === process && $0.guestIsOpen }
    }

    // MARK: Connecting

    override func brokenUntil(_ guest: SimulatedProcess, _ destination: Destination) -> Int {
        let misled = isLiars(destination) ? 0 : misledUntil[guest.name, default: 0]
        let broken = max(brokenUntil[guest.name, default: 0], misled)
        guard destination == .network(hostDoor) else { return broken }
        return max(broken, severedUntil[guest.name, default: 0])
    }

    private func isLiars(_ destination: Destination) -> Bool {
        guard case .network(let endpoint) = destination else { return false }
        return stage.liars.contains { $0.address == endpoint.address }
    }

    override func gotThrough(_ process: SimulatedProcess, to other: SimulatedProcess) {
        if other === stage.twin?.process { stage.guest(of: process)?.meetsTwin() }
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

    override func place(of endpoint: Endpoint, for process: SimulatedProcess) -> Endpoint {
        guard endpoint == hostDoor, let twin = stage.twin, let left = mistakes[process.name],
            left > 0
        else { return endpoint }
        mistakes[process.name] = left - 1
        return Endpoint(twin.process.address, port: Stage.port)
    }

    override func deceive(
        _ process: SimulatedProcess, dialling endpoint: Endpoint, _ latency: Int
    ) -> Connection? {
        guard endpoint.address == hostAddress, let identities = stage.identities,
            let guest = stage.guest(of: process), let left = impostures[guest.name], left > 0,
            let flaw = flaw(before: guest)
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

    override func overhear(_ bytes: UnsafeRawBufferPointer) {
        if overheard.isEmpty, bytes.first == 22 { overheard = Array(bytes) }
    }

    /// Strangers come to the host's door, from one address or many. They say nothing, or something
    /// else than guests do, a byte at a time, or what they have heard a guest say, and no more.
    func sendCrowd(of count: Int) {
        guard let door = door(at: hostDoor) else { return }
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
            let byte = [world.chance(percent: 50) ? 22 : UInt8(clamping: world.random(0...255))]
            _ = byte.withUnsafeBytes { connection.up.send($0) }
            babble(over: connection, bytesLeft - 1)
        }
    }

    /// Whoever is one too many at the door may be sent away, but not without being heard. Whose time
    /// was over while the host slept may.
    override func sentAwayUnheard(_ connection: Connection, after time: Int) {
        guard time < .seconds(10), let run = stage.run, run.isServing, !run.isFinishing,
            !stage.scenario.hasCode, connection.isWhole, stage.leadsToHost(connection),
            let guest = stage.guest(of: connection.guest)
        else { return }
        world.fail("host: it sends \(guest.name) away without having heard it")
    }

    override func heal() {
        (impostures, mistakes) = ([:], [:])
        (brokenUntil, severedUntil, misledUntil) = ([:], [:], [:])
        super.heal()
    }
}
