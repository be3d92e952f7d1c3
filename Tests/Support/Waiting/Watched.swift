import Foundation
import Synchronization

/// A value that threads change and tasks wait on: each change wakes every waiting task.
///
/// Invariant: whoever is in `sleepers` has seen the current `version`, so no change is missed.
final class Watched<State: Sendable>: Sendable {
    private struct Guarded: Sendable {
        var state: State
        var version = 0
        var sleepers: [CheckedContinuation<Void, Never>] = []
    }

    private let guarded: Mutex<Guarded>

    init(_ state: State) {
        guarded = Mutex(Guarded(state: state))
    }

    var state: State { guarded.withLock { $0.state } }

    func change(_ body: (inout State) -> Void) {
        let sleepers = guarded.withLock { guarded in
            body(&guarded.state)
            guarded.version += 1
            defer { guarded.sleepers = [] }
            return guarded.sleepers
        }
        for sleeper in sleepers { sleeper.resume() }
    }

    /// Waits until `find` answers something other than nil. It may throw to end the wait early.
    nonisolated(nonsending) func wait<Value>(
        for what: String,
        until deadline: Deadline,
        seen: (State) -> String,
        find: (State) throws -> Value?
    ) async throws -> Value {
        setAlarm(at: deadline)
        while true {
            let last = deadline.hasPassed
            let (state, version) = guarded.withLock { ($0.state, $0.version) }
            if let value = try find(state) { return value }
            if last { throw WaitFailed(what: what, after: deadline, seen: seen(state)) }
            try Task.checkCancellation()
            await nextChange(after: version)
        }
    }

    /// One needless wake-up at the deadline is all the timer that a wait needs.
    private func setAlarm(at deadline: Deadline) {
        // A little late, so that the deadline has surely passed when the task looks.
        let time = DispatchTime.now() + deadline.remainingSeconds + 0.002
        DispatchQueue.global().asyncAfter(deadline: time) { [weak self] in
            self?.change { _ in }
        }
    }

    private func nextChange(after version: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { sleeper in
                let missed = guarded.withLock { guarded in
                    guard guarded.version == version else { return true }
                    guarded.sleepers.append(sleeper)
                    return false
                }
                if missed { sleeper.resume() }
            }
        } onCancel: {
            change { _ in }
        }
    }
}
