import FoundationEssentials

@testable import BeamscribeCore

/// Nodes of a mesh on a network of arrays with a clock that jumps from event to event: connections carry bytes in
/// order with a delay, are cut, and cannot be made between some; nodes crash, and come back with what they had
/// said themselves.
final class MeshWorld {
    private(set) var now = VirtualRoom.beginning
    private(set) var nodes: [MeshWorldNode] = []
    var generator: SeededGenerator
    /// Between whom no connection can be made, as by a firewall: who dials, and whom.
    var walls: Set<[Int]> = []
    /// What becomes of what a node sends; nothing else is done to it.
    var tamper: (MeshWorldNode, [UInt8]) -> [UInt8] = { $1 }
    /// Decides who knows whose address from the beginning. Where not everybody knows everybody,
    /// nodes also say where they listen.
    var knows: ((Int, Int) -> Bool)?
    /// How long bytes are under way, in seconds.
    var delay = 0.001...0.03
    private var queue: [(at: Duration, order: Int, body: () -> Void)] = []
    private var order = 0
    private var connections: [Connection] = []

    final class Connection {
        let dialler: MeshWorldNode
        let link: Int
        let acceptor: MeshWorldNode
        let id: ConnectionID
        /// What only the two ends have.
        let exporter = (0..<32).map { _ in UInt8.random(in: 0...255) }
        var isOpen = true
        var arrivals: [Duration] = [.zero, .zero]

        init(_ dialler: MeshWorldNode, _ link: Int, _ acceptor: MeshWorldNode, _ id: Int) {
            (self.dialler, self.link, self.acceptor, self.id) = (dialler, link, acceptor, id)
        }
    }

    /// - Parameter founders: for each node which of them has founded the event that it takes part in; nil for
    ///   the first of all.
    init(nodes count: Int, seed: UInt64, foundedBy founders: ((Int) -> Int)? = nil) {
        generator = SeededGenerator(seed: seed)
        for index in 0..<count {
            let event = MeshWorldNode.name(of: founders?(index) ?? 0)
            nodes.append(MeshWorldNode(index, of: event, in: self))
        }
    }

    static let created = 1_800_000_000.0

    // MARK: Time

    func at(_ pause: Duration, _ body: @escaping () -> Void) {
        order += 1
        let due = now.uptime + pause
        let index = queue.partitioningIndex { ($0.at, $0.order) > (due, order) }
        queue.insert((due, order, body), at: index)
    }

    func run(seconds: Double) { run(until: now.uptime + .seconds(saturating: seconds)) }

    func run(until end: Duration, while isWanted: () -> Bool = { true }) {
        while let first = queue.first, first.at <= end, isWanted() {
            queue.removeFirst()
            now = now.advanced(by: max(first.at - now.uptime, .zero))
            first.body()
        }
        if isWanted() { now = now.advanced(by: max(end - now.uptime, .zero)) }
    }

    func random(_ range: ClosedRange<Double>) -> Double {
        .random(in: range, using: &generator)
    }

    // MARK: The network

    func dial(_ dialler: MeshWorldNode, _ link: Int, _ addresses: [String]) {
        let life = dialler.life
        at(.seconds(saturating: random(delay))) { [self] in
            guard dialler.life == life, dialler.isUp else { return }
            let acceptor = addresses.lazy.compactMap(Self.index).map { self.nodes[$0] }.first
            guard let acceptor, acceptor.isUp, !walls.contains([dialler.index, acceptor.index])
            else {
                return at(.seconds(1)) {
                    if dialler.life == life { dialler.disconnected(link, "no way") }
                }
            }
            let connection = Connection(dialler, link, acceptor, acceptor.nextConnection())
            connections.append(connection)
            acceptor.accepted(connection)
            dialler.connected(connection)
        }
    }

    /// The node that listens at an address: `3:1`, or `192.0.2.3:1` as the others see it.
    private static func index(_ address: String) -> Int? {
        Int(bounded: address.dropLast(2).split(separator: ".").last ?? "")
    }

    /// Carries bytes from one end to the other; nil for its end.
    func carry(_ bytes: [UInt8]?, over connection: Connection, from sender: MeshWorldNode) {
        guard connection.isOpen else { return }
        let bytes = bytes.map { tamper(sender, $0) }
        let isBack = sender === connection.acceptor
        let arrival = max(
            now.uptime + .seconds(saturating: random(delay)), connection.arrivals[isBack ? 1 : 0])
        connection.arrivals[isBack ? 1 : 0] = arrival
        at(arrival - now.uptime) { [self] in
            guard connection.isOpen else { return }
            if let bytes {
                isBack
                    ? connection.dialler.received(bytes, by: connection)
                    : connection.acceptor.accept(bytes, by: connection)
            } else {
                close(connection)
            }
        }
    }

    /// The connection is gone, at both ends.
    func close(_ connection: Connection) {
        guard connection.isOpen else { return }
        connection.isOpen = false
        connections.removeAll { $0 === connection }
        connection.dialler.ended(connection)
        connection.acceptor.ended(connection)
    }

    func wall(between first: Int, and second: Int) {
        walls.formUnion([[first, second], [second, first]])
        cut { Set([$0.dialler.index, $0.acceptor.index]) == [first, second] }
    }

    func open(between first: Int, and second: Int) {
        walls.subtract([[first, second], [second, first]])
    }

    func cut(where isCut: (Connection) -> Bool) { connections.filter(isCut).forEach(close) }

    // MARK: What there is to see

    /// Whether each node has each line of each.
    var isWhole: Bool { nodes.allSatisfy { $0.isUp && $0.lacking.isEmpty } }

    /// The pairs of nodes with more than one connection, or with one where there is to be none.
    var linkCounts: [[Int]: Int] {
        connections.reduce(into: [:]) {
            $0[[$1.dialler.index, $1.acceptor.index].sorted(), default: 0] += 1
        }
    }
}

/// One of them.
final class MeshWorldNode {
    let index: Int
    private(set) var event: UUID
    let crypto: ToyCrypto
    let id: String
    unowned let world: MeshWorld
    private(set) var isUp = false
    /// How many times it has begun: what was meant for an earlier one is lost.
    private(set) var life = 0
    private(set) var shelf: Shelf!
    private(set) var session: MeshSession!
    private(set) var room: Room!
    private(set) var log: EventLog!
    private var publisher: Publisher!
    private var disk = Transcript()
    private var runs = SessionRuns()
    private var byLink: [Int: MeshWorld.Connection] = [:]
    private var byID: [ConnectionID: MeshWorld.Connection] = [:]
    private var handles: [ConnectionID: Room.Handle] = [:]
    private var lastConnection = 0
    /// What its reader was shown, in this life: the lines of each log.
    private(set) var shown: [String: [Int]] = [:]
    private(set) var faults: [String] = []
    private(set) var states: [String: [MeshPeer.State]] = [:]
    private(set) var ends: [String] = []
    private var privateLogs: [EventLog] = []
    /// What was said to this node and a few others alone.
    private(set) var heardAlone: [String] = []
    /// Finals that came in, by log, and those of them that were here already.
    private(set) var carried = 0
    private(set) var wasted = 0
    private var isTicking = false

    init(_ index: Int, of event: UUID, in world: MeshWorld) {
        (self.index, self.event, self.world) = (index, event, world)
        crypto = ToyCrypto("node \(index)")
        id =
            UUID(
                uuid: (
                    0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, UInt8(clamping: index + 1)
                )
            ).wireName
    }

    private static let timing = Timing()

    /// The log's id.
    var name: UUID { Self.name(of: index) }

    static func name(of index: Int) -> UUID {
        let crypto = ToyCrypto("node \(index)")
        return BoundSession.id(of: crypto.publicKey, begunAt: MeshWorld.created, by: crypto)!
    }

    private func writer(number: Int) -> LogWriter? {
        LogWriter(
            of: name, run: runs.current, as: record(number: number), by: crypto, hashing: crypto)
    }

    private func record(number: Int) -> LogRecord {
        var record = LogRecord(
            founding: name.wireName, as: "Node \(index)", eventName: "Town Hall",
            deviceName: "machine \(index)", created: MeshWorld.created, number: number,
            isOpen: event == name)
        record.event = event.wireName
        return record
    }

    private func goOver(to event: UUID) {
        self.event = event
        log.reintroduce(by: writer(number: log.recordNumber + 1)!)
        perform(session.move(to: event, now: world.now))
        let main = event == name ? log! : EventLog(session: event, now: world.now)
        performRoom(room.move(to: main, now: world.now))
    }

    /// The frame of a record by which not everybody may write in the event: a founder's lie.
    func closedRecord() throws -> [UInt8] {
        var record = record(number: log.recordNumber + 1)
        (record.open, record.key) = (nil, Data(crypto.publicKey))
        return crypto.signedFrame(try FrameEncoder().frame(.log(record)), LogStatement.record)
    }

    // MARK: Its life

    func start() {
        (isUp, life) = (true, life + 1)
        (byLink, byID, handles, shown) = ([:], [:], [:], [:])
        let order = EventOrder()
        shelf = Shelf(joining: event, proving: crypto, order: order)
        let transcript = Transcript(hashing: LineChain(of: name, by: crypto))
        log?.forEachPayload { transcript.restore(payload: $1, seq: $0) }
        if life > 1 { runs.begin(after: transcript.lastSeq) }
        let number = max(runs.current, (log?.recordNumber ?? 0) + 1)
        log = EventLog(
            session: name, runs: runs, transcript: transcript, in: order,
            signedBy: writer(number: number), now: world.now)
        shelf.write(log)
        publisher = Publisher(into: log)
        var configuration = MeshSession.Configuration(deviceName: "machine \(index)", event: event)
        configuration.eventName = "Town Hall"
        session = MeshSession(
            configuration, of: id, with: shelf, proving: crypto, signing: crypto,
            seed: UInt64(clamping: index * 1_000 + life))
        room = Room(
            Room.Configuration(
                eventName: "Town Hall", deviceName: "machine \(index)", deviceID: UUID()),
            serving: event == name ? log : EventLog(session: event, now: world.now), others: shelf,
            linking: session.links, seed: UInt64(clamping: index))
        if world.knows != nil {
            let own = Peers.Peer(node: id, addresses: ["192.0.2.\(index):1"], role: "peer")
            perform(session.serves(own, now: world.now))
        }
        for other in world.nodes
        where other !== self && world.knows?(index, other.index) ?? true {
            perform(session.heard(of: other.id, at: ["\(other.index):1"], now: world.now))
        }
        tick(life)
    }

    func crash() {
        isUp = false
        life += 1
        world.cut { $0.dialler === self || $0.acceptor === self }
    }

    private func tick(_ begun: Int) {
        guard isUp, life == begun else { return }
        if room.hasConnections { performRoom(room.tick(world.now)) }
        perform(session.tick(world.now))
        settle()
        world.at(.milliseconds(500)) { [self] in tick(begun) }
    }

    /// Says a line to these alone.
    func say(_ text: String, to others: [MeshWorldNode]) {
        let keys = others.map { ToyVerifier(crypto: $0.crypto).writer.hex }
        let created = MeshWorld.created + Double(privateLogs.count + 1)
        let name = BoundSession.id(of: crypto.publicKey, begunAt: created, by: crypto)!
        var record = LogRecord(
            name.wireName, of: event.wireName, as: "Node \(index) to some", lang: nil,
            eventName: "Town Hall", deviceName: "machine \(index)", created: created, number: 1)
        record.to = keys
        let log = EventLog(
            session: name, transcript: Transcript(hashing: LineChain(of: name, by: crypto)),
            in: shelf.order,
            signedBy: LogWriter(of: name, run: 1, as: record, by: crypto, hashing: crypto),
            now: world.now)
        privateLogs.append(log)
        shelf.write(log)
        Publisher(into: log).publish(final: Caption(text: text), now: world.now)
        log.seal()
        settle()
    }

    func say(_ count: Int = 1) {
        for _ in 0..<count {
            publisher.publish(
                final: Caption(text: "\(index) says \(log.lastSeq + 1)"), now: world.now)
        }
        log.seal()
        log.inputArrived(now: world.now)
        settle()
    }

    // MARK: As its driver

    func nextConnection() -> ConnectionID {
        lastConnection += 1
        return lastConnection
    }

    func accepted(_ connection: MeshWorld.Connection) {
        byID[connection.id] = connection
        handles[connection.id] = room.connected(
            connection.id, from: "192.0.2.\(connection.dialler.index):40000",
            source: "192.0.2.\(connection.dialler.index)", exporter: { connection.exporter },
            now: world.now)
    }

    func connected(_ connection: MeshWorld.Connection) {
        byLink[connection.link] = connection
        perform(
            session.connected(
                connection.link, as: UUID(), over: connection.exporter, now: world.now))
    }

    func disconnected(_ link: Int, _ why: String) {
        guard isUp else { return }
        perform(session.disconnected(link, why: why, now: world.now))
        settle()
    }

    func ended(_ connection: MeshWorld.Connection) {
        guard isUp else { return }
        if byLink[connection.link] === connection {
            byLink[connection.link] = nil
            perform(session.disconnected(connection.link, why: "gone", now: world.now))
        }
        if byID[connection.id] === connection {
            byID[connection.id] = nil
            handles[connection.id] = nil
            performRoom(room.disconnected(connection.id, why: "gone", now: world.now))
        }
        settle()
    }

    func received(_ bytes: [UInt8], by connection: MeshWorld.Connection) {
        guard isUp, byLink[connection.link] === connection else { return }
        count(bytes, by: ObjectIdentifier(connection))
        perform(
            bytes.withUnsafeBytes {
                session.received($0, by: connection.link, now: world.now)
            })
        settle()
    }

    func accept(_ bytes: [UInt8], by connection: MeshWorld.Connection) {
        guard isUp, byID[connection.id] === connection else { return }
        count(bytes, by: ObjectIdentifier(connection))
        performRoom(
            bytes.withUnsafeBytes { room.received($0, from: connection.id, now: world.now) })
        settle()
    }

    /// Of which log the captions are that a connection brings.
    private var current: [ObjectIdentifier: String] = [:]

    /// Finals that come in.
    private func count(_ bytes: [UInt8], by connection: ObjectIdentifier) {
        bytes.withUnsafeBytes { bytes in
            var walk = FrameWalk(bytes)
            while let payload = walk.next() {
                switch try? PacketDecoder().packet(payload) {
                case .inLog(let mention): current[connection] = mention.session
                case .log(let record):
                    guard let to = record.to else { continue }
                    if !to.contains(ToyVerifier(crypto: crypto).writer.hex) {
                        faults.append("was told of \(record.label)")
                    }
                case .liveChunk(let chunk) where chunk.isFinal:
                    carried += 1
                    let here = current[connection].flatMap { shown[$0]?.last } ?? 0
                    if chunk.seq ?? 0 <= here { wasted += 1 }
                default: break
                }
            }
        }
    }

    /// What has come, or was said, is given out.
    private func settle() {
        perform(session.changed(now: world.now))
        performRoom(room.tellOfOthers(now: world.now))
        for (link, connection) in byLink.sorted(by: { $0.key < $1.key }) { pull(link, connection) }
        for id in handles.keys.sorted() { drain(id) }
    }

    private func pull(_ link: Int, _ connection: MeshWorld.Connection) {
        while true {
            let bytes = session.output(link, limit: 65_536)
            if bytes.isEmpty { return }
            world.carry(bytes, over: connection, from: self)
        }
    }

    private func drain(_ id: ConnectionID) {
        guard let handle = handles[id], let connection = byID[id] else { return }
        var out: [UInt8] = []
        let drained = room.drain(handle, now: world.now) { bytes throws(Never) in
            out += bytes
            return bytes.count
        }
        if !out.isEmpty { world.carry(out, over: connection, from: self) }
        if drained == .forGood { world.carry(nil, over: connection, from: self) }
    }

    private func perform(_ actions: [MeshSession.Action]) {
        for action in actions {
            switch action {
            case .dial(let link, let addresses): world.dial(self, link, addresses)
            case .send(let link, let bytes):
                byLink[link].map { world.carry(bytes, over: $0, from: self) }
            case .pull(let link): byLink[link].map { pull(link, $0) }
            case .hangUp(let link):
                if let connection = byLink.removeValue(forKey: link) {
                    world.carry(nil, over: connection, from: self)
                }
            case .report(let event): show(event)
            case .peer(let peer): states[peer.node, default: []].append(peer.state)
            case .ended(_, let why): ends.append(why)
            case .met: break
            case .goOver(let event):
                let begun = life
                world.at(.zero) { [self] in if life == begun { goOver(to: event) } }
            case .foundAnew:
                let begun = life
                world.at(.zero) { [self] in if life == begun { goOver(to: name) } }
            case .proveCode, .judgeCode: faults.append("\(action)")
            }
        }
    }

    private func performRoom(_ actions: [Room.Action]) {
        for action in actions {
            switch action {
            case .send(let id): drain(id)
            case .close(let id):
                handles[id] = nil
                if let connection = byID.removeValue(forKey: id) {
                    world.carry(nil, over: connection, from: self)
                }
            case .report: continue
            case .voice: faults.append("\(action)")
            }
        }
    }

    private func show(_ event: GuestEvent) {
        guard case .inLog(let title, .line(let line)) = event else {
            if case .inLog(_, .gap) = event { faults.append("\(event)") }
            if case .inLog(_, .withdrawn) = event { faults.append("\(event)") }
            if case .log(_, .forked) = event { faults.append("\(event)") }
            return
        }
        if title.label.hasSuffix(" to some") { return heardAlone.append(line.text) }
        if !line.text.hasSuffix(" says \(line.seq)") { faults.append("showed \(line.text)") }
        let before = shown[title.session, default: []].last ?? 0
        if line.seq != before + 1 { faults.append("\(title.label): \(line.seq) after \(before)") }
        shown[title.session, default: []].append(line.seq)
    }

    // MARK: What there is to see

    /// The nodes of whose lines some are not here.
    var lacking: [Int] {
        world.nodes.filter { other in
            other !== self
                && other.log.map { $0.lastSeq != (shown[other.name.wireName]?.last ?? 0) }
                    ?? false
        }.map(\.index)
    }

    /// Sends raw bytes to its room as a stranger would, over a connection of their own.
    ///
    /// - Returns: whether the stranger is still there.
    func hear(_ bytes: [UInt8], from stranger: ConnectionID) -> Bool {
        if handles[stranger] == nil {
            handles[stranger] = room.connected(stranger, from: "198.51.100.1:1", now: world.now)
        }
        performRoom(bytes.withUnsafeBytes { room.received($0, from: stranger, now: world.now) })
        settle()
        return handles[stranger] != nil
    }

    func state(of other: MeshWorldNode) -> MeshPeer.State? {
        session.links.peers.first { $0.node == other.id }?.state
    }
}

extension Array {
    /// The first index from which on all are so.
    fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}

extension MeshWorld {
    /// What became of a world in which everybody speaks while links are cut and crashes happen, after all was put
    /// right again.
    struct Outcome {
        /// How long it took until each node had each line, in seconds; nil where it did not come to that.
        var healed: Double?
        var faults: [String] = []
        /// Finals that came in, and how many were lacking in all.
        var carried = 0
        /// Those of them that were there already.
        var wasted = 0
    }

    /// Lives through two minutes of trouble, and then waits for all to be whole.
    static func live(nodes count: Int, seed: UInt64, seconds: Double = 120) -> Outcome {
        let world = MeshWorld(nodes: count, seed: seed)
        var random = SeededGenerator(seed: seed &+ 99)
        var pairs = (0..<count).flatMap { first in (0..<first).map { [$0, first] } }
        if seed % 3 != 0 {
            // A ring and some more: between the others there is a wall for good.
            let ring = { (pair: [Int]) in pair[1] - pair[0] == 1 || pair[1] - pair[0] == count - 1 }
            for pair in pairs where !ring(pair) {
                if Double.random(in: 0...1, using: &random) < 0.15 { continue }
                world.wall(between: pair[0], and: pair[1])
                pairs.removeAll { $0 == pair }
            }
        }
        world.nodes.forEach { $0.start() }
        let end = world.now.uptime + .seconds(saturating: seconds)
        while world.now.uptime < end {
            world.run(seconds: Double.random(in: 0...0.25, using: &random))
            let (kind, pair) = (
                Double.random(in: 0...1, using: &random), pairs.randomElement(using: &random)!
            )
            switch kind {
            case ..<0.7:
                let node = world.nodes.randomElement(using: &random)!
                if node.isUp { node.say([1, 1, 1, 5].randomElement(using: &random)!) }
            case ..<0.8: world.wall(between: pair[0], and: pair[1])
            case ..<0.9: world.open(between: pair[0], and: pair[1])
            case ..<0.91:
                let node = world.nodes.randomElement(using: &random)!
                let isBack = !node.isUp || Bool.random(using: &random)
                node.crash()
                if isBack { node.start() }
            case ..<0.915:
                let side = Set((0..<count).filter { _ in Bool.random(using: &random) })
                for pair in pairs where side.intersection(pair).count == 1 {
                    world.wall(between: pair[0], and: pair[1])
                }
            default: break
            }
        }
        for node in world.nodes where !node.isUp { node.start() }
        for pair in pairs { world.open(between: pair[0], and: pair[1]) }
        let healed = world.now.uptime
        world.run(until: healed + .seconds(60)) { !world.isWhole }
        return Outcome(
            healed: world.isWhole ? (world.now.uptime - healed).seconds : nil,
            faults: world.nodes.flatMap(\.faults),
            carried: world.nodes.reduce(0) { $0 + $1.carried },
            wasted: world.nodes.reduce(0) { $0 + $1.wasted })
    }
}
