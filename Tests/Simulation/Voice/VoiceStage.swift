import BeamscribeCore
import BeamscribeVoice

/// The host of an event with voices, the people on its channels and the network between them.
final class VoiceStage {
    typealias Room = VoiceRoom<Int, Int>

    let world: World
    let scenario: VoiceScenario
    private(set) lazy var network = VoiceNetwork(self)
    private(set) lazy var judge = VoiceJudge(self)
    private(set) var talkers: [SimulatedTalker] = []
    private(set) var room: Room
    private var connections: [VoiceConnection] = []
    private var nextConnection = 0
    private var outbox = VoiceOutbox<Int>()
    /// Whether nobody comes back any more.
    private(set) var isOver = false
    /// Addresses from this one on are those of strangers.
    static let strangers = 900_000

    init(_ world: World, _ scenario: VoiceScenario) {
        (self.world, self.scenario) = (world, scenario)
        room = Self.makeRoom(world, scenario)
        talkers = scenario.parts.enumerated().map {
            SimulatedTalker(self, number: $0.offset + 1, $0.element)
        }
    }

    private static func makeRoom(_ world: World, _ scenario: VoiceScenario) -> Room {
        var configuration = Room.Configuration(
            channels: VoiceScenario.channels, maximumTalkers: scenario.maximumTalkers)
        configuration.captioned = scenario.captioned
        return Room(configuration, seed: world.seed)
    }

    /// Now, in samples of 48 kHz.
    var samples: Int { world.now * 48 / 1_000 }
    private var now: Duration { .microseconds(world.now) }

    func start() {
        talkers.forEach { $0.begin() }
        tickLater()
    }

    func end() {
        isOver = true
        for connection in connections { connection.cut(noticedWithin: 0) }
    }

    private func tickLater() {
        world.schedule(after: .milliseconds(100)) { [self] in
            perform(room.tick(now: now, &outbox))
            judge.lookAtRoom()
            tickLater()
        }
    }

    // MARK: Connections

    func connect(_ talker: SimulatedTalker) -> VoiceConnection {
        nextConnection += 1
        let connection = VoiceConnection(self, id: nextConnection, of: talker)
        connections.append(connection)
        let offer = VoiceOffer(
            port: 9, channels: VoiceScenario.channels.map(\.offered), ptime: [5, 10, 20])
        connection.deliver(.down) { talker.connected(to: offer, connection) }
        return connection
    }

    /// The host notices that a connection is gone.
    func hasGone(_ connection: VoiceConnection) {
        guard connections.contains(where: { $0 === connection }) else { return }
        connections.removeAll { $0 === connection }
        perform(room.leave(connection.id, now: now))
    }

    /// Everybody's connection is gone, and the host knows nothing of before.
    func restart() {
        world.note("host", "starts anew")
        let gone = connections
        connections = []
        room = Self.makeRoom(world, scenario)
        talkers.forEach { $0.putOutAt = nil }
        gone.forEach { $0.cut(noticedWithin: .seconds(3)) }
    }

    func hear(_ message: VoiceMessage, by connection: VoiceConnection) {
        guard connections.contains(where: { $0 === connection }) else { return }
        switch message {
        case .join(let join): perform(room.join(applicant(connection), join, now: now))
        case .talk(let talk): perform(room.talk(talk, by: connection.id, now: now))
        case .packet(let packet):
            perform(room.receive(packet, from: connection.id, now: now, &outbox))
        default: return
        }
    }

    private func applicant(_ connection: VoiceConnection) -> Room.Applicant {
        let (talker, key) = (connection.talker, connection.joins)
        connection.joins &+= 1
        var applicant = Room.Applicant(
            id: connection.id, name: talker.name, isCrew: talker.part.isCrew, key: key
        ) { SimulatedProtection(secret: connection.secret(key), side: .host) }
        applicant.device = talker.name
        applicant.origin = talker.name
        applicant.isHost = talker.part.isHost
        applicant.mayBeAt = { $0 / 1_000 == talker.number }
        return applicant
    }

    func receive(_ datagram: [UInt8], from address: Int) {
        var bytes = datagram
        perform(
            bytes.withUnsafeMutableBytes {
                room.receive($0, from: address, now: now, &outbox)
            })
    }

    private func perform(_ actions: [Room.Action]) {
        for datagram in outbox.datagrams {
            guard let talker = talkers.first(where: { $0.number == datagram.address / 1_000 })
            else {
                world.fail("host: it sends voices to a stranger")
                continue
            }
            judge.lookAtDatagram(to: talker)
            guard talker.address == datagram.address else { continue }
            network.send(Array(outbox.bytes[datagram.range]), to: talker)
        }
        outbox.clear()
        for action in actions {
            switch action {
            case .say(let message, let id):
                guard let connection = connections.first(where: { $0.id == id }) else { continue }
                judge.look(at: message, to: connection.talker)
                connection.send(.down, message)
            case .hear(let voice): judge.lookAtCaptioned(voice, connections)
            }
        }
    }

    // MARK: The operator

    func putOut(_ talker: SimulatedTalker) {
        guard !talker.part.isHost, talker.session.isHere, talker.putOutAt == nil else { return }
        // The host may not have noticed that it is gone.
        guard room.participants.contains(where: { $0.device == talker.name }) else { return }
        world.note(talker.name, "is put out")
        talker.putOutAt = samples
        perform(room.putOut(device: talker.name, now: now))
    }

    /// Lets somebody in again, who then comes anew.
    func letIn(_ talker: SimulatedTalker) {
        guard talker.putOutAt != nil else { return }
        world.note(talker.name, "is let in again")
        talker.putOutAt = nil
        room.letIn(device: talker.name)
        talker.connection?.cut(noticedWithin: .milliseconds(500))
    }
}
