import FoundationEssentials

@testable import BeamscribeCore

/// Somebody who reads an event of several logs, and serves it to others.
final class HolderNode {
    let keeper: VirtualGuest
    let shelf: Shelf
    /// Those whom it serves.
    let room: VirtualRoom

    /// Begins to serve what it has read in the founder's room.
    init(_ name: String, in founders: VirtualRoom, of founder: ToyCrypto) {
        let replica = Replica()
        shelf = Shelf(proving: ToyCrypto(), isKept: true)
        keeper = founders.guest(name, keeping: replica, of: founder, others: shelf)
        founders.connect(keeper)
        founders.deliver()
        room = VirtualRoom(
            serving: replica.log!, others: shelf, proving: ToyCrypto(name).security)
        room.counterpart = .holder
        room.tellOfOthers()
    }

    /// Goes on reading from another who serves the event.
    func read(from other: HolderNode) {
        keeper.canConnect = true
        _ = other.room.add(keeper)
        other.room.connect(keeper)
    }
}

extension [HolderNode] {
    /// Turns the clocks of all together, a second at a time.
    func pass(seconds: Int) {
        for _ in 0..<seconds {
            forEach { $0.room.pass(seconds: 1) }
            exchange()
        }
    }

    /// Each gives those whom it serves, and whoever serves it, what it has.
    func exchange() {
        for _ in indices {
            for node in self {
                node.room.tellOfOthers()
                forEach { $0.room.heard(by: node.keeper) }
            }
        }
    }
}
