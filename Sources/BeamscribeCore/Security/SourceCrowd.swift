/// Who is where there is room for so many, by the sources that they come from: who gives way when
/// there are too many is a question of sources.
///
/// The source that has the most gives way. Of several that have as many, chance takes one, and the
/// newcomer's own is among them: a flood from thousands of addresses would else push out whoever
/// came before it, or keep out whoever comes after. One who is here for a time t while F others come
/// a second, each from a place of its own, to Q places stays with a probability of e^(-F*t/Q).
///
/// Invariant: each member is in one of `rooms`, that of its source; no room is empty, and `places`
/// has each source's; `sizes` counts the rooms by their members.
public struct SourceCrowd<ID: Hashable & Sendable>: Sendable {
    /// The members of one source, in the order in which they came.
    private struct Room {
        let source: String
        var members: [ID]
    }

    private var rooms: [Room] = []
    private var places: [String: Int] = [:]
    private var sources: [ID: String] = [:]
    /// How many sources have so many, by this number, and the greatest of these.
    private var sizes = [0]
    /// How many the source has that has the most.
    public private(set) var most = 0

    /// Nobody.
    public init() {}

    public var count: Int { sources.count }
    public var isEmpty: Bool { sources.isEmpty }
    /// Sources that have somebody here.
    public var sourceCount: Int { rooms.count }
    /// Everybody, in no order.
    public var members: some Collection<ID> { sources.keys }

    /// Where a member comes from; nil for somebody who is not here.
    public func source(of id: ID) -> String? { sources[id] }

    /// How many a source has.
    public func count(of source: String) -> Int { members(of: source).count }

    /// A source's members, in the order in which they came.
    public func members(of source: String) -> [ID] {
        places[source].map { rooms[$0].members } ?? []
    }

    /// Takes in somebody who is not here.
    public mutating func add(_ id: ID, from source: String) {
        remove(id)
        sources[id] = source
        if let place = places[source] {
            rooms[place].members.append(id)
            return resized(from: rooms[place].members.count - 1, to: rooms[place].members.count)
        }
        places[source] = rooms.count
        rooms.append(Room(source: source, members: [id]))
        resized(from: 0, to: 1)
    }

    private mutating func resized(from old: Int, to new: Int) {
        if new == sizes.count { sizes.append(0) }
        if old > 0 { sizes[old] -= 1 }
        if new > 0 { sizes[new] += 1 }
        most = max(most, new)
        // It was the last with as many.
        if most > 0, sizes[most] == 0 { most -= 1 }
    }

    /// Lets somebody go.
    ///
    /// - Returns: where it came from; nil if it was not here.
    @discardableResult
    public mutating func remove(_ id: ID) -> String? {
        guard let source = sources.removeValue(forKey: id), let place = places[source] else {
            return nil
        }
        if let index = rooms[place].members.firstIndex(of: id) {
            rooms[place].members.remove(at: index)
            resized(from: rooms[place].members.count + 1, to: rooms[place].members.count)
        }
        if rooms[place].members.isEmpty { close(place) }
        return source
    }

    /// The last room takes the place of an empty one.
    private mutating func close(_ place: Int) {
        rooms.swapAt(place, rooms.count - 1)
        places[rooms.removeLast().source] = nil
        if place < rooms.count { places[rooms[place].source] = place }
    }

    // MARK: Who gives way

    /// The first member of each source that has the most, where one more is counted for a newcomer's;
    /// and how many such a source has.
    func firstOfGreatest(with newcomer: String) -> (most: Int, firsts: [ID]) {
        let place = places[newcomer]
        let own = (place.map { rooms[$0].members.count } ?? 0) + 1
        let most = max(most, own)
        var firsts: [ID] = []
        for index in rooms.indices
        where rooms[index].members.count == most || index == place && own == most {
            firsts.append(rooms[index].members[0])
        }
        return (most, firsts)
    }

    /// The members of the source that is to give way; nil where nobody is here.
    public func greatest(using generator: inout some RandomNumberGenerator) -> [ID]? {
        guard most > 0 else { return nil }
        // Where many have as many, as in a flood from many addresses, one of them is soon found.
        for _ in 0..<8 {
            let room = rooms[Int.random(in: 0..<rooms.count, using: &generator)]
            if room.members.count == most { return room.members }
        }
        var left = Int.random(in: 0..<sizes[most], using: &generator)
        for room in rooms where room.members.count == most {
            if left == 0 { return room.members }
            left -= 1
        }
        return nil
    }

    /// Who gives way to a newcomer where being here is worth something, so that nobody is sent away
    /// by chance: the newest of the source that has the most. Nil where the newcomer's own source
    /// would then have as many as that one: it has no better right. So each change makes the shares
    /// more even, and whoever comes back pushes out nobody in its turn.
    public func yielding(to newcomer: String) -> ID? {
        guard count(of: newcomer) + 1 < most else { return nil }
        // Those of several that have as many are told apart by their names, not by the order of a
        // hash table.
        let greatest = rooms.filter { $0.members.count == most }
        return greatest.min { $0.source < $1.source }?.members.last
    }

    /// Some of the sources, as many as are asked for or there are, each with its first member. Each
    /// source is as likely as another to be the first of them.
    public func randomSources(
        _ limit: Int, using generator: inout some RandomNumberGenerator
    ) -> [(source: String, first: ID)] {
        guard !rooms.isEmpty else { return [] }
        let start = Int.random(in: 0..<rooms.count, using: &generator)
        return (0..<min(limit, rooms.count)).map { step in
            let room = rooms[(start + step) % rooms.count]
            return (room.source, room.members[0])
        }
    }

    /// What is wrong; nil where nothing is. Looks at everybody: for tests.
    package var brokenInvariant: String? {
        if rooms.contains(where: { $0.members.isEmpty }) { return "a source has nobody" }
        if rooms.reduce(0, { max($0, $1.members.count) }) != most { return "the most is wrong" }
        var counted = [Int](repeating: 0, count: max(sizes.count, most + 1))
        for room in rooms { counted[room.members.count] += 1 }
        if !counted.dropFirst().elementsEqual(sizes.dropFirst()) { return "the sizes are wrong" }
        if places.count != rooms.count { return "a source is lost" }
        if rooms.indices.contains(where: { places[rooms[$0].source] != $0 }) {
            return "a source is not in its place"
        }
        let housed = rooms.flatMap { room in room.members.map { ($0, room.source) } }
        if housed.count != sources.count || housed.contains(where: { sources[$0.0] != $0.1 }) {
            return "somebody is not where it belongs"
        }
        return nil
    }
}
