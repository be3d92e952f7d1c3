import Glibc
import Synchronization

/// A program on a terminal of its own, of which every byte that it writes is kept as it is: for
/// checks of escape sequences. What they look like on a screen is ``TerminalSession``'s business.
public final class PseudoTerminal: Sendable {
    public let launch: Launch
    private let main: Descriptor
    private let child: ChildProcess
    private let writer: InputWriter
    private let observed = Watched(ProgramOutput())

    /// - Parameter launch: Its `input` and `output` do not matter: the terminal is all three.
    public init(_ launch: Launch, columns: Int = 80, rows: Int = 24) throws {
        let reader = OutputReader(into: observed)
        let (main, path) = try PseudoTerminal.open()
        PseudoTerminal.setSize(main, columns, rows)
        // The first terminal that a session's leader opens becomes its controlling terminal.
        let actions: [SpawnAction] = (0...2).map { .open(path, flags: O_RDWR, as: $0) }
        var launch = launch
        launch.environment.merge(["TERM": "xterm-256color"]) { own, _ in own }
        child = try ChildProcess(launch, actions: actions) { reader.programHasEnded($0) }
        self.launch = launch
        self.main = main
        writer = InputWriter(main)
        reader.start(main, of: .standardOutput)
    }

    public var pid: Int32 { child.pid }
    public var isRunning: Bool { observed.state.exit == nil }
    /// Every byte that came to the terminal, also the echo of what was typed.
    public var bytes: [UInt8] { observed.state.standardOutput.bytes }
    public var text: String { observed.state.standardOutput.text }

    /// The terminal echoes what is typed. A program that switched that off must restore it.
    public var isEchoing: Bool { attributes.c_lflag & tcflag_t(ECHO) != 0 }
    /// The terminal hands its program whole lines and turns Ctrl-C into a signal: as it is for
    /// ordinary programs, and must be again when a full-screen program has ended.
    public var isInOrdinaryMode: Bool {
        let flags = tcflag_t(ECHO | ICANON | ISIG)
        return attributes.c_lflag & flags == flags
    }

    /// Types `text`: "\r" is Enter, "\u{3}" Ctrl-C, "\u{4}" Ctrl-D.
    public func type(_ text: String, within limit: Duration = Deadline.generous) async throws {
        try await writer.write(Array(text.utf8), until: Deadline(in: limit))
    }

    /// The window becomes another size; the program gets its SIGWINCH.
    public func resize(columns: Int, rows: Int) {
        PseudoTerminal.setSize(main, columns, rows)
    }

    public func signal(_ number: Int32) { child.signal(number) }

    /// Kills the program.
    public func stop() { child.stop() }

    /// Waits until `condition` holds of all that was written. Fails at once if the program ended.
    @discardableResult
    nonisolated(nonsending) public func waitForText(
        _ what: String, within limit: Duration = Deadline.generous,
        where condition: (String) -> Bool
    ) async throws -> String {
        try await wait(for: what, within: limit) { output in
            let text = output.standardOutput.text
            if condition(text) { return text }
            guard output.standardOutput.hasEnded else { return nil }
            let seen = self.report(output)
            throw WaitFailed(what: what, reason: "nothing more can come", seen: seen)
        }
    }

    /// Waits until the program has ended and all that it wrote is collected.
    @discardableResult
    nonisolated(nonsending) public func waitForExit(
        within limit: Duration = Deadline.generous
    ) async throws -> ExitStatus {
        let status = try await wait(for: "the program to end", within: limit, find: \.exit)
        _ = try? await wait(for: "the end of its output", within: limit) { output in
            output.standardOutput.hasEnded ? true : nil
        }
        return status
    }

    nonisolated(nonsending) private func wait<Value>(
        for what: String, within limit: Duration, find: (ProgramOutput) throws -> Value?
    ) async throws -> Value {
        try await observed.wait(
            for: what, until: Deadline(in: limit), seen: report, find: find)
    }

    private func report(_ output: ProgramOutput) -> String {
        let end = output.exit.map { "ended with \($0)" } ?? "still runs"
        let written = output.standardOutput.excerpt.debugDescription
        return "\(launch.title) \(end), having written \(written)"
    }

    private var attributes: termios {
        var attributes = termios()
        tcgetattr(main.number, &attributes)
        return attributes
    }

    private static func open() throws(SpawnFailed) -> (main: Descriptor, path: String) {
        var (main, side): (Int32, Int32) = (0, 0)
        var name = [CChar](repeating: 0, count: 64)
        let error = Descriptor.inheritance.withLock { _ in
            guard openpty(&main, &side, &name, nil, nil) == 0 else { return errno }
            for end in [main, side] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return 0
        }
        guard error == 0 else { throw SpawnFailed("a terminal", errno: error) }
        close(side)
        let path = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return (Descriptor(main), String(decoding: path, as: UTF8.self))
    }

    private static func setSize(_ main: Descriptor, _ columns: Int, _ rows: Int) {
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(main.number, UInt(TIOCSWINSZ), &size)
    }
}
