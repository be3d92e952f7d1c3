internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A command of the user's that runs beside this program and gives it what it prints, on a loop.
///
/// It prints to a terminal of its own (pty(7)), so that nothing holds back what it says until a block
/// is full, and reads nothing, or what it is asked by a pipe. That terminal is its session's: a Ctrl-C at this program's does not
/// reach it, and the system hangs up on all that it has started when either this program goes,
/// whichever way, or its shell. What is written to standard error is kept apart.
///
/// Invariant: the child is reaped before `ended` or `gone` is called, or with this.
public final class TerminalCommand {
    private let child: RunningChild
    private let loop: EventLoop
    private let ended: (ShellCommand.Outcome, [String]) -> Void
    private var output: ByteSource?
    private var questions: CommandInput?
    private var errors: WatchedDescriptor?
    private var words = LastWords()
    /// When it is killed; nil while it is not asked to end.
    private var deadline: Duration?
    private var gone: (() -> Void)?
    private var isReaped = false
    @OwnedTimer private var look: LoopTimer?

    /// Whether reading rests. Set while what came cannot be passed on.
    public var isPaused = false {
        didSet { output?.isPaused = isPaused }
    }

    /// Starts `command` by the shell.
    ///
    /// - Parameters:
    ///   - isAsked: whether it reads what ``ask(_:)`` is given.
    ///   - size: the most bytes of one read.
    ///   - take: as that of ``ByteSource``.
    ///   - ended: called once it has ended, and all that it printed was taken: how, and its last words
    ///     on standard error. Never called after ``stop(_:)``.
    public init(
        _ command: String, isAsked: Bool = false, size: Int, on loop: EventLoop,
        _ take: @escaping (UnsafeRawBufferPointer) -> Int,
        ended: @escaping (ShellCommand.Outcome, [String]) -> Void
    ) throws(SystemError) {
        var path = [CChar](repeating: 0, count: 64)
        let terminal = try Descriptor("open", "a terminal") {
            clinux_open_terminal(&path, path.count)
        }
        let errorPipe = try Self.pipe()
        let reading = Descriptor(owning: errorPipe.reading)
        _ = clinux_fcntl(reading.number, F_SETFL, O_NONBLOCK)
        let errorEnd = Descriptor(owning: errorPipe.writing)
        self.loop = loop
        self.ended = ended
        if isAsked {
            let questionPipe = try Self.pipe()
            let questionEnd = Descriptor(owning: questionPipe.reading)
            questions = CommandInput(Descriptor(owning: questionPipe.writing), on: loop)
            child = try Self.start(
                command, on: path, reading: questionEnd.number, errors: errorEnd.number)
        } else {
            child = try Self.start(command, on: path, reading: nil, errors: errorEnd.number)
        }
        output = try ByteSource(reading: terminal, "the recogniser", size: size, on: loop, take) {
            [unowned self] _ in finish()
        }
        errors = WatchedDescriptor(reading, on: loop)
        try errors?.watch(for: .read) { [unowned self] _ in hear() }
    }

    deinit {
        guard !isReaped else { return }
        child.tell(SIGKILL)
        _ = child.reap()
    }

    private static func pipe() throws(SystemError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try system("make a pipe") { clinux_pipe(&ends) }
        return (ends[0], ends[1])
    }

    private static func start(
        _ command: String, on path: [CChar], reading questions: Int32?, errors: Int32
    ) throws(SystemError) -> RunningChild {
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | Int32(clinux_spawn_session)
        // Programs that draw are to print; and one that is not the last of a pipe has no terminal.
        let environment = ownEnvironment(with: ["TERM": "dumb", "PYTHONUNBUFFERED": "1"])
        let started = spawn(
            ["/bin/sh", "-c", command], flags, environment: environment
        ) { actions in
            if let questions {
                posix_spawn_file_actions_adddup2(&actions, questions, 0)
            } else {
                posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            }
            // The first terminal that a session's leader opens becomes the session's.
            posix_spawn_file_actions_addopen(&actions, 1, path, O_RDWR, 0)
            posix_spawn_file_actions_adddup2(&actions, errors, 2)
        }
        guard started.code == 0 else { throw SystemError("run", "/bin/sh", code: started.code) }
        return RunningChild(started.process)
    }

    /// Gives it something to read, if it was started to be asked.
    public func ask(_ bytes: [UInt8]) { questions?.write(bytes) }

    /// Gives it samples of two bytes to read, likewise. Of what it does not read the oldest are left out, so that at most
    /// `limit` bytes wait.
    ///
    /// - Returns: whether any were left out.
    public func feed(samples: [UInt8], keeping limit: Int) -> Bool {
        questions?.write(samples: samples, keeping: limit) ?? false
    }

    /// It is given nothing more: it reads to the end, and has its last words.
    public func endInput() { questions?.end() }

    // MARK: Its errors

    /// Reads what there is now.
    private func hear() {
        guard let number = errors?.number else { return }
        var buffer = [UInt8](repeating: 0, count: Limits.recogniserWords)
        let count = read(number, &buffer, buffer.count)
        if count > 0 { buffer[..<count].withUnsafeBytes { words.add($0) } }
        if count == 0 { errors = nil }
    }

    /// What was written before the end is read, and no more than a pipe has room for: somebody else
    /// may still write.
    private func hearLastWords() {
        for _ in 0..<16 where errors != nil { hear() }
        errors = nil
    }

    // MARK: Its end

    /// Nobody prints any more. Whoever only stopped printing is of no use: it is ended.
    private func finish() {
        (output, questions) = (nil, nil)
        deadline = loop.uptime + Limits.recogniserMercy
        lookForEnd()
    }

    /// Asks all that was started to end, and kills what has not after a while. Nothing of it is
    /// taken any more.
    ///
    /// - Parameter gone: called when that is done.
    public func stop(_ gone: @escaping () -> Void) {
        guard !isReaped else { return gone() }
        self.gone = gone
        child.tell(SIGTERM)
        finish()
    }

    private func lookForEnd() {
        if let outcome = child.endIfOver() {
            isReaped = true
            hearLastWords()
            return gone.take().map { $0() } ?? ended(outcome, words.lines)
        }
        if let deadline, deadline <= loop.uptime { child.tell(SIGKILL) }
        // It lives until that is done, whoever lets it go.
        look = loop.schedule(after: Limits.recogniserLook) { self.lookForEnd() }
    }
}
