/// A whole run of a mesh: its nodes and all that befalls them, from one seed.
final class MeshSimulation {
    private let world: World
    private let scenario: MeshScenario
    private let stage: MeshStage
    private let lateness: MeshLatenessWatch
    private var judge: MeshJudge { MeshJudge(stage: stage) }

    /// The longest that all may take to have everything once all is well: a try that is under way, the longest
    /// pause, the time to notice that a connection is dead.
    private static let settlingTime = 60

    private init(seed: UInt64, keepsTrace: Bool) {
        world = World(seed: seed, keepsTrace: keepsTrace)
        scenario = MeshScenario(world, seed: seed)
        stage = MeshStage(world, scenario)
        lateness = MeshLatenessWatch(stage)
    }

    /// Lives through the event of a seed.
    ///
    /// - Returns: what has become of the world.
    static func live(seed: UInt64, keepsTrace: Bool) -> World {
        let simulation = MeshSimulation(seed: seed, keepsTrace: keepsTrace)
        simulation.run()
        return simulation.world
    }

    private func run() {
        if scenario.beginsApart { stage.wires.ether.isDeafUntil = .seconds(3) }
        for node in stage.nodes {
            let latest = scenario.beginsApart ? .milliseconds(500) : scenario.duration
            node.beginLater(after: world.random(0...latest))
        }
        speakLater()
        troubleLater()
        visitLater()
        lateness.lookLater()
        world.run(for: scenario.duration)
        world.note("world", "heals")
        stage.heal()
        settle()
        rest()
        part()
        stage.end()
        world.end()
        stage.wires.end()
        // Other secrets may weigh as much, and are another event all the same.
        world.note("world", "took secrets", SeededSecrets.taken)
    }

    private func speakLater() {
        world.schedule(after: world.random(1_000...2 * scenario.speechPause)) { [self] in
            guard !stage.isHealed, let node = world.pick(stage.nodes) else { return }
            if world.chance(percent: 15) {
                node.say(toSomeOf: stage.nodes)
            } else {
                node.speak()
            }
            speakLater()
        }
    }

    private func troubleLater() {
        world.schedule(after: world.random(1_000...2 * scenario.troublePause)) { [self] in
            guard !stage.isHealed else { return }
            if let trouble = world.pick(scenario.troubles) {
                MeshTroubleMaker(stage: stage).make(trouble)
            }
            troubleLater()
        }
    }

    private func visitLater() {
        for number in 0..<scenario.visitors {
            world.schedule(after: world.random(0...scenario.duration)) { [self] in
                guard !stage.isHealed, let node = world.pick(stage.nodes.filter(\.isIn)) else {
                    return
                }
                let visitor = MeshVisitor(stage, number: number)
                stage.enter(visitor)
                if scenario.hasCode, world.chance(percent: 50) {
                    node.event.map(visitor.pretend)
                } else {
                    let asNode = world.chance(percent: 60)
                    let claims = asNode && world.chance(percent: 50)
                    visitor.visit(
                        node, asNode: asNode, claiming: claims ? world.pick(stage.nodes) : nil)
                }
                world.schedule(after: .seconds(world.random(1...30))) { visitor.leave() }
            }
        }
    }

    // MARK: The end

    private func settle() {
        // Who is left in an event whose founder is gone finds that out, though nobody says a word.
        world.run(for: .seconds(15))
        for _ in 0..<Self.settlingTime {
            // What has settled must stay so.
            let wasSettled = judge.fault == nil && judge.faultOfLinks == nil
            world.run(for: .seconds(1))
            if wasSettled, judge.fault == nil, judge.faultOfLinks == nil { return }
        }
        if let fault = judge.fault ?? judge.faultOfLinks { world.fail(fault) }
    }

    /// Nothing breaks for a while: no link is lost, and what is said is soon everywhere.
    private func rest() {
        guard world.failure == nil else { return }
        let links = stage.wires.connections.filter(\.isOpen)
        stage.nodes.forEach { $0.say() }
        let secrets = stage.nodes.compactMap { $0.say(toSomeOf: stage.nodes) }
        world.run(for: .seconds(5))
        if let fault = judge.fault ?? judge.fault(of: secrets) { world.fail("at rest, \(fault)") }
        world.run(for: .seconds(10))
        if let fault = judge.faultOfLinks { world.fail("at rest, \(fault)") }
        // Of many each has links with its neighbours alone, and who those are may just have shown.
        if scenario.nodes <= 9, !links.allSatisfy(\.isOpen) {
            world.fail("a link was well, and is lost")
        }
    }

    /// One after another says a last word and goes; the others have it.
    private func part() {
        var left = stage.nodes[...]
        while world.failure == nil, let node = left.popFirst() {
            guard let log = node.logs.last else { return }
            node.say()
            node.leave()
            world.run(for: .seconds(15))
            if node.process.isAlive { world.fail("\(node.name): it does not come to its end") }
            // Where a wall stays, it may have been the only way between others.
            guard !scenario.wallsStay || left.count == stage.nodes.count - 1 else { continue }
            for other in left where other.view.last(of: log) != log.lastSeq {
                world.fail("\(other.name): it lacks the last word of \(node.name)")
            }
        }
    }
}
