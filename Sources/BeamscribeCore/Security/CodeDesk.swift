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
/// Where there are too many, the one that has been here longest of the source that has the most has
/// to go.
///
/// Invariant: `guessing` and `waiting` are of those that are here, and none is in both.
public struct CodeDesk: Sendable {
    private let timeout: Duration
    private var guests: StrangerQueue
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
    ///   - limit: how many may be here at once.
    public init(timeout: Duration, limit: Int = Limits.provingGuests) {
        self.timeout = timeout
        guests = StrangerQueue(limit: limit)
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
        let guest = Stranger(id: id, source: source, deadline: now + timeout)
        guard let other = guests.add(guest) else { return nil }
        settle(other, now: now)
        return other.id
    }

    /// A guest has made its guess, and wants the answer; ``mayGuess(atMost:now:)`` tells when.
    public mutating func guessed(_ id: ConnectionID) {
        guard guests.find(id) != nil, !guessing.contains(id), !waiting.contains(id) else { return }
        waiting.append(id)
    }

    /// Those of the waiting, `limit` at most, that are to get their answers now. From here on their
    /// guesses count.
    public mutating func mayGuess(atMost limit: Int, now: Duration) -> [ConnectionID] {
        var ready: [ConnectionID] = []
        for id in waiting where ready.count < limit {
            guard let guest = guests.find(id), doors.begin(guest.source, now: now) else { continue }
            ready.append(id)
        }
        guard !ready.isEmpty else { return [] }
        guessing.formUnion(ready)
        waiting.removeAll { guessing.contains($0) }
        return ready
    }

    /// A guest has proved that it knows the code, and is out.
    public mutating func proved(_ id: ConnectionID) {
        guard let guest = guests.remove(id) else { return }
        if guessing.remove(id) != nil { doors.end(guest.source) }
        waiting.removeAll { $0 == id }
    }

    /// A guest has failed, or is gone for whatever reason. Of one that is not here this is no news.
    ///
    /// - Returns: whether that counts as a wrong code.
    @discardableResult
    public mutating func left(_ id: ConnectionID, now: Duration) -> Bool {
        guests.remove(id).map { settle($0, now: now) } ?? false
    }

    /// Counts the guess of one that is out.
    @discardableResult
    private mutating func settle(_ guest: Stranger, now: Duration) -> Bool {
        waiting.removeAll { $0 == guest.id }
        guard guessing.remove(guest.id) != nil else { return false }
        doors.end(guest.source)
        wrongCodes += 1
        if doors.failed(guest.source, now: now) {
            closures.append(guest.source)
            guests.hurry(guest.source, to: now)
        }
        return true
    }

    // MARK: Time

    /// When ``overdue(now:)`` is worth calling; nil while nobody is here.
    public var nextDeadline: Duration? { guests.nextDeadline }

    /// Those whose time is over, and those to whose source the door was closed. They are out.
    public mutating func overdue(now: Duration) -> [ConnectionID] {
        var all: [ConnectionID] = []
        // One that is overdue may close the door to others.
        while true {
            let overdue = guests.removeOverdue(now: now)
            guard !overdue.isEmpty else { return all }
            for guest in overdue { settle(guest, now: now) }
            all += overdue.map(\.id)
        }
    }

    /// What is wrong with the desk's state; nil where nothing is. Looks at everybody: for tests.
    package var brokenInvariant: String? {
        if let broken = guests.brokenInvariant ?? doors.brokenInvariant { return broken }
        if !guessing.isDisjoint(with: waiting) { return "a guest guesses and waits" }
        if !guests.ids.isSuperset(of: guessing.union(waiting)) { return "a guest is not here" }
        let sources = guessing.compactMap { guests.find($0)?.source }
        return doors.brokenInvariant(guessing: sources)
    }
}
