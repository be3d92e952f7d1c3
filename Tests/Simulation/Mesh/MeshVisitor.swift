import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

@testable import Beamscribe
@testable import BeamscribeCore

/// A program that comes to a node of a mesh, or has nodes come to it, and is none of the event.
///
/// It judges all that it is told. Without the event's code it hears a node's greeting and guess,
/// and nothing else. In an event without a code it reads all that it is offered, and nothing that
/// was said to some alone may be among it.
final class MeshVisitor {
    private let stage: MeshStage
    private let process: SimulatedProcess
    /// Its id, or that of the node that it claims to be.
    private var node: String
    private var sockets: [FrameSocket] = []
    private var listener: SimulatedListener?
    private var advertiser: (any ServiceAdvertiser)?
    private let packets = PacketDecoder()
    private var world: World { stage.world }

    /// - Parameter number: its own among those who come.
    init(_ stage: MeshStage, number: Int) {
        self.stage = stage
        // The run's own chance stays as it is without visitors.
        var generator = SeededGenerator(seed: UInt64(clamping: number))
        node = withUnsafeBytes(of: (generator.next(), generator.next())) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self)).wireName
        }
        process = SimulatedProcess(
            "visitor", on: Machine(stage.world), stage.wires,
            at: MeshWires.address(ofNode: 200 + number))
    }

    /// Goes, with all its connections.
    func leave() {
        process.die()
        sockets.forEach { $0.close() }
        (sockets, listener, advertiser) = ([], nil, nil)
    }

    // MARK: It comes to a node

    /// Asks a node for a link, or for what a reader gets.
    ///
    /// - Parameter claimed: another node, by whose id it calls itself; nil for nobody's.
    func visit(_ other: SimulatedNode, asNode: Bool, claiming claimed: SimulatedNode? = nil) {
        guard let tls = try? TLSConnection(TLSContext.guest()) else { return }
        world.note(process.name, asNode ? "asks for a link" : "asks to read")
        if let id = claimed?.id {
            world.note(process.name, "calls itself node", claimed?.number ?? 0)
            node = id
        }
        let door = Destination.network(Endpoint(other.address, port: Stage.port))
        let stream = SimulatedStream(of: process, at: .guest)
        let socket = FrameSocket(stream, tls, to: door)
        sockets.append(socket)
        socket.opened = { [weak self, unowned socket] in
            self?.greet(other, over: socket, asNode: asNode)
        }
        socket.heard = { [weak self, unowned socket] in self?.hear($0, from: other, over: socket) }
        stage.wires.dial(from: process, to: door, for: stream)
        socket.begin()
    }

    private func greet(_ other: SimulatedNode, over socket: FrameSocket, asNode: Bool) {
        var hello = Handshake(deviceId: node, displayName: process.name)
        hello.logs = Handshake.currentLogs
        if asNode, let event = other.event, let key = WriterKey(Identities.holderKeys[0]),
            let proof = socket.exportedKey.flatMap({ LinkProof(by: key, as: .dialler, over: $0) })
        {
            (hello.node, hello.event) = (node, event.wireName)
            (hello.key, hello.proof) = (proof.key, proof.proof)
        }
        say(.handshake(hello), over: socket)
    }

    private func say(_ packet: Packet, over socket: FrameSocket) {
        if let payload = LyingLink.payload(packet) { socket.say(payload) }
    }

    private func hear(_ payload: [UInt8], from other: SimulatedNode, over socket: FrameSocket) {
        guard let packet = payload.withUnsafeBytes({ try? packets.packet($0) }) else {
            return world.fail("\(other.name): it tells a visitor what is no packet")
        }
        if stage.scenario.hasCode, !Self.isForEverybody(packet) {
            world.fail(
                "\(other.name): it says \(packet.typeName) to somebody who has not proved the code")
        }
        if String(decoding: payload, as: UTF8.self).contains("secret ") {
            world.fail("\(other.name): it tells a visitor what was said to others")
        }
        switch packet {
        case .log(let record):
            say(.read(ReadRequest(record.session, after: 0, run: 1)), over: socket)
        case .keepAlive: say(.keepAlive(KeepAlive(timestamp: 0)), over: socket)
        default: break
        }
    }

    private static func isForEverybody(_ packet: Packet) -> Bool {
        switch packet {
        case .codeChallenge: true
        case .handshakeResponse(let response):
            response.status == .rejected && response.session == nil && response.peers == nil
        default: false
        }
    }

    // MARK: Nodes come to it

    /// Seems to be a node of an event with a code, which it does not know.
    func pretend(to event: UUID) {
        guard let door = try? stage.wires.listen(at: Stage.port, for: process) else { return }
        world.note(process.name, "seems to be a node")
        listener = door
        try? door.watch { [weak self, unowned door] in
            self?.acceptAll(at: door)
        }
        let advertiser = process.discovery.advertiser(
            of: Advertisement(
                node: node, of: event.wireName, "Town Hall", on: process.name, as: "peer",
                HostSecurity(Identities.holderKeys[0], code: Identities.code),
                writing: Stage.makeID(world).wireName, port: Stage.port, interfaces: nil))
        self.advertiser = advertiser
        advertiser.start()
    }

    private func acceptAll(at door: SimulatedListener) {
        do {
            while let accepted = try door.accept() { serve(accepted.stream) }
        } catch {
            // No descriptor is left; whoever waits makes the door ready again and again.
            door.isResting = true
            process.machine.schedule(after: .seconds(1)) { [weak door] in door?.isResting = false }
        }
    }

    private func serve(_ stream: any ByteStream) {
        guard let tls = try? TLSConnection(TLSContext(host: Identities.holderKeys[0])) else {
            return
        }
        let socket = FrameSocket(stream, tls)
        sockets.append(socket)
        let asksForCode = world.chance(percent: 70)
        var examiner: CodeExaminer?
        socket.heard = { [weak self, unowned socket] payload in
            guard let self else { return }
            judge(payload)
            guard asksForCode else { return welcome(over: socket) }
            if examiner == nil, let record = try? CodeSecret.otherSample.record(),
                let key = socket.exportedCodeKey
            {
                examiner = CodeExaminer(record, exporter: key, over: .network)
            }
            let frame = FrameEncoder.frame(payload)
            for event in frame.withUnsafeBytes({ examiner?.receive($0) }) ?? [] {
                examine(event, by: &examiner, over: socket)
            }
        }
        socket.begin()
    }

    /// Judges a node's words before anybody has proved the code to it.
    private func judge(_ payload: [UInt8]) {
        let packet = payload.withUnsafeBytes { try? packets.packet($0) }
        switch packet {
        case .handshake, .codeShare: break
        default:
            world.fail(
                "a node says \(packet?.typeName ?? "nothing") to who has not proved the code")
        }
    }

    private func examine(
        _ event: CodeExaminer.Event, by examiner: inout CodeExaminer?, over socket: FrameSocket
    ) {
        switch event {
        case .say(let bytes): socket.say(raw: bytes)
        case .guesses:
            if case .say(let bytes)? = try? examiner?.answer() { socket.say(raw: bytes) }
        case .admitted, .wrongCode:
            world.fail("a node takes somebody for one who knows the code")
        case .refused, .broken: break
        }
    }

    /// It lets the node in without a word of a code.
    private func welcome(over socket: FrameSocket) {
        var response = HandshakeResponse(status: .accepted)
        response.session = stage.nodes.lazy.compactMap(\.event).first?.wireName
        response.protocol = Handshake.currentProtocol
        (response.eventName, response.deviceName) = ("Town Hall", process.name)
        (response.firstSeq, response.lastSeq) = (1, 0)
        (response.logs, response.node) = (Handshake.currentLogs, node)
        if let key = WriterKey(Identities.holderKeys[0]),
            let proof = socket.exportedKey.flatMap({ LinkProof(by: key, as: .dialled, over: $0) })
        {
            (response.key, response.proof) = (proof.key, proof.proof)
        }
        say(.handshakeResponse(response), over: socket)
    }
}
