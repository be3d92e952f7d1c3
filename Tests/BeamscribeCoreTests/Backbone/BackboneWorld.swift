import FoundationEssentials

@testable import BeamscribeCore

/// Hosts and relays around a ``ModelServer``, with a clock that jumps from event to event.
final class BackboneWorld {
    private(set) var now = Moment(uptime: .seconds(1_000), wall: 1_800_000_000)
    private(set) var server: ModelServer!
    private var generator: SeededGenerator
    /// Of how many messages and answers of the server one is lost.
    var loses = Int.max
    /// The time that a request takes to the server, and an answer from there, in seconds.
    var latency = 0.0002...0.004
    private var queue: [(at: Duration, order: Int, body: () -> Void)] = []
    private var order = 0
    private var arrivals: [String: Duration] = [:]
    private(set) var hosts: [BackboneHost] = []
    private(set) var relays: [BackboneRelay] = []

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
        server = ModelServer(in: self)
    }

    func host(_ crypto: ToyCrypto = ToyCrypto(), _ session: UUID) -> BackboneHost {
        let host = BackboneHost(crypto, session, in: self)
        hosts.append(host)
        host.start()
        return host
    }

    func relay(of event: UUID) -> BackboneRelay {
        let relay = BackboneRelay(of: event, in: self)
        relays.append(relay)
        return relay
    }

    // MARK: Time and chance

    func at(_ seconds: Double, _ body: @escaping () -> Void) {
        at(time: now.uptime + .seconds(saturating: seconds), body)
    }

    func at(time due: Duration, _ body: @escaping () -> Void) {
        order += 1
        // What comes last is mostly due last.
        let index = (queue.lastIndex { $0.at <= due } ?? -1) + 1
        queue.insert((due, order, body), at: index)
    }

    func run(seconds: Double) {
        let end = now.uptime + .seconds(saturating: seconds)
        while let first = queue.first, first.at <= end {
            queue.removeFirst()
            now = now.advanced(by: max(first.at - now.uptime, .zero))
            first.body()
        }
        now = now.advanced(by: max(end - now.uptime, .zero))
    }

    /// When something arrives that goes behind what was sent before.
    func arrival(from name: String, _ seconds: Double) -> Duration {
        let due = max(now.uptime + .seconds(saturating: seconds), arrivals[name] ?? .zero)
        arrivals[name] = due
        return due
    }

    func random(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &generator) }
    func number(_ range: ClosedRange<Int>) -> Int { .random(in: range, using: &generator) }

    /// What the server has of a log, by its runs: what a reader from elsewhere would put together.
    func kept(_ session: UUID, _ runs: SessionRuns) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for part in 1..<runs.current + 1 {
            guard let messages = server.streams[.log(session, part: part)] else { continue }
            let base = part == 1 ? 0 : runs.after[part - 1]
            lines = lines.prefix(base) + messages.map(\.payload)
        }
        return lines
    }
}

/// A host that brings its log to the server.
final class BackboneHost {
    private unowned let world: BackboneWorld
    let crypto: ToyCrypto
    let session: UUID
    private var runs = SessionRuns()
    private(set) var log: EventLog!
    private var publisher: Publisher!
    private(set) var backbone: BackbonePublisher!
    private var client: ModelServer.Client!
    private var life = 0
    private(set) var news: [BackboneNews] = []
    private(set) var isUp = false

    init(_ crypto: ToyCrypto, _ session: UUID, in world: BackboneWorld) {
        (self.crypto, self.session, self.world) = (crypto, session, world)
    }

    /// - Parameter lost: how many of the last lines its disk has not.
    func start(losing lost: Int = 0) {
        life += 1
        isUp = true
        let transcript = Transcript(hashing: LineChain(of: session, by: crypto))
        if let log {
            log.forEachPayload(through: max(0, log.lastSeq - lost)) {
                transcript.restore(payload: $1, seq: $0)
            }
            runs.begin(after: transcript.lastSeq)
        }
        log = crypto.log(session, runs, now: world.now, holding: transcript)
        publisher = Publisher(into: log)
        backbone = BackbonePublisher(of: session, hasCode: false, Timing(), proving: crypto)
        let begun = life
        client = ModelServer.Client("host \(crypto.publicKey) \(begun)") { [unowned self] event in
            if life == begun { perform(backbone.take(event, now: world.now)) }
        }
        world.server.connect(client)
        tick(begun)
    }

    func crash() {
        isUp = false
        life += 1
        world.server.leave(client)
    }

    private func tick(_ begun: Int) {
        guard life == begun else { return }
        look()
        world.at(0.1) { [self] in tick(begun) }
    }

    private func look() {
        log.inputArrived(now: world.now)
        perform(backbone.look(log, nil, now: world.now))
    }

    private func perform(_ actions: [BackbonePublisher.Action]) {
        for action in actions {
            switch action {
            case .ask(let request): world.server.ask(request, by: client)
            case .report(let told): news.append(told)
            }
        }
    }

    func say(_ count: Int = 1) {
        guard isUp else { return }
        for _ in 0..<count {
            publisher.publish(
                final: Caption(text: "run \(runs.current), line \(log.lastSeq + 1)"), now: world.now
            )
        }
        log.seal()
        look()
    }

    func begin(_ text: String) {
        publisher.publish(partial: Caption(text: text), now: world.now)
        log.seal()
        look()
    }

    var lines: [[UInt8]] {
        var lines: [[UInt8]] = []
        log.forEachPayload { lines.append(Array($1)) }
        return lines
    }
}

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
    private var client: ModelServer.Client!
    private var isUp = true
    /// What its reader was shown.
    private(set) var shown: [Int: String] = [:]
    private(set) var shownOfOthers: [String] = []
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
    }

    private func perform(_ actions: [GuestSession.Action]) {
        for action in actions {
            switch action {
            case .connect:
                world.at(0.001) { [self] in
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
            case .disconnect: hangUp()
            case .report(let event): note(event)
            case .finish(let outcome): self.outcome = outcome
            default: break
            }
        }
    }

    private func note(_ event: GuestEvent) {
        switch event {
        case .line(let line):
            if shown[line.seq] != nil { faults.append("line \(line.seq) came twice") }
            if line.seq > 1, shown[line.seq - 1] == nil {
                faults.append("line \(line.seq) came before the one before it")
            }
            shown[line.seq] = line.text
        case .inLog(_, .line(let line)): shownOfOthers.append(line.text)
        case .partial(let partial): partials.append(partial.text)
        case .withdrawn(let from, let through):
            for seq in from...through { shown[seq] = nil }
        case .gap(let from, _): faults.append("a gap at \(from)")
        default: break
        }
    }
}
