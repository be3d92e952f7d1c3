import BeamscribeCore
import BeamscribeIO
import Synchronization

/// What the command of `join --exec` is run for: each finished line.
final class LineCommand: Sendable {
    private struct State {
        /// Of each log, nil for the main one.
        var corrections: [String?: Corrections] = [:]
        var event = ""

        mutating func run(for event: GuestEvent) -> ExecRun? {
            switch event {
            case .joined(let joined): self.event = joined.eventName
            case .begunAnew: corrections = [:]
            case .inLog(let log, let event): return run(for: event, of: log)
            default: return run(for: event, of: nil)
            }
            return nil
        }

        private mutating func run(for event: GuestEvent, of log: LogTitle?) -> ExecRun? {
            switch event {
            case .withdrawn(let from, _): corrections[log?.session]?.forget(from: from)
            case .line(let line):
                let corrected = corrections[log?.session, default: Corrections()].add(line)
                return ExecRun(line, replacing: corrected, in: self.event, log: log?.label)
            default: break
            }
            return nil
        }
    }

    /// Half an hour of speech may wait.
    private static let kind = ExecRunner.Kind(
        noun: "line", whole: "captions", limit: 1_000, trial: "echo text | ...")

    private let runner: ExecRunner
    private let state = Mutex(State())

    /// - Parameter tell: takes warnings.
    init(_ command: ShellCommand, tell: @escaping @Sendable (String) -> Void) throws(SystemError) {
        runner = try ExecRunner(command, for: Self.kind, tell: tell)
    }

    /// Queues what `events` bring.
    func take(_ events: [GuestEvent]) {
        runner.take(state.withLock { state in events.compactMap { state.run(for: $0) } })
    }

    /// Waits for the lines that wait, but not long, and says what has gone wrong.
    func close() async { await runner.close() }
}

extension ExecRun {
    /// A line's. What is not known is not in the environment, even where this program was itself started by such a
    /// command.
    ///
    /// - Parameters:
    ///   - corrected: the line that it corrects in the end.
    ///   - log: what its log is called; nil for the main one.
    init(_ line: TranscriptLine, replacing corrected: Int?, in event: String, log: String?) {
        self.init(
            input: line.text + "\n",
            variables: [
                "BEAMSCRIBE_SEQ": "\(line.seq)",
                "BEAMSCRIBE_SPEAKER": line.speaker,
                "BEAMSCRIBE_LANG": line.lang,
                "BEAMSCRIBE_REPLACES": corrected.map { "\($0)" },
                "BEAMSCRIBE_EVENT": event,
                "BEAMSCRIBE_LOG": log,
            ], subject: "line \(line.seq)")
    }
}
