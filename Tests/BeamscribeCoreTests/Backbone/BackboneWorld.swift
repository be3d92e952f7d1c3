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

    /// Somebody else who writes a log of an event, and is let in by its founder.
    func writer(_ crypto: ToyCrypto, _ session: UUID, of event: UUID, foundedBy founder: ToyCrypto)
        -> BackboneHost
    {
        let host = BackboneHost(crypto, session, of: event, foundedBy: founder, in: self)
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
    private let event: UUID
    /// The grant of its log in the event of another; nil for the founder.
    private let grant: [UInt8]?
    private var runs = SessionRuns()
    private(set) var log: EventLog!
    private var publisher: Publisher!
    private(set) var backbone: BackbonePublisher!
    private var client: ModelServer.Client!
    private var life = 0
    private(set) var news: [BackboneNews] = []
    private(set) var isUp = false
    /// Its name, with which its lines begin.
    var name: String { String(decoding: crypto.publicKey, as: UTF8.self) }

    /// - Parameters:
    ///   - event: the event whose log it is; nil for one that it founds.
    ///   - founder: has let it into that.
    init(
        _ crypto: ToyCrypto, _ session: UUID, of event: UUID? = nil,
        foundedBy founder: ToyCrypto? = nil, in world: BackboneWorld
    ) {
        (self.crypto, self.session, self.world) = (crypto, session, world)
        self.event = event ?? session
        grant = founder?.grant(session, of: crypto, in: self.event)
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
        log =
            event == session
            ? crypto.log(session, runs, now: world.now, holding: transcript)
            : crypto.log(
                session, runs, of: event, as: "Room 2", holding: transcript, now: world.now)
        publisher = Publisher(into: log)
        backbone = BackbonePublisher(of: event, hasCode: false, Timing(), proving: crypto)
        let begun = life
        client = ModelServer.Client("\(name) \(session) \(begun)") { [unowned self] event in
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
            case .ask(let request):
                // The grant of a log goes before its record.
                if let grant, case .say(entry(.log), _) = request {
                    world.server.ask(.say(entry(.grant), grant), by: client)
                }
                world.server.ask(request, by: client)
            case .report(let told): news.append(told)
            }
        }
    }

    private func entry(_ kind: BackboneEntry.Kind) -> String {
        BackboneEntry(kind, of: session, in: event).subject
    }

    func say(_ count: Int = 1) {
        guard isUp else { return }
        for _ in 0..<count {
            publisher.publish(
                final: Caption(text: "\(name), run \(runs.current), line \(log.lastSeq + 1)"),
                now: world.now
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
