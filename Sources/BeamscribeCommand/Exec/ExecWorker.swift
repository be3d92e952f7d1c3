import BeamscribeCore
import BeamscribeIO

/// The thread on which commands are waited for: none of those that carry captions or voices.
actor ExecWorker {
    private nonisolated let thread: LoopThread

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    init() throws(SystemError) {
        thread = try LoopThread()
    }

    /// Runs `command`, and waits until it has ended. No command gets a code.
    ///
    /// - Parameter hurry: says that it is to end now.
    func run(
        _ command: ShellCommand, _ run: ExecRun, hurry: @Sendable () -> Bool
    ) -> ShellCommand.Outcome {
        var command = command
        command.variables = run.variables
        for code in [GivenCode.variable, GivenCode.crewVariable] {
            command.variables.updateValue(nil, forKey: code)
        }
        return command.run(input: run.input, hurry: hurry)
    }
}
