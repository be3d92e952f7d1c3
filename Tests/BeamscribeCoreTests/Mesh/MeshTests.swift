import Testing

@testable import BeamscribeCore

@Suite("A mesh")
struct MeshTests {
    @Test("Two nodes hear one another, over one link")
    func twoNodes() {
        let world = MeshWorld(nodes: 2, seed: 1)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 2)
        world.nodes.forEach { $0.say(3) }
        world.run(seconds: 2)
        #expect(world.isWhole)
        #expect(world.linkCounts == [[0, 1]: 1])
        #expect(world.nodes.flatMap(\.faults) == [])
        #expect(world.nodes.flatMap(\.ends) == [])
        #expect(world.nodes.map(\.carried) == [3, 3])
    }

    @Test("Eight nodes are a full mesh, and each line crosses into each once")
    func eightNodes() {
        let world = MeshWorld(nodes: 8, seed: 2)
        world.nodes.forEach { $0.start() }
        world.run(seconds: 10)
        for round in 0..<40 {
            world.nodes[round % 8].say()
            world.run(seconds: 0.25)
        }
        world.run(seconds: 2)
        #expect(world.isWhole)
        #expect(world.linkCounts.count == 28 && world.linkCounts.values.allSatisfy { $0 == 1 })
        #expect(world.nodes.flatMap(\.faults) == [])
        #expect(world.nodes.map(\.carried) == Array(repeating: 35, count: 8))
        #expect(world.nodes.allSatisfy { $0.session.links.peers.allSatisfy { $0.state == .stable } })
    }

    @Test(
        "After links were cut, partitions and crashes, all nodes have all lines, each once",
        arguments: 1...6)
    func worlds(seed: Int) {
        let outcome = MeshWorld.live(nodes: 6, seed: UInt64(seed), seconds: 60)
        #expect(outcome.healed != nil)
        #expect(outcome.faults == [])
        #expect(outcome.wasted * 8 < outcome.carried)
    }

    @Test("Two events of one name that were begun apart become one", arguments: 1...8)
    func events(seed: Int) {
        let world = MeshWorld(nodes: 6, seed: UInt64(seed)) { $0 < 3 ? 0 : 3 }
        for first in 0..<3 { for second in 3..<6 { world.wall(between: first, and: second) } }
        world.nodes.forEach { $0.start() }
        world.run(seconds: 8)
        world.nodes.forEach { $0.say(2) }
        world.run(seconds: 2)
        #expect(world.nodes.allSatisfy { $0.lacking.count == 3 })
        for first in 0..<3 { for second in 3..<6 { world.open(between: first, and: second) } }
        world.run(seconds: 15)
        world.nodes.forEach { $0.say(2) }
        world.run(seconds: 25)
        #expect(world.isWhole)
        #expect(Set(world.nodes.map(\.event)).count == 1)
        #expect(world.nodes.flatMap(\.faults) == [])
    }
}
