import BeamscribeCore
import BeamscribeIO
import Synchronization

/// Runs the command of `--exec` for one thing after another, beside captions and voices and never in their way.
///
/// Invariant: at most one command runs, and only while `work` is there.
final class ExecRunner: Sendable {
    /// What the command is run for, for people.
    struct Kind {
        /// Each of it, as in "line".
        let noun: String
        /// All of it, as in "captions".
        let whole: String
        /// How many may wait.
        let limit: Int
        /// How a user tries the command by hand.
        let trial: String
    }

    private struct State {
        var queue: ExecQueue
        var work: Task<Void, Never>?
        /// Whether what runs is to end.
        var isHurried = false
        var failures = 0
        var runs = 0
    }

    private let command: ShellCommand
    private let kind: Kind
    private let worker: ExecWorker
    private let tell: @Sendable (String) -> Void
    private let state: Mutex<State>

    /// - Parameter tell: takes warnings.
    init(
        _ command: ShellCommand, for kind: Kind, tell: @escaping @Sendable (String) -> Void
    ) throws(SystemError) {
        (self.command, self.kind, self.tell) = (command, kind, tell)
        state = Mutex(State(queue: ExecQueue(limit: kind.limit)))
        worker = try ExecWorker()
    }

    /// Queues these runs.
    func take(_ runs: [ExecRun]) {
        var isLate = false
        state.withLock { state in
            for run in runs { if state.queue.append(run) { isLate = true } }
            guard state.queue.count > 0, state.work == nil else { return }
            state.work = Task { await work() }
        }
        if isLate {
            tell(
                "the command of --exec is slower than the \(kind.whole); of the \(kind.noun)s that "
                    + "wait for it only the newest \(kind.limit) are kept. Give it less to do.")
        }
    }

    /// Waits for what waits, but not long, and says what has gone wrong.
    func close() async {
        let hurry = Task {
            try await Task.sleep(for: Limits.lastCommands)
            giveUp()
        }
        await state.withLock { $0.work }?.value
        hurry.cancel()
        let (dropped, failures, runs) = state.withLock { ($0.queue.dropped, $0.failures, $0.runs) }
        if dropped > 0 { tell("\(plural(dropped, kind.noun)) went without the command of --exec.") }
        if failures > 1 {
            tell("the command of --exec failed on \(failures) of \(plural(runs, kind.noun)).")
        }
    }

    private func giveUp() {
        let left = state.withLock { state in
            state.isHurried = true
            return state.queue.removeAll()
        }
        tell(
            "the command of --exec was not done after \(Int(saturating: Limits.lastCommands.seconds)) s and is "
                + "ended; \(plural(left, kind.noun)) went without it.")
    }

    // MARK: Running

    private func work() async {
        while let run = next() {
            let outcome = await worker.run(command, run) { self.state.withLock(\.isHurried) }
            note(outcome, run.subject)
        }
    }

    private func next() -> ExecRun? {
        state.withLock { state in
            let run = state.queue.popFirst()
            if run == nil { state.work = nil }
            return run
        }
    }

    private func note(_ outcome: ShellCommand.Outcome, _ subject: String) {
        let what: String? =
            switch outcome {
            case .exited(code: 0): nil
            case .exited(let code): "ended with exit code \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            case .timedOut:
                "took longer than \(Int(saturating: command.patience.seconds)) s and was ended"
            case .cannotStart(let error): "could not be started: \(error)"
            }
        let isFirst = state.withLock { state in
            state.runs += 1
            // One that had to end since the guest has left was told of.
            guard what != nil, !state.isHurried else { return false }
            state.failures += 1
            return state.failures == 1
        }
        if isFirst, let what {
            tell(
                "the command of --exec \(what) on \(subject). The \(kind.whole) go on; try it by "
                    + "hand with `\(kind.trial)`.")
        }
    }
}
