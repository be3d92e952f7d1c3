/// What is held against the sources of wrong codes, and their guesses that are under way.
///
/// Invariant: at most ``Limits/rememberedSources`` sources are remembered, each with a few wrong
/// codes or with the time until which they closed its door; a source's wrong codes and its guesses
/// under way are ``Limits/wrongCodes`` together at most.
struct SourceDoors {
    private struct Door {
        /// When the wrong codes of the last window came, fewer than close it.
        var failures: [Duration] = []
        var closedUntil: Duration?
        var lastFailure: Duration

        func isClosed(now: Duration) -> Bool { closedUntil.map { now < $0 } ?? false }

        func failures(now: Duration) -> Int {
            failures.count { now < $0 + Limits.wrongCodesWindow }
        }
    }

    private var doors: [String: Door] = [:]
    private var pending: [String: Int] = [:]

    /// Whether a source's door is closed.
    func isClosed(_ source: String, now: Duration) -> Bool {
        doors[source]?.isClosed(now: now) ?? false
    }

    /// A source is to have an answer to a guess, which ``end(_:)`` has to follow.
    ///
    /// - Returns: false where that has to wait for another's end, or the door is closed.
    mutating func begin(_ source: String, now: Duration) -> Bool {
        let door = doors[source]
        let count = pending[source, default: 0]
        guard door?.isClosed(now: now) != true,
            count + (door?.failures(now: now) ?? 0) < Limits.wrongCodes,
            count < Limits.pendingGuesses
        else { return false }
        pending[source] = count + 1
        return true
    }

    /// A guess that was begun is over.
    mutating func end(_ source: String) {
        guard let count = pending[source] else { return }
        pending[source] = count > 1 ? count - 1 : nil
    }

    /// A source had a wrong code.
    ///
    /// - Returns: whether this one has closed its door; said once each time.
    mutating func failed(_ source: String, now: Duration) -> Bool {
        var door = doors[source] ?? Door(lastFailure: now)
        // What was begun before the door closed: it neither closes again nor stays so for longer.
        if door.isClosed(now: now) { return false }
        makeRoom(for: source, now: now)
        door.lastFailure = now
        door.closedUntil = nil
        door.failures.removeAll { $0 + Limits.wrongCodesWindow <= now }
        door.failures.append(now)
        defer { doors[source] = door }
        guard door.failures.count >= Limits.wrongCodes else { return false }
        door.failures = []
        door.closedUntil = now + Limits.closedDoor
        return true
    }

    /// Where the table is full, forgets the source whose last wrong code is the oldest, one with an
    /// open door before one with a closed one. Looking through the full table takes a tenth of a
    /// millisecond, no more than the handshake that failed.
    private mutating func makeRoom(for source: String, now: Duration) {
        guard doors.count >= Limits.rememberedSources, doors[source] == nil else { return }
        let first = doors.min { rank($0.value, now: now) < rank($1.value, now: now) }
        if let first { doors[first.key] = nil }
    }

    private func rank(_ door: Door, now: Duration) -> (Int, Duration) {
        (door.isClosed(now: now) ? 1 : 0, door.lastFailure)
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        if doors.count > Limits.rememberedSources { return "too many sources are remembered" }
        let isWrong = { (door: Door) in
            door.failures.count >= Limits.wrongCodes
                || door.failures.isEmpty == (door.closedUntil == nil)
        }
        return doors.values.contains(where: isWrong) ? "a door's record is wrong" : nil
    }

    /// The same, where the guesses that are under way are of these sources.
    func brokenInvariant(guessing: [String]) -> String? {
        let counts = Dictionary(guessing.map { ($0, 1) }, uniquingKeysWith: +)
        if counts != pending { return "guesses are counted wrongly" }
        return counts.values.contains { $0 > Limits.pendingGuesses } ? "too many guesses" : nil
    }
}
