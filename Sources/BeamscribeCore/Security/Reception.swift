/// Decides about strangers: connections that have not finished the TLS handshake. Nothing costs
/// much before it is earned.
///
///     arrived --> silent --spoke--> waiting --next--> speaking --admitted--> a guest's connection
///     (a descriptor)    (its first words)  (memory and computing)
///
/// Where there are too many, room is made by sending strangers away rather than by refusing
/// newcomers, and the source (see ``SourceCrowd``) that has the most gives way. A flood from one
/// machine so throws out its own, and even its own quick newcomers get through; in one from
/// thousands of addresses an honest stranger, which is done within milliseconds, has a good chance.
///
/// Whoever has said all that its handshake needs to begin is no longer silent. It waits for its
/// turn, for as long as it takes, and time that it waits is not counted against it. The source that
/// has the fewest handshakes under way has the next turn, of several such one by chance.
///
/// A handshake that goes on is left alone for a moment where nobody is to blame for the crowd, as
/// when a whole room comes back at once.
///
/// A source with too many wrong codes (``CodeDesk``) finds the door closed for a while, and those of
/// it that are here are ``overdue(now:)`` at once (``hurry(_:now:)``).
///
/// Whoever ``next(now:)`` sends away or is overdue is out of the reception when the call
/// returns; the driver closes the connection. Who is one too many (``silentSurplus()``,
/// ``waitingSurplus()``) stays until the driver says that it ``left(_:)``: it looks first whether the
/// stranger has said something that it has not heard yet. ``left(_:)`` of a connection that is not
/// here does nothing.
///
/// Invariant: each stranger is silent, waits or speaks; at most ``Limits/halfOpenHandshakes`` speak,
/// and once the driver has made room at most ``Limits/silentConnections`` are silent and
/// ``Limits/waitingHandshakes`` wait.
public struct Reception: Sendable {
    /// Whose handshake begins.
    public enum Beginning: Equatable, Sendable {
        /// Nobody waits.
        case nobody
        /// This one's; another has to go for it where there are too many.
        case now(ConnectionID, sendingAway: ConnectionID?)
        /// Too many are under way: to be asked again when one of them is over, or at a time.
        case later(Duration)
    }

    /// How many may be in each phase at once.
    public struct Places: Equatable, Sendable {
        /// How many may be silent.
        public var silent = Limits.silentConnections
        /// How many may wait for their turn.
        public var waiting = Limits.waitingHandshakes
        /// How many may speak.
        public var speaking = Limits.halfOpenHandshakes

        /// The usual places.
        public init() {}

        /// What a program has room for that may have so many descriptors open: half of them are for
        /// guests, files and phones.
        public init(openFiles: Int) {
            silent = min(silent, max(8, openFiles / 8))
            waiting = min(waiting, max(8, openFiles / 4))
            speaking = min(speaking, max(8, openFiles / 8))
        }
    }

    /// What is known of a stranger beside its phase.
    private struct Record {
        /// When its time is over; while it waits, what is left of it then counts from `since`.
        var deadline: Duration
        /// When it began to wait, or to speak.
        var since: Duration = .zero
    }

    private let timeout: Duration
    private let places: Places
    private var silent = SourceCrowd<ConnectionID>()
    private var waiting = SourceCrowd<ConnectionID>()
    private var speaking = SourceCrowd<ConnectionID>()
    private var records: [ConnectionID: Record] = [:]
    /// Those who wait, and to whose source the door was closed.
    private var unwelcome: Set<ConnectionID> = []
    private var generator: SeededGenerator

    /// - Parameters:
    ///   - timeout: from a stranger's arrival to the end of its handshake, waiting not counted.
    ///   - seed: for what is left to chance.
    public init(timeout: Duration, seed: UInt64, places: Places = Places()) {
        self.timeout = timeout
        self.places = places
        generator = SeededGenerator(seed: seed)
    }

    /// Strangers that have not said enough yet.
    public var silentCount: Int { silent.count }
    /// Strangers that have, and whose turn has not come.
    public var waitingCount: Int { waiting.count }
    /// Strangers whose handshake has begun.
    public var speakingCount: Int { speaking.count }

    // MARK: Strangers

    /// A connection came in.
    ///
    /// - Parameter source: what is held against whom: an address without its port.
    public mutating func arrived(_ id: ConnectionID, from source: String, now: Duration) {
        left(id)
        silent.add(id, from: source)
        records[id] = Record(deadline: now + timeout)
    }

    /// A stranger has said all that its handshake needs to begin. Of a connection that is not
    /// silent, or not here, this is no news.
    public mutating func spoke(_ id: ConnectionID, now: Duration) {
        guard let source = silent.remove(id) else { return }
        waiting.add(id, from: source)
        records[id]?.since = now
    }

    /// Whether a stranger waits for its turn.
    public func isWaiting(_ id: ConnectionID) -> Bool { waiting.source(of: id) != nil }

    /// The silent stranger that has to go as there are too many; nil where there are not. It has to
    /// go unless it has said something that is not known here yet.
    public mutating func silentSurplus() -> ConnectionID? {
        guard silent.count > places.silent else { return nil }
        // The first of a source, so that what is quick gets through a flood from its own address.
        return silent.greatest(using: &generator)?.first
    }

    /// The waiting stranger that has to go as there are too many; nil where there are not. It is to
    /// be told that the host has no time for it.
    public mutating func waitingSurplus() -> ConnectionID? {
        guard waiting.count > places.waiting else { return nil }
        // The last of a source: the others have waited for their turns.
        return waiting.greatest(using: &generator)?.last
    }

    // MARK: Beginning

    /// Whose handshake begins now.
    public mutating func next(now: Duration) -> Beginning {
        guard let (source, id) = nextToBegin() else { return .nobody }
        guard speaking.count >= places.speaking else {
            begin(id, from: source, now: now)
            return .now(id, sendingAway: nil)
        }
        switch whoMakesRoom(for: source, now: now) {
        case .at(let due): return .later(due)
        case .now(let other):
            left(other)
            begin(id, from: source, now: now)
            return .now(id, sendingAway: other)
        }
    }

    private mutating func begin(_ id: ConnectionID, from source: String, now: Duration) {
        waiting.remove(id)
        speaking.add(id, from: source)
        guard let record = records[id] else { return }
        let isUnwelcome = unwelcome.remove(id) != nil
        let deadline = isUnwelcome ? now : record.deadline + (now - record.since)
        records[id] = Record(deadline: deadline, since: now)
    }

    /// The first of the source that has the fewest handshakes under way. Of many sources a few are
    /// looked at, which chance chooses.
    private mutating func nextToBegin() -> (source: String, first: ConnectionID)? {
        var chosen: (source: String, first: ConnectionID)?
        var fewest = Int.max
        for next in waiting.randomSources(Self.sourcesLookedAt, using: &generator) {
            let count = speaking.count(of: next.source)
            if count < fewest { (chosen, fewest) = (next, count) }
        }
        return chosen
    }

    private enum Room {
        case now(ConnectionID)
        case at(Duration)
    }

    /// Whom a handshake of a source pushes out where all places are taken. A source that crowds
    /// others out is given no time at the cost of theirs. Else each handshake is left alone for a
    /// while.
    private mutating func whoMakesRoom(for source: String, now: Duration) -> Room {
        let (most, firsts) = speaking.firstOfGreatest(with: source)
        let crowds = most > speaking.count(of: source) + 1 && most > places.speaking / 4
        let patience = crowds ? .zero : patience
        let due = firsts.map { (records[$0]?.since ?? .zero) + patience }
        let ready = firsts.indices.filter { due[$0] <= now }
        if let other = ready.randomElement(using: &generator) { return .now(firsts[other]) }
        return .at(due.min() ?? now)
    }

    /// How long a handshake is left alone: for less where many sources wait, so that those who come
    /// to a flood from many addresses do not wait long.
    private var patience: Duration {
        if waiting.sourceCount > places.speaking { return Limits.handshakePatience }
        return waiting.sourceCount == 1
            ? Limits.handshakePatienceWithOneSource : Limits.handshakePatienceInARoom
    }

    private static let sourcesLookedAt = 8

    // MARK: Leaving

    /// A stranger's handshake is complete.
    public mutating func admitted(_ id: ConnectionID) { left(id) }

    /// A connection is gone.
    public mutating func left(_ id: ConnectionID) {
        records[id] = nil
        unwelcome.remove(id)
        if speaking.remove(id) == nil, waiting.remove(id) == nil { silent.remove(id) }
    }

    /// The door was closed to a source: the time of its strangers is over.
    public mutating func hurry(_ source: String, now: Duration) {
        for other in silent.members(of: source) + speaking.members(of: source) {
            records[other]?.deadline = now
        }
        unwelcome.formUnion(waiting.members(of: source))
    }

    // MARK: Time

    /// When ``overdue(now:)`` is worth calling; nil while there is no reason.
    public var nextDeadline: Duration? {
        if !unwelcome.isEmpty { return .zero }
        var earliest: Duration?
        for members in [silent.members, speaking.members] {
            for id in members {
                guard let deadline = records[id]?.deadline else { continue }
                earliest = min(earliest ?? deadline, deadline)
            }
        }
        return earliest
    }

    /// Those whose time is over, and those to whose source the door was closed. They are out.
    public mutating func overdue(now: Duration) -> [ConnectionID] {
        let timed = (Array(speaking.members) + Array(silent.members)).filter { id in
            records[id].map { $0.deadline <= now } ?? false
        }
        let overdue = (timed + unwelcome).sorted()
        for id in overdue { left(id) }
        return overdue
    }

    /// All strangers: for tests.
    package var everybody: Set<ConnectionID> { Set(records.keys) }

    /// What is wrong with the reception's state; nil where nothing is. Looks at everybody: for
    /// tests.
    package var brokenInvariant: String? {
        for crowd in [silent, waiting, speaking] {
            if let broken = crowd.brokenInvariant { return broken }
        }
        if speaking.count > places.speaking { return "too many handshakes are under way" }
        let phases = [silent, waiting, speaking].map { Set($0.members) }
        let everybody = phases.reduce(Set()) { $0.union($1) }
        if everybody.count != phases.map(\.count).reduce(0, +) {
            return "a stranger is in two phases"
        }
        if !unwelcome.isSubset(of: phases[1]) { return "a stranger is unwelcome who is not there" }
        if everybody != Set(records.keys) { return "a stranger's record is lost, or left over" }
        return nil
    }
}
