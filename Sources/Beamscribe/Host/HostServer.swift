import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS
import BeamscribeVoice

/// Drives a ``Room`` with a network.
///
/// Invariant: `connections` are those that the room knows, and each socket is closed in the same
/// step in which the room forgets it.
final class HostServer {
    private let room: Room
    /// Voices beside the captions; nil for none.
    private var voices: HostVoices?
    /// What the operator is to know, and trouble with accepting.
    var report: ([HostEvent]) -> Void = { _ in }
    var acceptTrouble: (SystemError) -> Void = { _ in }
    /// Called after every guest was sent what is new, and once one has brought something of another log.
    var published: () -> Void = {}
    /// Called before what guests may have brought of other logs is given out.
    var brought: () -> Void = {}
    /// Called whenever the last connection has gone.
    var allGone: () -> Void = {}

    private let network: any Network
    private let loop: any Loop
    private let reception: HostReception
    /// Where connections come in.
    private var doors: [any ConnectionListener] = []
    private var connections: [ConnectionID: HostConnection] = [:] {
        didSet { everyone = nil }
    }
    /// The connections in the order in which they came, for every line goes to all; nil after one came
    /// or went.
    private var everyone: [HostConnection]?
    private var nextID: ConnectionID = 1
    @OwnedTimer private var ticking: LoopTimer?
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Limits.guestFramePayload, alignment: 16)

    /// What one connection may send, and the bytes it may send at once, before it is another's
    /// turn.
    private static let turnBytes = 1_048_576
    private static let acceptsPerTurn = 32

    init(
        _ room: Room, _ security: HostSecurity, in surroundings: any Surroundings
    ) throws(TLSError) {
        self.room = room
        network = surroundings.network
        loop = network.loop
        reception = try HostReception(
            security, guests: room.configuration.maximumGuests,
            timing: room.configuration.timing, in: surroundings)
        reception.admit = { [unowned self] in add($0, from: $1, $2) }
        reception.report = { [unowned self] in report($0) }
        reception.allGone = { [unowned self] in tellIfAllGone() }
    }

    deinit {
        scratch.deallocate()
    }

    // MARK: Listening

    /// Listens at `endpoint`, and returns it with the port that it got.
    private func listen(at endpoint: Endpoint) throws(SystemError) -> Endpoint {
        let (listener, endpoint) = try network.listen(at: endpoint)
        try open(listener)
        return endpoint
    }

    /// Takes channels over Bluetooth, and returns the PSM that they come in by.
    func listenForChannels() throws(SystemError) -> UInt8 {
        let (listener, psm) = try network.listenForChannels()
        try open(listener)
        return psm
    }

    /// Lets in who comes by a door.
    func open(_ listener: any ConnectionListener) throws(SystemError) {
        try listener.watch { [unowned self, unowned listener] in acceptAll(at: listener) }
        doors.append(listener)
    }

    /// Takes in those who wait at the door, and then nobody any more. Whoever comes meanwhile is not
    /// waited for: somebody may come again and again.
    func stopListening() {
        doors.forEach { acceptAll(at: $0, atMost: Limits.connectionsAtDoor) }
        doors = []
    }

    private func acceptAll(at door: any ConnectionListener, atMost limit: Int = acceptsPerTurn) {
        do throws(SystemError) {
            for _ in 0..<limit {
                guard let accepted = try door.accept() else { return }
                try reception.receive(accepted)
            }
        } catch {
            acceptTrouble(error)
            if error.isDescriptorExhaustion { rest(door) }
        }
    }

    /// Nobody can be let in for now, and whoever waits keeps the listener readable: looks away for
    /// a moment, and serves those who are in.
    private func rest(_ door: any ConnectionListener) {
        door.isResting = true
        loop.schedule(after: Limits.exhaustionPause) { [weak door] in
            door?.isResting = false
        }
    }

    /// Lets in a connection whose handshake is done, and on which something may have come already.
    private func add(_ socket: SecureSocket, from peer: Destination?, _ first: [UInt8]) {
        let connection = HostConnection(nextID, socket, from: peer)
        nextID += 1
        let id = connection.id
        do throws(SystemError) {
            try socket.watch(for: .read) { [unowned self, unowned connection] in
                ready(connection, $0)
            }
        } catch {
            return acceptTrouble(error)
        }
        connections[id] = connection
        connection.guest = room.connected(
            id, from: peer?.description ?? "unknown", source: peer.source,
            over: peer?.transport ?? .network, exporter: { try? socket.exportedKey(.peer) },
            now: loop.now)
        tickLater()
        if !first.isEmpty { first.withUnsafeBytes { received($0, on: connection) } }
        makeRoom()
    }

    /// Sends away who is one too many, once it was heard: what it says may wait in the kernel.
    private func makeRoom() {
        while let id = room.surplus(), let connection = connections[id] {
            read(connection)
            perform(room.sendAway(id, now: loop.now))
        }
    }

    // MARK: Traffic

    private func ready(_ connection: HostConnection, _ readiness: Interest) {
        if readiness.contains(.write) {
            connection.isBlocked = false
            pump(connection, now: loop.now)
        }
        if readiness.contains(.read), connections[connection.id] === connection {
            read(connection)
        }
    }

    private func read(_ connection: HostConnection) {
        var said = 0
        do throws(SecureSocketError) {
            let outcome = try connection.socket.receive(into: scratch) { bytes in
                said += bytes.count
                received(bytes, on: connection)
                return connections[connection.id] === connection
            }
            switch outcome {
            case .bytes(let count):
                let overhead = count - said
                guard overhead > 0 else { return }
                perform(room.receivedOverhead(overhead, from: connection.id, now: loop.now))
            case .nothing: return
            case .end: close(connection, why: Room.closedByPeer)
            }
        } catch {
            close(connection, why: error.clause)
        }
    }

    private func received(_ bytes: UnsafeRawBufferPointer, on connection: HostConnection) {
        let actions = room.received(bytes, from: connection.id, now: loop.now)
        let bringsLog = connection.guest?.bringsLog == true
        if bringsLog { brought() }
        perform(actions)
        // What it brings is for browsers, too.
        if bringsLog { published() }
    }

    /// Sends what there is for a connection, as much as its turn and the kernel allow.
    private func pump(_ connection: HostConnection, now: Moment) {
        guard !connection.isBlocked, let guest = connection.guest else { return }
        let before = connection.socket.sentBytes
        do throws(SecureSocketError) {
            let drained = try room.drain(guest, limit: Self.turnBytes, now: now) {
                bytes throws(SecureSocketError) in try connection.socket.send(bytes)
            }
            if drained == .forGood { connection.socket.finishSending() }
            // What was taken may still be on its way to the kernel.
            let isSent = try connection.socket.flush()
            connection.isBlocked = drained == .untilBlocked || !isSent
            // A record may go piece by piece.
            if connection.socket.sentBytes > before {
                room.noteProgress(of: guest, now: now.uptime)
            }
        } catch {
            close(connection, why: error.clause)
        }
    }

    /// Sends every guest what there is for it.
    private func pumpAll() {
        let now = loop.now
        let all = everyone ?? connections.values.sorted { $0.id < $1.id }
        everyone = all
        for connection in all { pump(connection, now: now) }
        published()
    }

    /// Sends what was published, once it is stored, and lets go of what is too old to be kept in
    /// memory.
    func sendPublished() {
        pumpAll()
        perform(room.trim())
    }

    /// Serves another log from now on; guests who read the old one come back for that.
    func serve(_ log: EventLog) { perform(room.serve(log, now: loop.now)) }

    /// Says goodbye to everybody.
    func finish(_ kind: Alert.Kind, _ message: String) {
        perform(room.finish(kind, message, now: loop.now))
        published()
    }

    func tell(_ events: [HostEvent]) {
        if !events.isEmpty { report(events) }
    }

    /// Guests are told of the event's other logs, and get what is new of them.
    func tellOfOthers() { perform(room.tellOfOthers(now: loop.now)) }

    /// Guests are told at once how the log stands.
    func tellHeads() { perform(room.tellHeads(now: loop.now)) }

    func perform(_ actions: [Room.Action]) {
        // Told first, and together: to close the last connection may end the host.
        tell(actions.compactMap { if case .report(let event) = $0 { event } else { nil } })
        for action in actions {
            switch action {
            case .send(let id): connections[id].map { pump($0, now: loop.now) }
            case .close(let id): forget(id)
            case .report: continue
            case .voice(let message, let id): hear(message, from: id)
            }
        }
    }

    // MARK: Voices

    /// Guests are offered voices from now on.
    func offer(_ voices: HostVoices) {
        self.voices = voices
        room.voices = voices.offer
        voices.say = { [unowned self] in perform(room.say($0, to: $1, now: loop.now)) }
        voices.closed = { [unowned self] in report($0.map { .doorClosed(source: $0) }) }
    }

    /// Voices are said something by who has their thread.
    func carryOut(_ actions: [VoiceForwarder.Voices.Action]) {
        for case .say(let message, let id) in actions {
            perform(room.say(message, to: id, now: loop.now))
        }
    }

    private func hear(_ message: VoiceMessage, from id: ConnectionID) {
        guard let connection = connections[id], let guest = room.guest(id),
            let device = room.device(of: id)
        else { return }
        let socket = connection.socket
        let speaker = HostVoices.Speaker(
            id: id, name: guest.name, device: device, source: connection.source,
            address: connection.address,
            exportedKey: { try? socket.exportedKey($0) })
        voices?.hear(message, from: speaker)
    }

    private func close(_ connection: HostConnection, why: String) {
        let actions = room.disconnected(connection.id, why: why, now: loop.now)
        if connection.guest?.bringsLog == true { brought() }
        perform(actions)
        forget(connection.id)
    }

    private func forget(_ id: ConnectionID) {
        guard connections.removeValue(forKey: id) != nil else { return }
        voices?.left(id)
        tellIfAllGone()
    }

    private func tellIfAllGone() {
        if !hasConnections { allGone() }
    }

    private func tickLater() {
        guard ticking == nil else { return }
        let interval = room.configuration.timing.checkInterval
        ticking = loop.schedule(after: interval) { [unowned self] in tick() }
    }

    /// When the last guest of an event goes here, so may the host: a function of its own keeps
    /// the server until it is done.
    private func tick() {
        ticking = nil
        let actions = room.tick(loop.now)
        brought()
        perform(actions)
        // What became of the event's other logs is for browsers, too.
        published()
        if !connections.isEmpty { tickLater() }
    }

    /// Whether anybody is here, strangers included.
    var hasConnections: Bool { !connections.isEmpty || !reception.isEmpty }

    /// What is wrong with its state; nil where nothing is. Looks at everybody: for tests.
    var brokenInvariant: String? { room.brokenInvariant ?? reception.brokenInvariant }

    // MARK: Ports

    /// Listens at `addresses`, or at all of both families for none, with one port.
    ///
    /// - Returns: where it listens, IPv4 first.
    func listen(
        on port: PortChoice, at addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        let wanted = port.candidates(HostConfiguration.standardNumber)
        for number in wanted.dropLast() {
            do throws(SystemError) {
                return try listen(port: number, at: addresses)
            } catch {
                guard error.isAddressInUse else { throw error }
            }
        }
        return try listen(port: wanted[wanted.count - 1], at: addresses)
    }

    /// A free port of one address may be taken at the next, so another is looked for then.
    private func listen(
        port: UInt16, at addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        var attempts = port == 0 ? 8 : 1
        while true {
            attempts -= 1
            do throws(SystemError) {
                return addresses.isEmpty
                    ? try listenEverywhere(port: port)
                    : try listen(port: port, atEach: addresses)
            } catch {
                stopListening()
                guard attempts > 0, error.isAddressInUse else { throw error }
            }
        }
    }

    private func listen(
        port: UInt16, atEach addresses: [IPAddress]
    ) throws(SystemError) -> [Endpoint] {
        var all: [Endpoint] = []
        for address in addresses {
            let given = all.first?.port ?? port
            all.append(try listen(at: Endpoint(address, port: given)))
        }
        return all
    }

    private func listenEverywhere(port: UInt16) throws(SystemError) -> [Endpoint] {
        let four = try listen(at: Endpoint(.anyIPv4, port: port))
        do throws(SystemError) {
            return [four, try listen(at: Endpoint(.anyIPv6, port: four.port))]
        } catch {
            // A machine without IPv6 is a machine; a port that is taken there is not ours.
            if error.isAddressInUse { throw error }
            return [four]
        }
    }
}
