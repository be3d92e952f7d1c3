import FoundationEssentials

@testable import BeamscribeCore

/// A host and guests on a network that is made of arrays, with a clock that is turned by hand.
///
/// Bytes move only when ``deliver()`` is called, in pieces of any size, so that a test can stop
/// the world between any two of them.
final class VirtualRoom {
    let host: VirtualHost
    private(set) var now = beginning
    private(set) var hostReports: [HostEvent] = []
    /// What guests say of voices, and who.
    private(set) var voices: [(message: VoiceMessage, from: ConnectionID)] = []
    private(set) var guests: [VirtualGuest] = []
    /// The connections by the host's number.
    private var wires: [ConnectionID: VirtualGuest] = [:]
    private var handles: [ConnectionID: Room.Handle] = [:]
    private var leaving: Set<ConnectionID> = []
    private var nextID = 1
    var generator: SeededGenerator
    /// The most bytes that a socket takes at once.
    var pieceSize = Int.max
    /// What every connection proves.
    private let security: ConnectionSecurity
    /// Who is there, as far as guests know.
    var counterpart = Counterpart.host
    /// Who is between the host and its guests, and what he makes of what the host says.
    var tamper: ([UInt8]) -> [UInt8] = { $0 }

    convenience init(
        seed: UInt64 = 1, session: UUID = UUID(), maximumGuests: Int = 1_024,
        transcript: Transcript = Transcript()
    ) {
        self.init(
            serving: EventLog(session: session, transcript: transcript, now: Self.beginning),
            seed: seed, maximumGuests: maximumGuests)
    }

    /// A room whose log is signed.
    convenience init(
        signing writer: ToyCrypto, seed: UInt64 = 1, session: UUID = UUID(),
        limit: Int = Limits.history, chunkSize: Int = Limits.chunk
    ) {
        self.init(
            serving: writer.log(session, limit: limit, chunkSize: chunkSize, now: Self.beginning),
            seed: seed, proving: writer.security)
    }

    /// A room in which a log is served that somebody else may write, too.
    init(
        serving log: EventLog, others shelf: Shelf? = nil, seed: UInt64 = 1,
        maximumGuests: Int = 1_024, proving security: ConnectionSecurity = .plain
    ) {
        self.security = security
        generator = SeededGenerator(seed: seed)
        host = VirtualHost(log, others: shelf, maximumGuests: maximumGuests, seed: seed)
    }

    static let beginning = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)

    /// The same of what guests say to the host.
    var tamperWithGuests: ([UInt8]) -> [UInt8] = { $0 }

    /// A connection at the host.
    func handle(of id: ConnectionID) -> Room.Handle? { handles[id] }

    func add(_ guest: VirtualGuest) -> VirtualGuest {
        guests.append(guest)
        return guest
    }

    /// A new guest, not yet connected.
    func guest(
        _ name: String = "Ann", device: UUID = UUID(), start: GuestSession.Start = .beginning,
        reconnects: Bool = true, keeping replica: Replica? = nil,
        resuming position: Handshake.Resume? = nil, proving crypto: ToyCrypto? = ToyCrypto(),
        of writer: ToyCrypto? = nil, others shelf: Shelf? = nil, usesVoices: Bool = false
    ) -> VirtualGuest {
        var configuration = GuestSession.Configuration(displayName: name)
        configuration.usesVoices = usesVoices
        configuration.start = start
        configuration.reconnects = reconnects
        configuration.resume = position
        let session = GuestSession(
            configuration, keeping: replica, others: shelf, proving: crypto, seed: 7, now: now)
        return add(VirtualGuest(session, device, of: writer?.security.fingerprint))
    }

    // MARK: What happens

    func say(_ texts: String...) {
        for text in texts {
            host.publisher.publish(final: Caption(text: text), now: now)
        }
        host.log.seal()
        perform(host.room.trim())
    }

    func whisper(_ text: String) {
        host.publisher.publish(partial: Caption(text: text), now: now)
        host.log.seal()
    }

    /// Turns the clock, a second at a time, delivering in between.
    func pass(seconds: Int, delivering: Bool = true) {
        for _ in 0..<seconds {
            now = now.advanced(by: .seconds(1))
            if delivering { deliver() }
            if host.room.hasConnections { perform(host.room.tick(now)) }
            for guest in guests { tick(guest) }
            if delivering { deliver() }
        }
    }

    /// Turns the clock, and does nothing else.
    func advance(by time: Duration) { now = now.advanced(by: time) }

    private func tick(_ guest: VirtualGuest) {
        guard let due = guest.session.nextDeadline, due <= now.uptime else { return }
        perform(guest.session.tick(now), for: guest)
    }

    /// The host says something of voices to a guest, and a guest to the host.
    func say(_ message: VoiceMessage, to guest: VirtualGuest) {
        guard let id = guest.wire else { return }
        perform(host.room.say(message, to: id, now: now))
    }

    func say(_ message: VoiceMessage, by guest: VirtualGuest) {
        perform(guest.session.say(message), for: guest)
    }

    /// Has a guest say that it serves the event.
    func serve(_ guest: VirtualGuest, at addresses: String..., page: PageDoor? = nil) {
        let peer = Peers.Peer(node: "node", addresses: addresses, role: "relay", page: page)
        perform(guest.session.serves(peer), for: guest)
        deliver()
    }

    /// Lets a guest dial, and connects it.
    func connect(_ guest: VirtualGuest) {
        tick(guest)
        deliver()
    }

    /// Cuts a guest's connection; what was under way is lost.
    func cut(_ guest: VirtualGuest) {
        guard let id = guest.wire else { return }
        wires[id] = nil
        guest.wire = nil
        perform(host.room.disconnected(id, why: "was cut", now: now))
        perform(
            guest.session.disconnected(ConnectionTrouble(.networkLost, "cut"), now: now), for: guest
        )
    }

    func finish(_ kind: Alert.Kind) {
        perform(host.room.finish(kind, "goodbye", now: now))
        deliver()
    }

    /// Sends raw bytes to the host as a stranger would.
    func stranger(_ bytes: [UInt8], from source: String = "stranger") -> ConnectionID {
        let id = nextID
        nextID += 1
        handles[id] = host.room.connected(id, from: source, now: now)
        makeRoom()
        perform(bytes.withUnsafeBytes { host.room.received($0, from: id, now: now) })
        return id
    }

    /// Whether the host still has the connection.
    func isOpen(_ id: ConnectionID) -> Bool {
        !hostClosed.contains(id)
    }
    private(set) var hostClosed: Set<ConnectionID> = []

    // MARK: The network

    /// Moves bytes both ways until there are none.
    func deliver() {
        var isMoving = true
        while isMoving {
            isMoving = false
            for guest in guests {
                if guest.isDialing { open(guest) }
                isMoving = moveToHost(guest) || isMoving
                isMoving = moveToGuest(guest) || isMoving
            }
        }
    }

    private func open(_ guest: VirtualGuest) {
        guest.isDialing = false
        guard guest.canConnect else {
            return perform(
                guest.session.connectionFailed(
                    ConnectionTrouble(.networkLost, "no way"), now: now), for: guest)
        }
        let id = nextID
        nextID += 1
        guest.wire = id
        wires[id] = guest
        handles[id] = host.room.connected(
            id, from: "\(guest.address):\(id)", source: guest.address, over: guest.transport,
            now: now)
        makeRoom()
        perform(
            guest.session.connected(
                over: guest.transport, security: security, to: counterpart,
                as: guest.device, now: now), for: guest)
    }

    /// Takes a guest from the connection that it has to another, as its driver does when a better
    /// one stands. What was under way in the old one is lost.
    func move(_ guest: VirtualGuest, to transport: Transport) {
        guard let old = guest.wire else { return }
        let id = nextID
        nextID += 1
        wires[old] = nil
        guest.outgoing = []
        guest.wire = id
        guest.transport = transport
        wires[id] = guest
        handles[id] = host.room.connected(
            id, from: "192.0.2.2", source: guest.address, over: transport, now: now)
        makeRoom()
        perform(
            guest.session.moved(over: transport, security: security, as: guest.device, now: now),
            for: guest)
        perform(host.room.disconnected(old, why: Room.closedByPeer, now: now))
    }

    /// As a driver whose connections have nothing to say that it has not heard.
    private func makeRoom() {
        while let id = host.room.surplus() { perform(host.room.sendAway(id, now: now)) }
    }

    private func moveToHost(_ guest: VirtualGuest) -> Bool {
        guard let id = guest.wire, !guest.outgoing.isEmpty else { return false }
        let bytes = tamperWithGuests(guest.outgoing)
        guest.outgoing = []
        perform(bytes.withUnsafeBytes { host.room.received($0, from: id, now: now) })
        return true
    }

    /// Takes what there is of the log that a guest offers.
    func pull(_ guest: VirtualGuest) {
        while true {
            let bytes = guest.session.output(limit: pieceSize)
            if bytes.isEmpty { return }
            guest.outgoing += bytes
        }
    }

    /// Has a guest offer a log of its own.
    func offer(_ log: EventLog, through guest: VirtualGuest) {
        perform(guest.session.offer(log, now: now), for: guest)
        deliver()
    }

    /// Something was said in it.
    func changed(through guest: VirtualGuest) {
        perform(guest.session.offeredHasChanged(now: now), for: guest)
        deliver()
    }

    /// A guest is told what those have brought whom it serves itself.
    func heard(by guest: VirtualGuest) {
        guard guests.contains(where: { $0 === guest }) else { return }
        perform(guest.session.heardElsewhere(now: now), for: guest)
        deliver()
    }

    /// The operator lets writers in.
    func admit(_ admission: WriterAdmission) {
        perform(host.room.admit(admission, now: now))
        deliver()
    }

    /// The operator takes nothing more from a writer.
    func putOut(_ writer: Fingerprint) {
        perform(host.room.putOut(writer, now: now))
        deliver()
    }

    /// What a holder has of other logs is told its readers.
    func tellOfOthers() {
        perform(host.room.tellOfOthers(now: now))
        deliver()
    }

    /// Whoever serves says something that no host says.
    func say(_ frame: [UInt8], to guest: VirtualGuest) {
        perform(frame.withUnsafeBytes { guest.session.received($0, now: now) }, for: guest)
    }

    /// Moves one piece of the host's output.
    @discardableResult
    func moveToGuest(_ guest: VirtualGuest) -> Bool {
        guard let id = guest.wire, !guest.isFrozen else { return false }
        var bytes: [UInt8] = []
        guard let handle = handles[id] else { return false }
        let drained = host.room.drain(handle, now: now) { output in
            guard bytes.isEmpty else { return 0 }
            let largest = min(output.count, pieceSize)
            let count =
                pieceSize == .max ? largest : Int.random(in: 1...largest, using: &generator)
            bytes += output.prefix(count)
            return count
        }
        if !bytes.isEmpty {
            guest.received += bytes
            let passed = tamper(bytes)
            perform(passed.withUnsafeBytes { guest.session.received($0, now: now) }, for: guest)
        }
        // A channel has no end that only one side makes.
        if drained == .forGood, guest.transport == .network { closeByHost(guest, id) }
        return !bytes.isEmpty
    }

    private func closeByHost(_ guest: VirtualGuest, _ id: ConnectionID) {
        wires[id] = nil
        guest.wire = nil
        perform(host.room.disconnected(id, why: Room.closedByPeer, now: now))
        perform(
            guest.session.disconnected(ConnectionTrouble(.hostLost, "closed"), now: now), for: guest
        )
    }

    private func perform(_ actions: [Room.Action]) {
        for action in actions {
            switch action {
            case .report(let event): hostReports.append(event)
            case .voice(let message, let id): voices.append((message, id))
            case .send: continue
            case .close(let id):
                hostClosed.insert(id)
                guard let guest = wires.removeValue(forKey: id) else { continue }
                guest.wire = nil
                perform(
                    guest.session.disconnected(
                        ConnectionTrouble(.hostLost, "closed by host"), now: now), for: guest)
            }
        }
    }

    private func perform(_ actions: [GuestSession.Action], for guest: VirtualGuest) {
        for action in actions {
            switch action {
            case .connect: guest.isDialing = true
            case .goElsewhere: guest.isSentOn = true
            case .hear(let peers):
                (guest.peers, guest.heard) = (peers.addresses(toldFrom: nil), peers)
            case .proveCode, .judgeCode: continue
            case .voices(let offer): guest.offer = offer
            case .voice(let message): guest.voices.append(message)
            case .send(let bytes): guest.outgoing += bytes
            case .pull: pull(guest)
            case .report(.joined(let event)) where !guest.trusts(event):
                let refusal = SecurityRefusal.anotherHost(offered: event.key!)
                return perform(guest.session.distrusts(refusal), for: guest)
            case .report(let event): guest.events.append(event)
            case .finish(let outcome): guest.outcome = outcome
            case .disconnect:
                guest.isDialing = false
                guest.outgoing = []
                guard let id = guest.wire else { continue }
                guest.wire = nil
                wires[id] = nil
                perform(host.room.disconnected(id, why: Room.closedByPeer, now: now))
            }
        }
    }
}

/// A guest of a ``VirtualRoom``, and what it has told.
final class VirtualGuest {
    /// Where it comes from.
    var address = "192.0.2.1"
    let session: GuestSession
    var events: [GuestEvent] = []
    var outcome: GuestOutcome?
    var outgoing: [UInt8] = []
    /// Where else the event can be had, as it was told last.
    var peers: [String] = []
    /// Whether it is to go to those.
    var isSentOn = false
    /// What it was offered of voices, and told of them.
    var offer: VoiceOffer?
    var voices: [VoiceMessage] = []
    /// The same, as it came.
    var heard: Peers?
    /// All bytes that came, of all connections.
    var received: [UInt8] = []
    var transport = Transport.network
    var wire: ConnectionID?
    var isDialing = false
    /// Takes nothing from its socket.
    var isFrozen = false
    var canConnect = true

    /// Who it is to the host.
    let device: UUID

    /// The only writer whom it believes; nil for anybody.
    private let writer: Fingerprint?

    init(_ session: GuestSession, _ device: UUID, of writer: Fingerprint? = nil) {
        (self.session, self.device, self.writer) = (session, device, writer)
    }

    func trusts(_ event: JoinedEvent) -> Bool { writer == nil || event.key == writer }

    /// The finals, in the order in which they were told.
    var lines: [TranscriptLine] {
        events.compactMap { if case .line(let line) = $0 { line } else { nil } }
    }
    var texts: [String] { lines.map(\.text) }
    /// The text of the last partial told, nil if there was none.
    var lastPartial: String? {
        events.compactMap { if case .partial(let partial) = $0 { partial.text } else { nil } }.last
    }
    var joined: JoinedEvent? {
        events.compactMap { if case .joined(let event) = $0 { event } else { nil } }.last
    }
    var states: [GuestState] {
        events.compactMap { if case .state(let state) = $0 { state } else { nil } }
    }
    var alerts: [String] {
        events.compactMap { if case .alert(let kind, _) = $0 { kind } else { nil } }
    }
}
