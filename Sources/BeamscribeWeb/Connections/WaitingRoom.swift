import BeamscribeCore

/// Browsers' connections that do not read captions: they are about to ask, or get a file.
///
/// There is room for so many of them. When one more comes, the source that has the most gives way,
/// by its oldest; of several that have as many, chance takes one. See ``SourceCrowd``.
///
/// Invariant: there are at most `limit`.
struct WaitingRoom<ID: Hashable & Sendable> {
    private let limit: Int
    private var crowd = SourceCrowd<ID>()
    private var generator: SeededGenerator

    init(limit: Int = Limits.webConnections, seed: UInt64) {
        self.limit = limit
        generator = SeededGenerator(seed: seed)
    }

    var count: Int { crowd.count }

    /// Takes in a connection, and returns the one that must go: the newcomer itself, perhaps.
    mutating func enter(_ id: ID, from source: String) -> ID? {
        crowd.add(id, from: source)
        guard crowd.count > limit, let evicted = crowd.greatest(using: &generator)?.first else {
            return nil
        }
        crowd.remove(evicted)
        return evicted
    }

    /// A connection that is here counts for another source from now on.
    mutating func move(_ id: ID, to source: String) {
        if let old = crowd.source(of: id), old != source { crowd.add(id, from: source) }
    }

    /// The connection has gone, or reads captions now.
    mutating func leave(_ id: ID) { crowd.remove(id) }
}
