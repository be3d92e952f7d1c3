import BeamscribeCore

/// Browsers' connections that do not read captions: they are about to ask, or get a file.
///
/// There is room for so many of them. When one more comes, the oldest of the address that has the
/// most gives way: whoever opens thousands pushes out his own.
///
/// Invariant: `order` has the ids of `sources`, oldest first.
struct WaitingRoom<ID: Hashable> {
    private let limit: Int
    private var order: [ID] = []
    private var sources: [ID: String] = [:]
    private var counts: [String: Int] = [:]

    init(limit: Int = Limits.webConnections) {
        self.limit = limit
    }

    var count: Int { order.count }

    /// Takes in a connection, and returns the one that must go for it.
    mutating func enter(_ id: ID, from source: String) -> ID? {
        let evicted = order.count < limit ? nil : oldestOfTheMostEager
        if let evicted { leave(evicted) }
        order.append(id)
        sources[id] = source
        counts[source, default: 0] += 1
        return evicted
    }

    /// The connection has gone, or reads captions now.
    mutating func leave(_ id: ID) {
        guard let source = sources.removeValue(forKey: id) else { return }
        // The newest go as often as the oldest; there are few enough to look.
        order.removeAll { $0 == id }
        counts[source, default: 1] -= 1
        if counts[source] == 0 { counts[source] = nil }
    }

    private var oldestOfTheMostEager: ID? {
        guard let most = counts.values.max() else { return nil }
        return order.first { sources[$0].flatMap { counts[$0] } == most }
    }
}
