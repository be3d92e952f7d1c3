import BeamscribeCore
import BeamscribeIO

/// The thread on which commands are waited for: none of those that carry captions.
actor CommandWorker {
    private nonisolated let thread: LoopThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws(SystemError) {
        thread = try LoopThread()
    }

    /// Runs `command` for a line, and waits until it has ended.
    ///
    /// - Parameter hurry: says that it is to end now.
    func run(
        _ command: ShellCommand, _ entry: LineQueue.Entry, hurry: @Sendable () -> Bool
    ) -> ShellCommand.Outcome {
        var command = command
        command.variables = Self.variables(entry)
        return command.run(input: entry.line.text + "\n", hurry: hurry)
    }

    /// What the command finds in its environment. What is not known is not there, even where this
    /// program was itself started by such a command; and no command gets the event's code.
    static func variables(_ entry: LineQueue.Entry) -> [String: String?] {
        [
            GivenCode.variable: nil,
            "BEAMSCRIBE_SEQ": "\(entry.line.seq)",
            "BEAMSCRIBE_SPEAKER": entry.line.speaker,
            "BEAMSCRIBE_LANG": entry.line.lang,
            "BEAMSCRIBE_REPLACES": entry.corrected.map { "\($0)" },
            "BEAMSCRIBE_EVENT": entry.event,
            "BEAMSCRIBE_LOG": entry.log,
        ]
    }
}
