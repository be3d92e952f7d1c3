import BeamscribeCore

/// The nodes of a mesh, and what they have truly said.
final class MeshStage {
    let world: World
    let scenario: MeshScenario
    let wires: MeshWires
    private(set) var nodes: [SimulatedNode] = []
    private var visitors: [MeshVisitor] = []
    /// Whether nothing breaks any more.
    var isHealed: Bool { healedAt != nil }
    private var healedAt: Int?
    /// Whether two events that were begun apart have become one.
    private(set) var haveEventsMet = false
    /// What was said to some alone, and to whom.
    private var secrets: [String: Set<Int>] = [:]

    init(_ world: World, _ scenario: MeshScenario) {
        (self.world, self.scenario) = (world, scenario)
        wires = MeshWires(world)
        nodes = (1...scenario.nodes).map { SimulatedNode(self, number: $0) }
        if scenario.isRing { raiseWalls() }
    }

    /// Each has a way to the next, and a few to others.
    private func raiseWalls() {
        for (index, node) in nodes.enumerated() {
            for (second, other) in nodes.enumerated().dropFirst(index + 1) {
                let isNext = second - index == 1 || second - index == nodes.count - 1
                if isNext || world.chance(percent: 15) { continue }
                wires.wall(between: node, and: other)
            }
        }
    }

    /// All logs that were ever written, but for those that are not for everybody.
    var logs: [WrittenLog] { nodes.flatMap(\.logs) }

    /// Something is said to these alone.
    func keep(_ secret: String, among numbers: Set<Int>) { secrets[secret] = numbers }

    /// Those whom something was for that was not for everybody; nil where it was.
    func audience(of text: String) -> Set<Int>? { secrets[text] }

    func enter(_ visitor: MeshVisitor) { visitors.append(visitor) }

    func eventsHaveMet() { haveEventsMet = true }

    /// Whether nothing has broken for so long that nobody can still suffer from it.
    var isAtPeace: Bool { healedAt.map { world.now - $0 > .seconds(20) } ?? false }

    func heal() {
        healedAt = world.now
        visitors.forEach { $0.leave() }
        wires.open(areWallsKept: scenario.wallsStay)
        wires.heal()
        for node in nodes {
            node.machine.wake()
            if node.isLeaving { node.bury() }
            node.begin()
        }
    }

    func end() { nodes.forEach { $0.bury() } }
}
