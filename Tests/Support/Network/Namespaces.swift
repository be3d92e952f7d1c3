import Foundation
import Glibc

/// Namespaces that exist only for a test: a sleeping process holds them open.
///
/// Invariant: `network` is not this machine's own; only processes in it are ever killed here.
final class Namespaces: Sendable {
    private let anchor: RunningProgram
    private let network: FileIdentity
    private let afterDeath: Reaper.Ticket

    /// - Parameters:
    ///   - kinds: What `unshare` makes anew, such as `["--net", "--uts"]`.
    ///   - script: POSIX shell that is run in them first.
    init(_ kinds: [String], script: String) async throws {
        var launch = Launch(
            "unshare",
            arguments: kinds + ["sh", "-ec", script + "\necho ready\nexec sleep infinity"])
        launch.environment["PATH"] = Tool.searchPath
        launch.input = .null
        anchor = try RunningProgram(launch)
        try await anchor.waitForLine("the new namespaces to be ready") { $0 == "ready" }
        guard let network = FileIdentity("/proc/\(anchor.pid)/ns/net"),
            network != FileIdentity("/proc/self/ns/net")
        else { throw SpawnFailed("a test network", "unshare made no new namespace") }
        self.network = network
        afterDeath = Reaper.shared.register(Namespaces.killCommand(anchor.pid, network))
    }

    deinit {
        stop()
    }

    /// The process id whose namespaces these are.
    var pid: Int32 { anchor.pid }

    /// Words that run what follows them in here, with the same process id.
    var prefix: [String] { ["nsenter", "-t", "\(pid)", "-n", "-m", "-u"] }

    /// Runs a tool in here to its end and answers what it printed.
    @discardableResult
    func run(_ words: String..., input: String = "") async throws -> String {
        var launch = Launch(words[0], arguments: Array(words.dropFirst()))
        launch.prefix = prefix
        return try await Tool.run(launch, input: input)
    }

    /// Runs several `ip` commands with one process.
    func ip(_ commands: [String]) async throws {
        try await run("ip", "-batch", "-", input: commands.joined(separator: "\n") + "\n")
    }

    /// SIGKILL for every process in here but the one that holds the namespaces.
    func killResidents() {
        let own = anchor.pid
        let deadline = Deadline(in: .seconds(5))
        // Again until none is left: one of them may just have started another.
        while case let others = residents().filter({ $0 != own }), !others.isEmpty,
            !deadline.hasPassed
        {
            for other in others { kill(other, SIGKILL) }
            usleep(2000)
        }
    }

    /// Kills all that runs in here; the namespaces go with it.
    func stop() {
        // The anchor last: as long as it lives no other namespace can have this one's number.
        if anchor.isRunning { killResidents() }
        anchor.stop()
        afterDeath.forget()
    }

    private func residents() -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(pid_t.init).filter { FileIdentity("/proc/\($0)/ns/net") == network }
    }

    /// The same for the ``Reaper``: it holds the namespace by descriptor 9 while it looks.
    private static func killCommand(_ anchor: pid_t, _ network: FileIdentity) -> String {
        """
        ( exec 9<"/proc/\(anchor)/ns/net" && \
        [ "$(stat -Lc %i /proc/self/fd/9)" = \(network.inode) ] && \
        [ ! /proc/self/fd/9 -ef /proc/self/ns/net ] && \
        for p in /proc/[0-9]*; do \
        if [ "$p/ns/net" -ef /proc/self/fd/9 ]; then kill -9 "${p#/proc/}"; fi; done )
        """
    }
}
