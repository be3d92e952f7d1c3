import BeamscribeCore
internal import CLinux
internal import Glibc

/// Runs commands of the user's by the shell, `/bin/sh -c`, and waits for each.
///
/// A command is a process group of its own: neither a Ctrl-C at the terminal nor the end of what it
/// has started concerns this program. It has no signal blocked or ignored, unlike this program, and
/// no descriptor but its three standard streams. What it writes goes to standard error, never
/// among the captions, or nowhere.
public struct ShellCommand: Sendable {
    /// How a command ended.
    public enum Outcome: Equatable, Sendable {
        /// It ended by itself, with this code.
        case exited(code: Int32)
        /// A signal ended it, by its number.
        case signalled(Int32)
        /// It took longer than it may.
        case timedOut
        /// The system has nothing to start it with.
        case cannotStart(SystemError)
    }

    /// What the shell is given.
    public let command: String
    /// The variables that it has beside, or instead of, those of this program; nil removes one.
    public var variables: [String: String?] = [:]
    /// Whether what it writes is shown on standard error, or thrown away.
    public var isHeard = true
    /// After so long its processes get SIGTERM.
    public var patience: Duration = .seconds(60)
    /// After so much longer they get SIGKILL.
    public var mercy: Duration = .seconds(2)

    /// A command as a user would type it.
    public init(_ command: String) {
        self.command = command
    }

    /// Runs the command with `input` on its standard input, and blocks until it ends.
    ///
    /// - Parameter hurry: says that the command is to be ended now; asked every now and then.
    public func run(input: String, hurry: () -> Bool = { false }) -> Outcome {
        do throws(SystemError) {
            var ends: [Int32] = [-1, -1]
            try system("make a pipe") { clinux_pipe(&ends) }
            let writing = Descriptor(owning: ends[1])
            let child = RunningChild(try start(reading: Descriptor(owning: ends[0])))
            return child.wait(
                feeding: Array(input.utf8), to: writing, patience: patience, mercy: mercy,
                hurry: hurry)
        } catch {
            return .cannotStart(error)
        }
    }

    private func start(reading input: consuming Descriptor) throws(SystemError) -> pid_t {
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        let words = ["/bin/sh", "-c", command]
        let started = spawn(words, flags, environment: ownEnvironment(with: variables)) { actions in
            posix_spawn_file_actions_adddup2(&actions, input.number, 0)
            if !isHeard { posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) }
            posix_spawn_file_actions_adddup2(&actions, 2, 1)
        }
        guard started.code == 0 else { throw SystemError("run", "/bin/sh", code: started.code) }
        return started.process
    }
}

/// This program's variables, with others beside them or in their stead; nil leaves one out.
func ownEnvironment(with variables: [String: String?]) -> [String] {
    var inherited: [String] = []
    var next = environ
    while let variable = next.pointee {
        let text = String(cString: variable)
        if variables[String(text.prefix { $0 != "=" })] == nil { inherited.append(text) }
        next += 1
    }
    return inherited + variables.compactMap { name, value in value.map { "\(name)=\($0)" } }
}

/// Starts the program that is the first of `words`, with no signal blocked: this program blocks
/// those that it reads as events, and its children must not.
///
/// - Parameters:
///   - flags: whether it ignores no signal either, and is a process group of its own, beside that.
///   - environment: its variables; nil for those of this program.
///   - redirect: says what its standard streams are.
func spawn(
    _ words: [String], _ flags: Int32, environment: [String]? = nil,
    _ redirect: (inout posix_spawn_file_actions_t) -> Void
) -> (code: Int32, process: pid_t) {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    redirect(&actions)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(clamping: flags))
    let arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { $0.map { strdup($0) } + [nil] } ?? []
    defer { (arguments + variables).forEach { free($0) } }
    var process = pid_t()
    let code = variables.withUnsafeMutableBufferPointer { own in
        let given = environment == nil ? environ : own.baseAddress
        return posix_spawn(&process, words[0], &actions, &attributes, arguments, given)
    }
    return (code, process)
}
