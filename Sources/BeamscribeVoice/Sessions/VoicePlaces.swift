import BeamscribeCore

/// Who has a place on a host's channels, as many as there are.
///
/// Where all are taken nobody keeps others out by taking many: whoever is not of the crew gives way to whoever is, and of
/// equals the newest of the origin that has the most to one of an origin that has fewer.
///
/// Invariant: a guest is in one of `crew` and `others` at most.
struct VoicePlaces<ID: Hashable & Sendable> {
    /// A newcomer's place.
    enum Place: Equatable {
        case free
        /// Somebody else has to give way.
        case taken(ID)
        case none
    }

    private let most: Int
    private var crew = SourceCrowd<ID>()
    private var others = SourceCrowd<ID>()

    init(_ most: Int) { self.most = most }

    /// The place of somebody who comes from an origin.
    func place(
        from origin: String, isCrew: Bool, using generator: inout some RandomNumberGenerator
    ) -> Place {
        guard crew.count + others.count >= most else { return .free }
        let giving =
            isCrew
            ? others.greatest(using: &generator)?.last ?? crew.yielding(to: origin)
            : others.yielding(to: origin)
        return giving.map { .taken($0) } ?? .none
    }

    /// Somebody takes a free one.
    mutating func take(_ id: ID, from origin: String, isCrew: Bool) {
        leave(id)
        isCrew ? crew.add(id, from: origin) : others.add(id, from: origin)
    }

    /// Somebody goes.
    mutating func leave(_ id: ID) {
        crew.remove(id)
        others.remove(id)
    }
}
