import BeamscribeCore
import FoundationEssentials

/// A whole run of an event that a server of streams keeps: a host, maybe another writer, relays and
/// all that befalls the server, from one seed.
final class BackboneSimulation {
    private let world: World
    private let model: BackboneWorld
    private let session: UUID
    private let host: BackboneHost
    /// A second writer, who seldom says anything; nil for none.
    private let writer: BackboneHost?
    private let troubles: [BackboneTrouble]
    private let maximumPause: Double
    /// The logs into whose streams somebody without their keys has written.
    private var fouled: Set<UUID> = []

    /// The longest until the server has everything, and everybody reads it, once all is well, in
    /// seconds: a pause between tries, missing heartbeats, and requests that nobody answers.
    private static let settlingTime = 40
    /// The longest from a word to its reader while all is well, in seconds.
    private static let lateness = 0.5

    private init(seed: UInt64, keepsTrace: Bool) {
        world = World(seed: seed, keepsTrace: keepsTrace)
        model = BackboneWorld(seed: world.seed)
        session = Stage.makeID(world)
        host = model.host(ToyCrypto("host"), session)
        writer =
            world.chance(percent: 50)
            ? model.writer(
                ToyCrypto("writer"), Stage.makeID(world), of: session, foundedBy: host.crypto) : nil
        maximumPause = Double(world.random(2...100)) / 100
        var kinds: [BackboneTrouble] = []
        for kind in BackboneTrouble.allCases where world.chance(percent: 40) {
            kinds += [BackboneTrouble](repeating: kind, count: world.random(1...3))
        }
        troubles = kinds
        model.server.forgetsConsumers = world.chance(percent: 50)
    }

    /// Lives through the event of a seed.
    ///
    /// - Returns: what has become of the world.
    static func live(seed: UInt64, keepsTrace: Bool) -> World {
        let simulation = BackboneSimulation(seed: seed, keepsTrace: keepsTrace)
        simulation.run()
        return simulation.world
    }

    private func run() {
        comeToRead()
        for _ in 0..<world.random(20...120) {
            guard world.failure == nil else { return }
            live()
            pass(model.random(0...maximumPause))
        }
        heal()
        settle()
        rest()
        world.end()
    }

    /// Something is said, somebody comes, or something goes wrong.
    private func live() {
        switch world.random(0...99) {
        case 0..<60: host.say(world.random(1...5))
        case 60..<70: host.begin("what is said as number \(world.random(1...999))")
        case 70..<74 where model.relays.count < 4: comeToRead()
        case 74..<90: if let trouble = world.pick(troubles) { make(trouble) }
        case 90..<95: writer?.say(world.random(1...3))
        default: return
        }
    }

    private func comeToRead() {
        world.note("relay \(model.relays.count + 1)", "comes")
        _ = model.relay(of: session)
    }

    private func pass(_ seconds: Double) {
        model.run(seconds: seconds)
        world.run(for: Int(saturating: seconds * 1_000_000))
        look()
    }

    /// Judges that which must be true at any time.
    private func look() {
        for (index, relay) in model.relays.enumerated() {
            if let fault = relay.faults.first { world.fail("relay \(index + 1): \(fault)") }
            if let outcome = relay.outcome {
                world.fail("relay \(index + 1): it ends (\(outcome))")
            }
            let others = relay.shownOfOthers.filter { $0.key != writer?.session.wireName }
            if !others.isEmpty { world.fail("relay \(index + 1): it shows a log of nobody") }
            for host in model.hosts {
                for (seq, text) in shown(of: host, at: relay)
                where !text.hasPrefix(host.name) || !text.hasSuffix(", line \(seq)") {
                    world.fail("relay \(index + 1): line \(seq) is shown as '\(text)'")
                }
            }
        }
        for host in model.hosts {
            if host.news.contains(where: { if case .foreign = $0 { true } else { false } }) {
                world.fail("\(host.name): it takes its own log for another's")
            }
            if !fouled.contains(host.session),
                host.news.contains(where: { if case .fouled = $0 { true } else { false } })
            {
                world.fail("\(host.name): it says that somebody else has written into its log")
            }
        }
    }

    /// The lines of a log that a relay has shown.
    private func shown(of host: BackboneHost, at relay: BackboneRelay) -> [Int: String] {
        host === self.host ? relay.shown : relay.shownOfOthers[host.session.wireName] ?? [:]
    }

    // MARK: Trouble

    private func make(_ trouble: BackboneTrouble) {
        world.note("server", "has trouble", BackboneTrouble.allCases.firstIndex(of: trouble) ?? 0)
        let server = model.server!
        let time = model.random(0.1...3)
        switch trouble {
        case .kill:
            guard server.isUp else { return }
            server.kill(losing: world.random(0...30))
            model.at(time) { server.start() }
        case .wipe: server.wipe()
        case .crash: restart(losing: 0)
        case .loseLines: restart(losing: world.random(0...20))
        case .loseMessages:
            model.loses = world.random(5...300)
            model.at(time) { [model] in model.loses = .max }
        case .slow:
            model.latency = 0.0002...model.random(0.05...2.5)
            model.at(time) { [model] in model.latency = 0.0002...0.004 }
        case .hide:
            server.hidesAcknowledgements = true
            model.at(time) { server.hidesAcknowledgements = false }
        case .meet:
            guard let relay = world.pick(model.relays) else { return }
            relay.meet(host)
            model.at(time * 3) { relay.meet(nil) }
        case .foul: foul()
        }
    }

    private func restart(losing lost: Int) {
        guard let host = world.pick(model.hosts), host.isUp else { return }
        host.crash()
        model.at(model.random(0.01...1)) { [host] in host.start(losing: lost) }
    }

    /// A stranger writes into a stream of a log: nonsense, or a line that was there before.
    private func foul() {
        guard let host = world.pick(model.hosts) else { return }
        let parts = (1...host.log.runs.current).map { BackboneStream.log(host.session, part: $0) }
        guard let stream = world.pick(parts.filter { model.server.streams[$0] != nil }) else {
            return
        }
        fouled.insert(host.session)
        let old = model.server.streams[stream]?.map(\.payload) ?? []
        let bytes = (0..<world.random(0...40)).map { _ in UInt8(clamping: world.random(0...255)) }
        model.server.write(
            world.chance(percent: 50) ? world.pick(old) ?? bytes : bytes, into: stream)
    }

    // MARK: The end

    private func heal() {
        world.note("world", "heals")
        pass(10)
    }

    /// Something that is not as it must be once the event has settled; nil where all is well.
    private var fault: String? {
        for host in model.hosts where !host.backbone.isComplete {
            return "the server lacks something of the log of \(host.name)"
        }
        return lineFault
    }

    /// A line that is not where it must be; nil for none.
    private var lineFault: String? { model.hosts.compactMap { lineFault(of: $0) }.first }

    private func lineFault(of host: BackboneHost) -> String? {
        if !fouled.contains(host.session), model.kept(host.session, host.log.runs) != host.lines {
            return "the server has other lines than \(host.name)"
        }
        for (index, relay) in model.relays.enumerated() {
            let shown = shown(of: host, at: relay)
            guard shown.count == host.log.lastSeq else {
                return
                    "relay \(index + 1): it shows \(shown.count) of \(host.log.lastSeq) lines of "
                    + host.name
            }
            if let other = shown.first(where: { host.log.final($0.key)?.text != $0.value }) {
                return "relay \(index + 1): line \(other.key) is '\(other.value)', which was lost"
            }
        }
        return nil
    }

    private func settle() {
        guard world.failure == nil else { return }
        model.hosts.forEach { $0.say() }
        comeToRead()
        for _ in 0..<Self.settlingTime {
            guard world.failure == nil else { return }
            let wasSettled = fault == nil
            pass(1)
            // A settled event has to stay so.
            if wasSettled, fault == nil { return }
        }
        if let fault { world.fail(fault) }
    }

    /// Everybody reads at once, while all is well, what is said.
    private func rest() {
        guard world.failure == nil else { return }
        for _ in 0..<3 {
            host.say(world.random(1...3))
            writer?.say()
            host.begin("what is said at line \(host.log.lastSeq)")
            pass(Self.lateness)
            // The next head may be on its way.
            if let lineFault { world.fail("at rest, \(lineFault)") }
            let words = "what is said at line \(host.log.lastSeq)"
            let late = model.relays.firstIndex { $0.partials.last != words }
            if let late { world.fail("at rest, relay \(late + 1): it lacks what is being said") }
        }
    }
}

/// The troubles of a server of streams, of its network and of who writes there.
enum BackboneTrouble: CaseIterable {
    case kill, wipe, crash, loseLines
    case loseMessages, slow, foul
    /// The server does not say what it has taken.
    case hide
    /// A relay reads from the host itself for a while.
    case meet
}
