/// A connection that has not finished its handshake.
struct Stranger {
    let id: ConnectionID
    let source: String
    var deadline: Duration
    /// When its handshake began.
    var began: Duration = .zero
}

/// The strangers of one phase, in the order in which they entered it.
///
/// A few hundred at most are kept in one array and looked through: that takes less than a
/// microsecond, where accepting a connection takes ten.
///
/// Invariant: there are at most `limit`; `held` says of each source's slot how many are its.
struct StrangerQueue {
    private struct Place {
        var stranger: Stranger
        /// Where `held` counts its source: comparing strings would take most of the time.
        let slot: Int
    }

    let limit: Int
    private var places: [Place] = []
    private var slots: [String: Int] = [:]
    private var held: [Int] = []
    private var freeSlots: [Int] = []

    /// Nobody yet, and room for `limit`.
    init(limit: Int) {
        self.limit = limit
    }

    var count: Int { places.count }
    var ids: Set<ConnectionID> { Set(places.map(\.stranger.id)) }
    /// When the first one's time is over.
    var nextDeadline: Duration? { places.lazy.map(\.stranger.deadline).min() }

    /// Lets a stranger in.
    ///
    /// - Returns: who has to go for it: the first that came of the source that then has the most;
    ///   of several such sources, the first that came of all.
    mutating func add(_ stranger: Stranger) -> Stranger? {
        let slot = slots[stranger.source] ?? newSlot(for: stranger.source)
        held[slot] += 1
        places.append(Place(stranger: stranger, slot: slot))
        guard places.count > limit else { return nil }
        let most = held.max() ?? 0
        // Where the newcomer's source has the most, others of it came before, unless each source
        // has one: then the first of all goes.
        guard let first = places.firstIndex(where: { held[$0.slot] == most }) else { return nil }
        return remove(at: first)
    }

    /// Whom a newcomer would push out of a full queue, as ``add(_:)`` chooses.
    struct Crowd {
        /// The first that came of the source that has the most.
        let first: Stranger
        /// How many that source has, and how many the newcomer's would have.
        let most: Int
        let own: Int
    }

    /// Nil where there is room.
    func crowd(for source: String) -> Crowd? {
        guard places.count >= limit else { return nil }
        let ownSlot = slots[source]
        let own = (ownSlot.map { held[$0] } ?? 0) + 1
        let most = max(held.max() ?? 0, own)
        let first = places.first {
            held[$0.slot] == most || $0.slot == ownSlot && own == most
        }
        return first.map { Crowd(first: $0.stranger, most: most, own: own) }
    }

    /// A stranger; nil where it is not here.
    func find(_ id: ConnectionID) -> Stranger? {
        places.first { $0.stranger.id == id }?.stranger
    }

    /// Takes a stranger out; nil where it is not here.
    @discardableResult
    mutating func remove(_ id: ConnectionID) -> Stranger? {
        places.firstIndex { $0.stranger.id == id }.map { remove(at: $0) }
    }

    /// Lets the time of a source's strangers be over at `moment`.
    mutating func hurry(_ source: String, to moment: Duration) {
        guard let slot = slots[source] else { return }
        for index in places.indices where places[index].slot == slot {
            places[index].stranger.deadline = moment
        }
    }

    /// Takes out everybody whose time is over.
    mutating func removeOverdue(now: Duration) -> [Stranger] {
        guard let next = nextDeadline, next <= now else { return [] }
        let overdue = places.filter { $0.stranger.deadline <= now }
        places.removeAll { $0.stranger.deadline <= now }
        for place in overdue { release(place) }
        return overdue.map(\.stranger)
    }

    private mutating func newSlot(for source: String) -> Int {
        let slot = freeSlots.popLast() ?? held.count
        if slot == held.count { held.append(0) }
        slots[source] = slot
        return slot
    }

    private mutating func remove(at index: Int) -> Stranger {
        let place = places.remove(at: index)
        release(place)
        return place.stranger
    }

    private mutating func release(_ place: Place) {
        held[place.slot] -= 1
        guard held[place.slot] == 0 else { return }
        slots[place.stranger.source] = nil
        freeSlots.append(place.slot)
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        if places.count > limit { return "there are \(places.count) strangers of \(limit)" }
        if ids.count < places.count { return "a stranger is there twice" }
        let counts = Dictionary(grouping: places, by: \.stranger.source).mapValues(\.count)
        if counts != slots.mapValues({ held[$0] }) { return "a source's count is wrong" }
        if held.reduce(0, +) != places.count { return "a slot counts nobody's strangers" }
        return slots.count + freeSlots.count == held.count ? nil : "a slot is lost"
    }
}
