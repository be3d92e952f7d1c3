import BeamscribeCore
import Testing

/// A reception whose calls can stand in an expectation, and whose invariant is checked after each, or
/// after each twentieth of a large one.
final class Desk {
    var machine: Reception
    private var calls = 0
    private let checkInterval: Int

    init(
        timeout: Duration = .seconds(10), silent: Int = Limits.silentConnections,
        speaking: Int = Limits.halfOpenHandshakes
    ) {
        machine = Reception(timeout: timeout, silent: silent, speaking: speaking)
        // With hundreds of strangers the check takes longer than the rest of a test together.
        checkInterval = silent > 100 ? 20 : 1
    }

    /// What becomes of a connection that came in.
    enum Arrival: Equatable {
        case wait(sendingAway: ConnectionID?)
    }

    func arrive(_ id: ConnectionID, from source: String, _ now: Duration = .zero) -> Arrival {
        defer { check() }
        return .wait(sendingAway: machine.arrived(id, from: source, now: now))
    }

    func begin(_ id: ConnectionID, _ now: Duration = .zero) -> Reception.Beginning {
        defer { check() }
        return machine.begin(id, now: now)
    }

    func hurry(_ source: String, _ now: Duration) {
        machine.hurry(source, now: now)
        check()
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

    private func check() {
        calls += 1
        guard calls.isMultiple(of: checkInterval) else { return }
        if let broken = machine.brokenInvariant { Issue.record("\(broken)") }
    }
}
