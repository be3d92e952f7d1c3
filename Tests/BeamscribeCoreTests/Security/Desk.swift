import BeamscribeCore
import Testing

/// A reception whose calls can stand in an expectation, and whose invariant is checked after each, or
/// after each thousandth of a large one. It sends away who is one too many, as a driver does whose
/// strangers have said nothing that it has not heard.
final class Desk {
    var machine: Reception
    /// Who was sent away as one too many, silent ones and others, in order.
    private(set) var surplus: [ConnectionID] = []
    private var calls = 0
    private let checkInterval: Int

    init(
        timeout: Duration = .seconds(10), silent: Int = Limits.silentConnections,
        waiting: Int = Limits.waitingHandshakes, speaking: Int = Limits.halfOpenHandshakes,
        seed: UInt64 = 1
    ) {
        var places = Reception.Places()
        (places.silent, places.waiting, places.speaking) = (silent, waiting, speaking)
        machine = Reception(timeout: timeout, seed: seed, places: places)
        // With hundreds of strangers the check takes longer than the rest of a test together.
        checkInterval = silent > 100 ? 1_000 : 1
    }

    func arrive(_ id: ConnectionID, from source: String, _ now: Duration = .zero) {
        machine.arrived(id, from: source, now: now)
        while let other = machine.silentSurplus() { sendAway(other) }
        check()
    }

    func speak(_ id: ConnectionID, _ now: Duration = .zero) {
        machine.spoke(id, now: now)
        while let other = machine.waitingSurplus() { sendAway(other) }
        check()
    }

    func next(_ now: Duration = .zero) -> Reception.Beginning {
        defer { check() }
        return machine.next(now: now)
    }

    /// Somebody comes and says at once all that its handshake needs to begin.
    func hello(_ id: ConnectionID, from source: String, _ now: Duration = .zero) {
        arrive(id, from: source, now)
        speak(id, now)
    }

    func overdue(_ now: Duration) -> [ConnectionID] {
        defer { check() }
        return machine.overdue(now: now)
    }

    func left(_ id: ConnectionID) {
        machine.left(id)
        check()
    }

    func admitted(_ id: ConnectionID) {
        machine.admitted(id)
        check()
    }

    private func sendAway(_ id: ConnectionID) {
        surplus.append(id)
        machine.left(id)
    }

    private func check() {
        calls += 1
        guard calls.isMultiple(of: checkInterval) else { return }
        if let broken = machine.brokenInvariant { Issue.record("\(broken)") }
    }
}
