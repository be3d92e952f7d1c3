import Glibc

/// A program that runs as people run it: a process of its own, with pipes.
///
/// What it writes is collected continuously. It is killed and reaped by ``stop()``, with the last
/// reference, or when the test process dies.
public final class RunningProgram: Sendable {
    public let launch: Launch
    let observed = Watched(ProgramOutput())
    private let reader: OutputReader
    private let child: ChildProcess
    private let writer: InputWriter
    private let unread: Watched<Descriptor?>

    public init(_ launch: Launch) throws {
        let reader = OutputReader(into: observed)
        self.reader = reader
        let input = try ProgramWiring.input(launch.input)
        let output = try ProgramWiring.output(launch.output)
        let errors = try Descriptor.pipe()
        let actions = input.actions + output.actions + [.duplicate(errors.writing, as: 2)]
        self.launch = launch
        writer = InputWriter(input.ours)
        // Before it can end: how it ended is not to be seen before what it wrote.
        reader.start(errors.reading, of: .standardError)
        switch (launch.output, output.ours) {
        case (.collected, let ours?):
            reader.start(ours, of: .standardOutput)
            unread = Watched(nil)
        case (_, let ours):
            if ours == nil { observed.change { $0.standardOutput.append(.end) } }
            unread = Watched(ours)
        }
        child = try ChildProcess(launch, actions: actions) { reader.programHasEnded($0) }
    }

    /// Starts `executable` with `arguments`, all else as ``Launch`` has it unless said.
    public convenience init(_ executable: String, _ arguments: String...) throws {
        try self.init(Launch(executable, arguments: arguments))
    }

    /// The program's own process id, also behind a ``Launch/prefix``.
    public var pid: Int32 { child.pid }

    public var isRunning: Bool { observed.state.exit == nil }
    public var output: ProgramOutput { observed.state }
    public var standardOutputLines: [String] { output.standardOutput.lines }
    public var standardOutputText: String { output.standardOutput.text }
    public var standardErrorLines: [String] { output.standardError.lines }
    public var standardErrorText: String { output.standardError.text }

    /// Reads what a program started with ``StandardOutput/unread`` writes, from now on.
    public func startReading() {
        if let descriptor = takeUnread() {
            reader.start(descriptor, of: .standardOutput)
        }
    }

    /// Closes the reading end of an ``StandardOutput/unread`` pipe: the program's next write to
    /// its standard output fails, as when `head` has seen enough.
    public func closeUnreadOutput() {
        if takeUnread() != nil { observed.change { $0.standardOutput.append(.end) } }
    }

    var hasUnreadOutput: Bool { unread.state != nil }

    private func takeUnread() -> Descriptor? {
        let descriptor = unread.state
        unread.change { $0 = nil }
        return descriptor
    }

    /// Writes to standard input; comes back when the pipe has taken it all.
    public func write(_ text: String, within limit: Duration = Deadline.generous) async throws {
        try await write(bytes: Array(text.utf8), within: limit)
    }

    public func write(bytes: [UInt8], within limit: Duration = Deadline.generous) async throws {
        try await writer.write(bytes, until: Deadline(in: limit))
    }

    /// The end of standard input, after all that was written before.
    public func closeInput() { writer.close() }

    public func signal(_ number: Int32) { child.signal(number) }
    public func interrupt() { signal(SIGINT) }
    public func terminate() { signal(SIGTERM) }
    public func kill() { signal(SIGKILL) }

    /// SIGSTOP; every thread of the program stands still when this comes back.
    public func suspend() { child.suspend() }
    /// SIGCONT.
    public func resume() { signal(SIGCONT) }

    /// Kills the program and everything it started in its process group, at once.
    public func stop() { child.stop() }
}
