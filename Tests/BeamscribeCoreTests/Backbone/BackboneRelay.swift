import FoundationEssentials

@testable import BeamscribeCore

/// A relay that reads it there, as a guest does.
final class BackboneRelay {
    private unowned let world: BackboneWorld
    private let crypto = ToyCrypto("relay")
    private let reader: BackboneReader
    let replica = Replica()
    private let session: GuestSession
    /// The logs of others, as it passes them on.
    let others: Shelf
    private var desk: BackboneDesk?
    /// A host on its own network, from which it reads while there is one.
    private var neighbour: BackboneHost?
    private var meeting: Meeting?
    private var client: ModelServer.Client!
    private var isUp = true
    /// What its reader was shown.
    private(set) var shown: [Int: String] = [:]
    /// The same of other logs, by their sessions.
    private(set) var shownOfOthers: [String: [Int: String]] = [:]
    private(set) var faults: [String] = []
    private(set) var partials: [String] = []
    private(set) var outcome: GuestOutcome?

    init(of event: UUID, in world: BackboneWorld) {
        self.world = world
        reader = BackboneReader(of: event, isOpen: false, proving: crypto)
        others = Shelf(proving: crypto, isKept: true)
        session = GuestSession(
            GuestSession.Configuration(displayName: "relay"), keeping: replica, others: others,
            proving: crypto, seed: 7, now: world.now)
        client = ModelServer.Client("relay \(world.relays.count)") { [unowned self] event in
            perform(reader.take(event, now: world.now.uptime))
            if event == .connected {
                perform(session.prospectsChanged(now: world.now))
            }
            serve()
        }
        client.isReader = true
        world.server.connect(client)
        tick()
    }

    private func tick() {
        perform(session.tick(world.now))
        perform(reader.tick(now: world.now.uptime))
        serve()
        world.at(0.1) { [self] in tick() }
    }

    private func perform(_ requests: [BackboneRequest]) {
        for request in requests { world.server.ask(request, by: client) }
    }

    private func serve() {
        carry()
        guard let desk else { return }
        perform(desk.tick(now: world.now))
        while self.desk === desk {
            let bytes = desk.take(1_000)
            if bytes.isEmpty { break }
            perform(bytes.withUnsafeBytes { session.received($0, now: world.now) })
        }
        if self.desk === desk, desk.isClosed {
            hangUp()
            perform(session.disconnected(.closedByHost, now: world.now))
        }
    }

    private func hangUp() {
        if let desk { perform(desk.close()) }
        desk = nil
        meeting = nil
    }

    /// It reads from a host that it has met, or from the server again.
    func meet(_ host: BackboneHost?) {
        guard neighbour !== host else { return }
        neighbour = host
        lose()
    }

    private func lose() {
        guard desk != nil || meeting != nil else { return }
        hangUp()
        perform(session.disconnected(.closedByHost, now: world.now))
    }

    /// Carries what its host has said since.
    private func carry() {
        guard let meeting else { return }
        guard meeting.isStanding else { return lose() }
        while self.meeting === meeting {
            let bytes = meeting.take(now: world.now)
            if bytes.isEmpty { break }
            perform(bytes.withUnsafeBytes { session.received($0, now: world.now) })
        }
    }

    private func perform(_ actions: [GuestSession.Action]) {
        for action in actions {
            switch action {
            case .connect:
                world.at(0.001) { [self] in
                    if let neighbour, neighbour.isUp { return meet(at: neighbour) }
                    desk = BackboneDesk(
                        reading: reader, called: "server", Timing(), now: world.now)
                    perform(
                        session.connected(
                            over: .backbone, security: ToyCrypto("server").security, to: .holder,
                            as: UUID(), now: world.now))
                    serve()
                }
            case .send(let bytes):
                if let desk {
                    perform(bytes.withUnsafeBytes { desk.received($0, now: world.now) })
                }
                meeting?.hear(bytes, now: world.now)
            case .disconnect: hangUp()
            case .report(let event): note(event)
            case .finish(let outcome): self.outcome = outcome
            default: break
            }
        }
    }

    private func meet(at host: BackboneHost) {
        meeting = Meeting(host, now: world.now)
        perform(
            session.connected(
                over: .network, security: host.crypto.security, to: .host, as: UUID(),
                now: world.now))
        serve()
    }

    private func note(_ event: GuestEvent) {
        switch event {
        case .partial(let partial): partials.append(partial.text)
        case .inLog(let log, let event):
            note(event, in: &shownOfOthers[log.session, default: [:]])
        default: note(event, in: &shown)
        }
    }

    private func note(_ event: GuestEvent, in shown: inout [Int: String]) {
        switch event {
        case .line(let line):
            if shown[line.seq] != nil { faults.append("line \(line.seq) came twice") }
            if line.seq > 1, shown[line.seq - 1] == nil {
                faults.append("line \(line.seq) came before the one before it")
            }
            shown[line.seq] = line.text
        case .withdrawn(let from, let through):
            for seq in from...through { shown[seq] = nil }
        case .gap(let from, _): faults.append("a gap at \(from)")
        default: break
        }
    }
}

/// A relay at a host itself, alone in its room.
private final class Meeting {
    private static let id: ConnectionID = 1
    private let host: BackboneHost
    private let log: EventLog
    private let room: Room
    private let handle: Room.Handle
    private var isClosed = false

    init(_ host: BackboneHost, now: Moment) {
        (self.host, log) = (host, host.log)
        room = Room(
            Room.Configuration(
                eventName: "Town Hall", deviceName: "stage", deviceID: host.session,
                maximumGuests: 1),
            serving: log, seed: 1)
        handle = room.connected(Self.id, from: "192.0.2.1", now: now)
    }

    /// Whether the host is the one that was met.
    var isStanding: Bool { !isClosed && host.isUp && host.log === log }

    func hear(_ bytes: [UInt8], now: Moment) {
        note(bytes.withUnsafeBytes { room.received($0, from: Self.id, now: now) })
    }

    func take(now: Moment) -> [UInt8] {
        var bytes: [UInt8] = []
        note(room.tick(now))
        _ = room.drain(handle, now: now) { output in
            bytes += output
            return output.count
        }
        return bytes
    }

    private func note(_ actions: [Room.Action]) {
        if actions.contains(.close(Self.id)) { isClosed = true }
    }
}
