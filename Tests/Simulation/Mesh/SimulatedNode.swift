import BeamscribeCore
import BeamscribeIO
import FoundationEssentials

@testable import Beamscribe

/// A node's machine, and the programs that run on it one after another: each looks for the event with the real
/// ``MeshSearch``, and takes part with the real ``Host``.
final class SimulatedNode {
    let number: Int
    let name: String
    let machine: Machine
    let address: IPAddress
    private(set) var process: SimulatedProcess
    /// What it has said, in each of its programs' logs.
    private(set) var logs: [WrittenLog] = []
    /// What the program shows that runs.
    private(set) var view: MeshView
    /// Whether it says goodbye.
    private(set) var isLeaving = false
    private let stage: MeshStage
    private let device: UUID
    private var search: MeshSearch?
    private var host: Host?
    /// Its node's id, as others are told it.
    private(set) var id: String?
    /// The names of those with whom it had links after its last turn, by their ids.
    private var linked: [String: String] = [:]
    /// The event in which it took part after its last turn.
    private var lastEvent: UUID?
    private var world: World { stage.world }

    init(_ stage: MeshStage, number: Int) {
        (self.stage, self.number, name) = (stage, number, "node \(number)")
        machine = Machine(stage.world)
        device = Stage.makeID(stage.world)
        address = MeshWires.address(ofNode: number)
        process = SimulatedProcess(name, on: machine, stage.wires, at: address)
        process.die()
        view = MeshView(of: number)
    }

    /// Whether it takes part.
    var isIn: Bool { host != nil && !isLeaving }

    // MARK: Its program

    /// Starts the program, if none runs.
    func begin() {
        guard !process.isAlive else { return }
        (process, view, isLeaving) = (
            SimulatedProcess(name, on: machine, stage.wires, at: address), MeshView(of: number),
            false
        )
        world.note(name, "begins")
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: name, deviceID: device, session: device,
            security: HostSecurity(
                Identities.nodeKeys[number - 1],
                code: stage.scenario.hasCode ? Identities.code : nil))
        configuration.input = .typed
        configuration.storage = .none
        configuration.port = .number(Stage.port)
        configuration.bluetooth = .nothing
        let begun = process
        let looking = try! MeshSearch(
            configuration, at: [], code: nil, for: .seconds(1), in: process
        ) { [weak self] event in
            guard let self, process === begun else { return }
            search = nil
            process.run { self.takePart(in: event, configuration) }
        }
        search = looking
        process.run { looking.start() }
    }

    private func takePart(in event: UUID?, _ configuration: HostConfiguration) {
        world.note(name, event == nil ? "founds the event" : "takes part")
        var configuration = configuration
        _ = try! configuration.takePart(in: event, as: name, at: machine.now.wall)
        if stage.scenario.hasCode {
            configuration.mesh?.code = try! EventCode("48217730")
            configuration.mesh?.makeSecret = { _, _ in .sample }
        }
        let made = try! Host(configuration, in: process)
        logs.append(
            WrittenLog(session: configuration.session.wireName, event: ""))
        (host, id) = (made, configuration.mesh?.node)
        process.afterTurn = { [unowned self] in turned() }
        made.assumeIsolated { try! $0.start() }
    }

    func beginLater(after pause: Int) {
        machine.schedule(after: pause) { [weak self] in
            if let self, !stage.isHealed { begin() }
        }
    }

    /// The program is no more. Its objects go, once nothing of them is under way.
    func bury() {
        process.die()
        search = nil
        guard let buried = host else { return }
        host = nil
        world.schedule(after: 0) {
            // The second time it waits for nobody.
            for _ in 1...2 { buried.assumeIsolated { $0.stop() } }
        }
    }

    /// The program is killed, and another begins after a time.
    func crash(for pause: Int) {
        world.note(name, "is killed")
        bury()
        beginLater(after: pause)
    }

    /// It says goodbye to the others.
    func leave() {
        guard let host, !isLeaving else { return }
        world.note(name, "leaves")
        isLeaving = true
        process.run { host.assumeIsolated { $0.stop() } }
    }

    // MARK: What is said here

    /// A line, or the beginning of one.
    func speak() {
        guard let host, let log = logs.last, isIn, !machine.isAsleep else { return }
        if world.chance(percent: 20) {
            let text = log.whisper()
            return process.run { host.assumeIsolated { $0.type(partial: text) } }
        }
        for _ in 0..<(world.chance(percent: 10) ? 5 : 1) { say(host, log) }
    }

    /// A line.
    func say() {
        if let host, let log = logs.last, isIn { say(host, log) }
    }

    private func say(_ host: Host, _ log: WrittenLog) {
        let text = log.say(number)
        world.note(name, "says line", log.lastSeq)
        nonisolated(unsafe) var outcome: TypedOutcome?
        process.run { outcome = host.assumeIsolated { $0.type(text) } }
        if outcome != .sent(log.lastSeq) {
            world.fail("\(name): line \(log.lastSeq) is \(outcome.map { "\($0)" } ?? "gone")")
        }
    }

    /// A line to some alone, who may be here or not.
    ///
    /// - Returns: what was said; nil where nothing was.
    @discardableResult
    func say(toSomeOf others: [SimulatedNode]) -> String? {
        guard let host, isIn, !machine.isAsleep else { return nil }
        let chosen = others.filter { $0 !== self && world.chance(percent: 40) }
        let ids = chosen.compactMap(\.id)
        guard !ids.isEmpty else { return nil }
        let text = "secret \(world.random(0...1_000_000_000)) of \(number)"
        stage.keep(text, among: Set(chosen.map(\.number) + [number]))
        nonisolated(unsafe) var outcome: TypedOutcome?
        process.run { outcome = host.assumeIsolated { $0.type(text, to: ids) } }
        world.note(name, "says something to", ids.count)
        guard case .sent = outcome else {
            world.note(name, "may not say that")
            return nil
        }
        return text
    }

    // MARK: What it tells

    private func turned() {
        guard let host else { return }
        judgeLinks()
        defer { lastEvent = event }
        for event in host.captionsOfAll.takeWaiting() {
            if let fault = view.take(event, on: stage) { world.fail("\(name): \(fault)") }
            if case .inLog(_, .line(let line)) = event { world.note(name, "shows line", line.seq) }
        }
        for news in host.news.takeWaiting() {
            switch news {
            case .mesh(.wentOver):
                world.note(name, "goes over to another event")
                stage.eventsHaveMet()
            case .mesh(.foundedAnew):
                world.note(name, "founds the event anew")
                stage.eventsHaveMet()
                judgeFounding()
            case .finished:
                world.note(name, "has ended")
                return bury()
            case .guests(.logStands(let log, .forked), _):
                world.fail("\(name): it says that two write \(log.label)")
            default: break
            }
        }
    }

    /// Nobody who calls himself by another's id takes the link that there is with that one.
    private func judgeLinks() {
        guard stage.scenario.visitors > 0 else { return }
        let now = Dictionary(
            uniqueKeysWithValues: peers.filter(\.isLinked).map { ($0.node, $0.name) })
        for (id, other) in linked where now[id].map({ $0 != other }) ?? false {
            world.fail("\(name): its link with \(other) is one with \(now[id] ?? "nobody") now")
        }
        linked = now
    }

    /// Nobody founds the event anew who has the founder's log, or a link with somebody who has it.
    private func judgeFounding() {
        guard let founders = lastEvent?.wireName else { return }
        if view.hasMet(founders) {
            world.fail("\(name): it founds the event anew, and has its founder's log")
        }
        guard stage.isAtPeace else { return }
        for other in stage.nodes
        where other.view.hasMet(founders)
            && !stage.wires.connections(between: self, other).isEmpty
        {
            world.fail("\(name): it founds the event anew, and \(other.name) has its founder's log")
        }
    }

    /// The event's id, as it takes part in it.
    var event: UUID? { host?.assumeIsolated { $0.event } }

    /// The other nodes as it shows them.
    var peers: [MeshPeer] { host?.assumeIsolated { $0.peers } ?? [] }
}
