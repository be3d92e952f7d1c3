/// What is held against the sources of wrong codes.
///
/// Invariant: at most ``Limits/rememberedSources`` sources are remembered, each with a few wrong
/// codes or with the time until which they closed its door.
struct SourceDoors {
    private struct Door {
        /// When the wrong codes of the last window came, fewer than close it.
        var failures: [Duration] = []
        var closedUntil: Duration?
        var lastFailure: Duration

        func isClosed(now: Duration) -> Bool { closedUntil.map { now < $0 } ?? false }
    }

    private var doors: [String: Door] = [:]

    /// Whether a source's door is closed.
    func isClosed(_ source: String, now: Duration) -> Bool {
        doors[source]?.isClosed(now: now) ?? false
    }

    /// A source had a wrong code.
    mutating func failed(_ source: String, now: Duration) -> Reception.DoorState {
        var door = doors[source] ?? Door(lastFailure: now)
        // What was begun before the door closed: it neither closes again nor stays so for longer.
        if door.isClosed(now: now) { return .open(failures: Limits.wrongCodes) }
        makeRoom(for: source, now: now)
        door.lastFailure = now
        door.closedUntil = nil
        door.failures.removeAll { $0 + Limits.wrongCodesWindow <= now }
        door.failures.append(now)
        defer { doors[source] = door }
        guard door.failures.count >= Limits.wrongCodes else {
            return .open(failures: door.failures.count)
        }
        let until = now + Limits.closedDoor
        door.failures = []
        door.closedUntil = until
        return .closed(until: until)
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
}
