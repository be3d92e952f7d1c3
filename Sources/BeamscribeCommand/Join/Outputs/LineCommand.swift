import BeamscribeCore
import BeamscribeIO
import Synchronization

/// Runs the command of `--exec` for one line after another, beside the captions and never in their
/// way.
///
/// Invariant: at most one command runs, and only while `isRunning`.
final class LineCommand: Sendable {
    private struct State {
        var queue = LineQueue()
        /// Of each log, nil for the main one.
        var corrections: [String?: Corrections] = [:]
        var event = ""
        var work: Task<Void, Never>?
        /// Whether what runs is to end.
        var isHurried = false
        var failures = 0
        var runs = 0

        /// - Returns: whether the command has begun to be too slow.
        mutating func take(_ event: GuestEvent) -> Bool {
            switch event {
            case .joined(let joined): self.event = joined.eventName
            case .begunAnew: corrections = [:]
            case .inLog(let log, let event): return take(event, of: log)
            default: return take(event, of: nil)
            }
            return false
        }

        private mutating func take(_ event: GuestEvent, of log: LogTitle?) -> Bool {
            switch event {
            case .withdrawn(let from, _): corrections[log?.session]?.forget(from: from)
            case .line(let line):
                let corrected = corrections[log?.session, default: Corrections()].add(line)
                return queue.append(
                    LineQueue.Entry(
                        line: line, corrected: corrected, event: self.event, log: log?.label))
            default: break
            }
            return false
        }
    }

    private let command: ShellCommand
    private let worker: CommandWorker
    private let tell: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// - Parameter tell: takes warnings.
    init(_ command: ShellCommand, tell: @escaping @Sendable (String) -> Void) throws(SystemError) {
        self.command = command
        self.tell = tell
        worker = try CommandWorker()
    }

    /// Queues what `events` bring.
    func take(_ events: [GuestEvent]) {
        var isLate = false
        state.withLock { state in
            for event in events { if state.take(event) { isLate = true } }
            guard state.queue.count > 0, state.work == nil else { return }
            state.work = Task { await work() }
        }
        if isLate {
            tell(
                "the command of --exec is slower than the captions; of the lines that wait for it "
                    + "only the newest \(LineQueue.standardLimit) are kept. Give it less to do.")
        }
    }

    /// Waits for the lines that wait, but not long, and says what has gone wrong.
    func close() async {
        let hurry = Task {
            try await Task.sleep(for: Limits.lastCommands)
            giveUp()
        }
        await state.withLock { $0.work }?.value
        hurry.cancel()
        let (dropped, failures, runs) = state.withLock { ($0.queue.dropped, $0.failures, $0.runs) }
        if dropped > 0 { tell("\(plural(dropped, "line")) went without the command of --exec.") }
        if failures > 1 {
            tell("the command of --exec failed on \(failures) of \(plural(runs, "line")).")
        }
    }

    private func giveUp() {
        let left = state.withLock { state in
            state.isHurried = true
            return state.queue.removeAll()
        }
        tell(
            "the command of --exec was not done after \(Int(Limits.lastCommands.seconds)) s and is "
                + "ended; \(plural(left, "line")) went without it.")
    }

    // MARK: Running

    private func work() async {
        while let entry = next() {
            let outcome = await worker.run(command, entry) { self.state.withLock(\.isHurried) }
            note(outcome, entry.line.seq)
        }
    }

    private func next() -> LineQueue.Entry? {
        state.withLock { state in
            let entry = state.queue.popFirst()
            if entry == nil { state.work = nil }
            return entry
        }
    }

    private func note(_ outcome: ShellCommand.Outcome, _ seq: Int) {
        let what: String? =
            switch outcome {
            case .exited(code: 0): nil
            case .exited(let code): "ended with exit code \(code)"
            case .signalled(let number): "was ended by signal \(number)"
            case .timedOut: "took longer than \(Int(command.patience.seconds)) s and was ended"
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
                "the command of --exec \(what) on line \(seq). The captions go on; try it by hand "
                    + "with `echo text | ...`.")
        }
    }
}
