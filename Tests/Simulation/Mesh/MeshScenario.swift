import BeamscribeCore

/// What kind of mesh a seed stands for.
struct MeshScenario {
    let nodes: Int
    /// Microseconds of trouble, before everything heals.
    let duration: Int
    /// How often something is said and something befalls somebody, in microseconds.
    let speechPause: Int
    let troublePause: Int
    /// The kinds of trouble of this run, each as often as it stands here.
    let troubles: [MeshTrouble]
    /// Whether most cannot dial each other: all that there is between them is a ring and a few more.
    let isRing: Bool
    /// Whether those walls stay when all else heals.
    let wallsStay: Bool
    /// Whether all begin at once, and nobody is heard of before some have founded the event apart.
    let beginsApart: Bool

    /// Whether nodes have to prove the event's code.
    let hasCode: Bool
    /// Programs that come, and are none of the event.
    let visitors: Int

    init(_ world: World, seed: UInt64) {
        var generator = SeededGenerator(seed: seed ^ 0x7669_7369)
        hasCode = generator.next() % 3 == 0
        visitors = generator.next() % 3 == 0 ? Int(clamping: generator.next() % 4) + 1 : 0
        nodes = world.chance(percent: 8) ? world.random(7...12) : world.random(2...6)
        duration = .seconds(world.random(5...60))
        speechPause = .milliseconds(world.random(200...3_000))
        troublePause = .milliseconds(world.random(300...6_000))
        var kinds: [MeshTrouble] = []
        for kind in MeshTrouble.allCases where world.chance(percent: 40) {
            kinds += [MeshTrouble](repeating: kind, count: world.random(1...3))
        }
        troubles = kinds
        isRing = nodes > 3 && world.chance(percent: 40)
        wallsStay = isRing && world.chance(percent: 50)
        beginsApart = world.chance(percent: 25)
    }
}

/// What can befall the nodes of a mesh and what lies between them.
enum MeshTrouble: CaseIterable {
    case cut, die, stallUp, stallDown, tamper
    case outage, partition, oneWay, isolation
    case slowdown, lateAccept, refuse, noDescriptors, falseReadiness
    case deafness, echoes, lies, freshNews
    case sleep, clock, crash, restart, leave
}
