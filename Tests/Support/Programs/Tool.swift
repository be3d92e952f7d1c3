import Foundation
import Glibc

/// System tools that are run to their end.
public enum Tool {
    /// `PATH`, and the system directories that an ordinary user's `PATH` lacks.
    static let searchPath: String = {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return path + ":/usr/sbin:/sbin"
    }()

    static func path(of name: String) throws(SpawnFailed) -> String {
        let folders = searchPath.split(separator: ":").map { "\($0)/" }
        for folder in name.contains("/") ? [""] : folders where access(folder + name, X_OK) == 0 {
            return folder + name
        }
        throw SpawnFailed(name, "there is no such program")
    }

    public static func exists(_ name: String) -> Bool {
        (try? path(of: name)) != nil
    }

    /// Runs `launch` with `input` and answers what it wrote to standard output.
    @discardableResult
    static func run(_ launch: Launch, input: String = "") async throws -> String {
        let program = try RunningProgram(launch)
        // A tool that fails before it has read its input says why itself.
        if !input.isEmpty { try? await program.write(input) }
        program.closeInput()
        let status = try await program.waitForExit(within: .seconds(30))
        guard status == .success else {
            throw ToolFailed(
                command: launch.title, status: status, message: program.standardErrorText)
        }
        return program.standardOutputText
    }

    /// Runs `launch` silently and blocks until its end: for `deinit`, which cannot wait.
    @discardableResult
    static func runBlocking(_ launch: Launch) -> Bool {
        let box = Watched<ExitStatus?>(nil)
        let nothing: [SpawnAction] = (0...2).map { .open("/dev/null", flags: O_RDWR, as: $0) }
        let child = try? ChildProcess(launch, actions: nothing) { status in
            box.change { $0 = status }
        }
        child?.waitUntilEnded()
        return box.state == .success
    }
}
