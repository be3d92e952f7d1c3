/// Decides about guests that are to prove the event's code: their TLS handshake is done, and nothing
/// has been told to them.
///
///     arrived --> asked --guess--> guessing --proved--> a guest's connection
///
/// Each has one guess. It is counted as wrong unless it is proved right, however its connection
/// ends: whoever has got the host's answer knows whether he has guessed. A source has as many
/// guesses under way at once as it may have wrong ones; the others wait. With too many wrong ones the
/// door closes to it for a while, and what else it has here is ``overdue(now:)`` at once.
///
/// Where there are too many, the newest of the source that has the most (``SourceCrowd``) has to go:
/// the others are nearer to their end.
///
/// Invariant: `guessing` and `waiting` are of those that are here, and none is in both; `deadlines`
/// has everybody's.
public struct CodeDesk: Sendable {
    private let timeout: Duration
    private let limit: Int
    private var guests = SourceCrowd<ConnectionID>()
    private var deadlines: [ConnectionID: Duration] = [:]
    private var generator: SeededGenerator
    private var doors = SourceDoors()
    /// Those that have the host's answer, or are about to.
    private var guessing: Set<ConnectionID> = []
    /// Those that have guessed and have no answer, in order.
    private var waiting: [ConnectionID] = []
    /// Sources to which the door was closed, and of which nobody was told yet.
    private var closures: [String] = []
    /// Wrong codes so far, of all sources.
    public private(set) var wrongCodes = 0

    /// - Parameters:
    ///   - timeout: from a guest's arrival to its proof.
    ///   - seed: for what is left to chance.
    ///   - limit: how many may be here at once.
    public init(timeout: Duration, seed: UInt64, limit: Int) {
        self.timeout = timeout
        self.limit = limit
        generator = SeededGenerator(seed: seed)
    }

    /// How many are here.
    public var count: Int { guests.count }

    /// Whether a source's door is closed by its wrong codes.
    public func isClosed(_ source: String, now: Duration) -> Bool {
        doors.isClosed(source, now: now)
    }

    /// The sources to which the door was closed since this was asked last: for the operator, and
    /// for their strangers elsewhere.
    public mutating func takeClosures() -> [String] {
        defer { closures = [] }
        return closures
    }

    // MARK: Guests

    /// A guest's TLS handshake is done.
    ///
    /// - Returns: who has to go for it; it is out.
    public mutating func arrived(
        _ id: ConnectionID, from source: String, now: Duration
    ) -> ConnectionID? {
        left(id, now: now)
        guests.add(id, from: source)
        deadlines[id] = now + timeout
        guard guests.count > limit, let other = guests.greatest(using: &generator)?.last else {
            return nil
        }
        left(other, now: now)
        return other
    }

    /// A guest has made its guess, and wants the answer; ``mayGuess(atMost:now:)`` tells when.
    public mutating func guessed(_ id: ConnectionID) {
        guard guests.source(of: id) != nil, !guessing.contains(id), !waiting.contains(id) else {
            return
        }
        waiting.append(id)
    }

    /// Those of the waiting, `limit` at most, that are to get their answers now. From here on their
    /// guesses count.
    public mutating func mayGuess(atMost limit: Int, now: Duration) -> [ConnectionID] {
        var ready: [ConnectionID] = []
        for id in waiting where ready.count < limit {
            guard let source = guests.source(of: id), doors.begin(source, now: now) else {
                continue
            }
            ready.append(id)
        }
        guard !ready.isEmpty else { return [] }
        guessing.formUnion(ready)
        waiting.removeAll { guessing.contains($0) }
        return ready
    }

    /// A guest has proved that it knows the code, and is out.
    public mutating func proved(_ id: ConnectionID) {
        guard let source = remove(id) else { return }
        if guessing.remove(id) != nil { doors.end(source) }
    }

    private mutating func remove(_ id: ConnectionID) -> String? {
        deadlines[id] = nil
        waiting.removeAll { $0 == id }
        return guests.remove(id)
    }

    /// A guest has failed, or is gone for whatever reason. Of one that is not here this is no news.
    ///
    /// - Returns: whether that counts as a wrong code.
    @discardableResult
    public mutating func left(_ id: ConnectionID, now: Duration) -> Bool {
        guard let source = remove(id), guessing.remove(id) != nil else { return false }
        doors.end(source)
        wrongCodes += 1
        if doors.failed(source, now: now) {
            closures.append(source)
            for other in guests.members(of: source) { deadlines[other] = now }
        }
        return true
    }

    // MARK: Time

    /// When ``overdue(now:)`` is worth calling; nil while nobody is here.
    public var nextDeadline: Duration? { deadlines.values.min() }

    /// Those whose time is over, and those to whose source the door was closed. They are out.
    public mutating func overdue(now: Duration) -> [ConnectionID] {
        var all: [ConnectionID] = []
        // One that is overdue may close the door to others.
        while true {
            let overdue = deadlines.filter { $0.value <= now }.keys.sorted()
            guard !overdue.isEmpty else { return all }
            for id in overdue { left(id, now: now) }
            all += overdue
        }
    }

    /// All who prove the code: for tests.
    package var everybody: Set<ConnectionID> { Set(guests.members) }

    /// What is wrong with the desk's state; nil where nothing is. Looks at everybody: for tests.
    package var brokenInvariant: String? {
        if let broken = guests.brokenInvariant ?? doors.brokenInvariant { return broken }
        if !guessing.isDisjoint(with: waiting) { return "a guest guesses and waits" }
        let here = Set(guests.members)
        if here != Set(deadlines.keys) { return "a deadline is lost, or left over" }
        if !here.isSuperset(of: guessing.union(waiting)) { return "a guest is not here" }
        if here.count > limit { return "there are too many" }
        let sources = guessing.compactMap { guests.source(of: $0) }
        return doors.brokenInvariant(guessing: sources)
    }
}
