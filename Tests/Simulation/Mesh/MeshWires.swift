import BeamscribeCore
import BeamscribeIO

/// What lies between the nodes of a mesh.
final class MeshWires: Wires {
    private struct Way: Hashable {
        let from: IPAddress
        let to: IPAddress
    }
    /// Where nothing can be dialled for good.
    private var walls: Set<Way> = []
    /// Where nothing can be dialled, and until when.
    private var wallsUntil: [Way: Int] = [:]

    init(_ world: World) { super.init(world, isSecure: true) }

    static func address(ofNode number: Int) -> IPAddress {
        IPAddress(bytes: [203, 0, 113, UInt8(clamping: number)])!
    }

    /// Once all is well, what is said is to be everywhere soon: no connection is made of twenty bytes then.
    override func connect(_ guest: SimulatedProcess, _ latency: Int) -> Connection {
        let connection = super.connect(guest, latency)
        if isHealed { connection.heal() }
        return connection
    }

    override func brokenUntil(_ process: SimulatedProcess, _ destination: Destination) -> Int {
        guard case .network(let endpoint) = destination else { return 0 }
        let way = Way(from: process.address, to: endpoint.address)
        return walls.contains(way) ? .max : wallsUntil[way, default: 0]
    }

    /// One cannot dial the other, as by a firewall. What there is between them stays.
    func forbid(_ node: SimulatedNode, dialling other: SimulatedNode, for duration: Int) {
        let way = Way(from: node.address, to: other.address)
        wallsUntil[way] = max(wallsUntil[way, default: 0], world.now + duration)
    }

    /// Nothing gets through between two.
    ///
    /// - Parameter isTold: whether what there is between them ends at once; else nothing is heard of it.
    func part(_ node: SimulatedNode, _ other: SimulatedNode, for duration: Int, isTold: Bool) {
        forbid(node, dialling: other, for: duration)
        forbid(other, dialling: node, for: duration)
        for connection in connections(between: node, other) {
            isTold ? connection.cut() : connection.stall(up: true, down: true, for: duration)
        }
    }

    /// The connections that both ends have.
    func connections(between node: SimulatedNode, _ other: SimulatedNode) -> [Connection] {
        connections.filter { $0.isOpen && $0.isBetween(node.process, other.process) }
    }

    /// All connections of a node that it has.
    func connections(of node: SimulatedNode) -> [Connection] {
        connections.filter {
            !$0.isDead && ($0.guest === node.process || $0.server === node.process)
        }
    }

    /// Two will never reach each other, but by others.
    func wall(between node: SimulatedNode, and other: SimulatedNode) {
        walls.formUnion([
            Way(from: node.address, to: other.address), Way(from: other.address, to: node.address),
        ])
    }

    /// What is in the way is gone.
    ///
    /// - Parameter areWallsKept: whether that stays which was to be for ever.
    func open(areWallsKept: Bool) {
        wallsUntil = [:]
        if !areWallsKept { walls = [] }
    }
}

extension Connection {
    /// Whether it stands. Of one that was changed on the way both ends know as soon as it comes.
    var isOpen: Bool { !isDead && guestIsOpen && hostIsOpen }

    fileprivate func isBetween(_ process: SimulatedProcess, _ other: SimulatedProcess) -> Bool {
        guest === process && server === other || guest === other && server === process
    }
}
