internal import BeamscribeCore
internal import CLinux
internal import Glibc

/// A program of the system that is asked something.
public enum SystemTool {
    public struct Answer: Equatable, Sendable {
        public var code: Int32
        /// What it wrote to standard output.
        public var output: String
    }

    /// Where `name` is, in `PATH` or where administrators' programs are; nil if it is nowhere.
    public static func path(of name: String, environment: [String: String]) -> String? {
        let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
        return (folders + ["/usr/sbin", "/sbin", "/usr/bin", "/bin"]).map { "\($0)/\(name)" }
            .first { access($0, X_OK) == 0 }
    }

    /// Runs the program at `path` with nothing to read, and blocks until it ends. After `patience`
    /// it is killed.
    ///
    /// - Returns: nil if it could not be started or did not end in time.
    public static func run(
        _ path: String, _ arguments: [String], patience: Duration
    ) -> Answer? {
        var ends: [Int32] = [-1, -1]
        guard clinux_pipe(&ends) == 0 else { return nil }
        let reading = Descriptor(owning: ends[0])
        let process = start(path, arguments, output: Descriptor(owning: ends[1]))
        guard let process else { return nil }
        let output = read(reading, until: Clock.uptime + patience)
        if output == nil { kill(process, SIGKILL) }
        let outcome = RunningChild(process).reap()
        guard let output, case .exited(let code) = outcome else { return nil }
        return Answer(code: code, output: output)
    }

    private static func start(
        _ path: String, _ arguments: [String], output: consuming Descriptor
    ) -> pid_t? {
        let started = spawn([path] + arguments, POSIX_SPAWN_SETSIGMASK) { actions in
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
            posix_spawn_file_actions_adddup2(&actions, output.number, 1)
            posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        }
        return started.code == 0 ? started.process : nil
    }

    /// All that comes; nil if there is no end to it by the deadline.
    private static func read(_ pipe: borrowing Descriptor, until deadline: Duration) -> String? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < maximumOutput {
            let left = deadline - Clock.uptime
            guard left > .zero else { return nil }
            var waiting = pollfd(fd: pipe.number, events: Int16(clamping: POLLIN), revents: 0)
            guard poll(&waiting, 1, Int32(saturating: left.seconds * 1_000 + 1)) > 0 else {
                continue
            }
            let count = Glibc.read(pipe.number, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
        return nil
    }

    private static let maximumOutput = 16 * 1_024 * 1_024
}
