import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS

@testable import Beamscribe

/// A program that seems to hold the event for its host, and lies: it passes on what the host, or somebody
/// who holds the event, says to each of its readers, all but the lie.
///
/// It has a key of its own, and signs nothing with that of the event's host.
final class LyingHolder {
    let name: String
    private let stage: Stage
    private let machine: Machine
    private let number: Int
    private var process: SimulatedProcess?
    private var listener: SimulatedListener?
    private var advertiser: (any ServiceAdvertiser)?
    private var links: [LyingLink] = []
    /// What it has heard on any connection, to be said again.
    let memory = LiarsMemory()
    private var world: World { stage.world }

    /// - Parameter number: the machine's, among those who serve the event.
    init(_ stage: Stage, number: Int) {
        self.stage = stage
        self.number = number
        name = "liar \(number)"
        machine = Machine(stage.world)
    }

    /// The event, whichever that is now.
    var session: String { stage.sessionID.wireName }

    var address: IPAddress { EventWires.address(ofHolder: number) }

    func begin() {
        guard process == nil else { return }
        let process = SimulatedProcess(name, on: machine, stage.wires, at: address)
        self.process = process
        let door = try! stage.wires.listen(at: Stage.port, for: process)
        listener = door
        try! door.watch { [weak self, unowned door] in
            self?.acceptAll(at: door, in: process)
        }
        announce(in: process)
    }

    /// It claims to hold the event, whichever that is now.
    private func announce(in process: SimulatedProcess) {
        var txt = TXTRecord()
        txt.set("v", "1")
        txt.set("node", name)
        txt.set("eid", stage.sessionID.wireName)
        txt.set("event", "Town Hall")
        txt.set("deviceName", name)
        txt.set("role", world.chance(percent: 50) ? "relay" : "peer")
        txt.set("sec", stage.scenario.hasCode ? "code" : "tls")
        let advertiser = SimulatedAdvertiser(
            Advertisement(
                name: name, type: DiscoveredHost.holderServiceType, port: Stage.port, txt: txt),
            process)
        self.advertiser = advertiser
        advertiser.start()
    }

    private func acceptAll(at door: SimulatedListener, in process: SimulatedProcess) {
        do {
            while let accepted = try door.accept() { serve(accepted.stream, in: process) }
        } catch {
            // No descriptor is left; whoever waits makes the door ready again and again.
            door.isResting = true
            machine.schedule(after: .seconds(1)) { [weak door] in door?.isResting = false }
        }
    }

    private func serve(_ stream: any ByteStream, in process: SimulatedProcess) {
        links.removeAll { !$0.isOpen }
        guard let connection = (stream as? SimulatedStream)?.connection else { return }
        let key = Identities.holderKeys.last!
        guard let tls = try? TLSConnection(TLSContext(host: key)),
            let source = stage.source(besides: process, world)
        else { return }
        let up = SimulatedStream(of: process, at: .guest)
        guard let asking = try? TLSConnection(TLSContext.guest()) else { return }
        stage.wires.dial(from: process, to: .network(source), for: up)
        let link = LyingLink(
            FrameSocket(stream, tls), FrameSocket(up, asking, to: .network(source)),
            lie(to: connection),
            isFirstMet: !(stage.guest(of: connection.guest)?.hasMetHost ?? false), on: connection,
            of: self, world)
        links.append(link)
        link.begin()
    }

    /// Who has met nobody else believes whom its user has named.
    private func lie(to connection: Connection) -> Lie {
        if stage.guest(of: connection.guest)?.isJoining ?? true { return .none }
        // Who has heard what the host has lost since says that: it was signed once.
        if stage.runs.contains(where: \.hasLost), world.chance(percent: 50) { return .splices }
        // What ends the reading costs most where it is believed.
        return world.pick(Lie.allCases + [.altersHeads, .altersHeads, .altersHeads]) ?? .none
    }

    /// It goes, with all its connections.
    func end() {
        process?.die()
        links.forEach { $0.close() }
        (process, listener, advertiser, links) = (nil, nil, nil, [])
    }
}

/// What a liar has heard of the event.
final class LiarsMemory {
    private(set) var heads: [[UInt8]] = []
    private(set) var partials: [[UInt8]] = []
    private(set) var lines: [(seq: Int, payload: [UInt8])] = []
    private static let most = 50

    func note(_ packet: Packet, _ payload: [UInt8]) {
        switch packet {
        case .head: Self.add(payload, to: &heads)
        case .liveChunk(let chunk) where chunk.isFinal:
            Self.add((chunk.seq ?? 0, payload), to: &lines)
        case .liveChunk(let chunk) where !chunk.text.isEmpty: Self.add(payload, to: &partials)
        default: break
        }
    }

    /// What it has heard of a host's newest lines as a guest.
    func note(linesOf log: EventLog) {
        let packets = PacketDecoder()
        log.forEachPayload(from: max(log.firstSeq, log.lastSeq - 5)) { _, payload in
            if let packet = try? packets.packet(payload) { note(packet, Array(payload)) }
        }
    }

    /// Other words with a line's number: those of a run that has lost them.
    func line(_ seq: Int, otherThan payload: [UInt8]) -> [UInt8]? {
        lines.first { $0.seq == seq && $0.payload != payload }?.payload
    }

    private static func add<Element>(_ element: Element, to list: inout [Element]) {
        if list.count == most { list.removeFirst() }
        list.append(element)
    }
}
