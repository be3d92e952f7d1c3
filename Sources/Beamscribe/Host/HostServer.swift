import BeamscribeCore
import BeamscribeIO

/// Drives a ``HostSession`` with sockets on a loop.
///
/// Invariant: `connections` are those that the session knows, and each socket is closed in the
/// same step in which the session forgets it.
final class HostServer {
    let session: HostSession
    /// What the session tells its operator, and trouble with accepting.
    var report: ([HostEvent]) -> Void = { _ in }
    var acceptTrouble: (SystemError) -> Void = { _ in }
    /// Called whenever the last connection has gone.
    var allGone: () -> Void = {}

    private let loop: EventLoop
    private var doors: [any HostDoor] = []
    private var connections: [ConnectionID: HostConnection] = [:] {
        didSet { everyone = nil }
    }
    /// The connections in a row, for every line goes to all; nil after one came or went.
    private var everyone: [HostConnection]?
    private var nextID: ConnectionID = 1
    private var ticking: LoopTimer?
    private let scratch = UnsafeMutableRawBufferPointer.allocate(
        byteCount: Limits.guestFramePayload, alignment: 16)

    /// What one connection may send, and the bytes it may send at once, before it is another's
    /// turn.
    private static let turnBytes = 1_048_576
    private static let acceptsPerTurn = 64
    private static let exhaustionPause = Duration.seconds(1)

    init(_ session: HostSession, on loop: EventLoop) {
        self.session = session
        self.loop = loop
    }

    deinit {
        ticking?.cancel()
        scratch.deallocate()
    }

    // MARK: Listening

    /// Listens at `endpoint`, and returns it with the port that it got.
    func listen(at endpoint: Endpoint) throws(SystemError) -> Endpoint {
        let door = ListeningDoor(try Listener(at: endpoint))
        try open(door)
        return door.listener.endpoint
    }

    /// Takes channels over Bluetooth, and returns the PSM that they come in by.
    func listenForChannels() throws(SystemError) -> UInt8 {
        let door = ListeningDoor(try ChannelListener())
        try open(door)
        return door.listener.psm
    }

    /// Lets in who comes by a door.
    func open(_ door: any HostDoor) throws(SystemError) {
        door.registration = try loop.register(door.number, for: .read) {
            [unowned self, unowned door] _ in acceptAll(at: door)
        }
        doors.append(door)
    }

    /// Takes in those who wait at the door, and then nobody any more.
    func stopListening() {
        doors.forEach { acceptAll(at: $0, atMost: .max) }
        doors = []
    }

    private func acceptAll(at door: any HostDoor, atMost limit: Int = acceptsPerTurn) {
        do throws(SystemError) {
            for _ in 0..<limit {
                guard let accepted = try door.accept() else { return }
                let peer = accepted.peer
                try add(accepted.takeSocket(), from: peer)
            }
        } catch {
            acceptTrouble(error)
            if error.isDescriptorExhaustion { rest(door) }
        }
    }

    /// Without descriptors nobody can be let in, and whoever waits keeps the listener readable:
    /// looks away for a moment and serves those who are in.
    private func rest(_ door: any HostDoor) {
        door.registration?.interest = []
        loop.schedule(after: Self.exhaustionPause) { [weak door] in
            door?.registration?.interest = .read
        }
    }

    private func add(
        _ socket: consuming Socket, from peer: Destination?
    ) throws(SystemError) {
        let connection = HostConnection(nextID, socket)
        nextID += 1
        let id = connection.id
        connection.registration = try loop.register(connection.socket.number, for: .read) {
            [unowned self, unowned connection] in ready(connection, $0)
        }
        connections[id] = connection
        let actions = session.connected(
            id, from: peer?.description ?? "unknown", over: peer?.transport ?? .network,
            now: Clock.now)
        connection.guest = session.guest(id)
        perform(actions)
        tickLater()
    }

    // MARK: Traffic

    private func ready(_ connection: HostConnection, _ readiness: EventLoop.Readiness) {
        if readiness.contains(.write) {
            connection.isBlocked = false
            pump(connection, now: Clock.now)
        }
        if readiness.contains(.read), connections[connection.id] === connection {
            read(connection)
        }
    }

    private func read(_ connection: HostConnection) {
        do throws(SystemError) {
            switch try connection.socket.receive(into: scratch) {
            case .bytes(let count):
                let bytes = UnsafeRawBufferPointer(rebasing: scratch[..<count])
                perform(session.received(bytes, from: connection.id, now: Clock.now))
            case .wouldBlock: return
            case .endOfStream: close(connection, why: HostSession.closedByPeer)
            }
        } catch {
            close(connection, why: "was cut off (\(error.reason))")
        }
    }

    /// Sends what there is for a connection, as much as its turn and the kernel allow.
    private func pump(_ connection: HostConnection, now: Moment) {
        guard !connection.isBlocked, let guest = connection.guest else { return }
        do throws(SystemError) {
            let drained = try session.drain(guest, limit: Self.turnBytes, now: now) {
                bytes throws(SystemError) in
                guard case .bytes(let count) = try connection.socket.send(bytes) else { return 0 }
                return count
            }
            switch drained {
            case .completely: return
            case .untilBlocked: connection.isBlocked = true
            case .forGood: connection.socket.finishSending()
            }
        } catch {
            close(connection, why: "was cut off (\(error.reason))")
        }
    }

    /// Sends every guest what there is for it.
    func pumpAll() {
        let now = Clock.now
        let all = everyone ?? Array(connections.values)
        everyone = all
        for connection in all { pump(connection, now: now) }
    }

    /// Sends what was published, once it is stored, and lets go of what is too old to be kept in
    /// memory.
    func sendPublished() {
        pumpAll()
        perform(session.trim())
    }

    /// Carries out what the session wants.
    func perform(_ actions: [HostSession.Action]) {
        // Told first, and together: to close the last connection may end the host.
        let events = actions.compactMap { if case .report(let event) = $0 { event } else { nil } }
        if !events.isEmpty { report(events) }
        for action in actions {
            switch action {
            case .send(let id): connections[id].map { pump($0, now: Clock.now) }
            case .sendToAll: pumpAll()
            case .close(let id): forget(id)
            case .report: continue
            }
        }
    }

    private func close(_ connection: HostConnection, why: String) {
        perform(session.disconnected(connection.id, why: why, now: Clock.now))
        forget(connection.id)
    }

    private func forget(_ id: ConnectionID) {
        guard connections.removeValue(forKey: id) != nil else { return }
        if connections.isEmpty { allGone() }
    }

    private func tickLater() {
        guard ticking == nil else { return }
        let interval = session.configuration.timing.checkInterval
        ticking = loop.schedule(after: interval) { [unowned self] in tick() }
    }

    /// When the last guest of an event goes here, so may the host: a function of its own keeps
    /// the server until it is done.
    private func tick() {
        ticking = nil
        perform(session.tick(Clock.now))
        if !connections.isEmpty { tickLater() }
    }

    var hasConnections: Bool { !connections.isEmpty }
}
