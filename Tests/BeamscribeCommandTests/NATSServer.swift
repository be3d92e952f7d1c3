import Foundation
import TestSupport
import Testing

/// A real nats-server with JetStream, at an address of this machine that no other test has.
final class NATSServer: Sendable {
    let folder: TemporaryFolder
    let address: String
    let port: Int
    private let program: RunningProgram

    /// - Parameter settings: of its configuration, beside where it listens and keeps things.
    static func start(
        _ settings: String = "", at address: String = Room.ownAddress()
    ) async throws -> NATSServer {
        try await NATSServer(in: TemporaryFolder(), at: address, port: -1, settings)
    }

    private let settings: String

    private init(
        in folder: TemporaryFolder, at address: String, port: Int, _ settings: String
    ) async throws {
        (self.folder, self.address, self.settings) = (folder, address, settings)
        let file = folder.path + "/nats.conf"
        try """
        host: \(address)
        port: \(port)
        jetstream { store_dir: "\(folder.path)/store", max_mem: 64M, max_file: 1G }
        \(settings)
        """.write(toFile: file, atomically: true, encoding: .utf8)
        program = try RunningProgram("nats-server", "-c", file)
        let line = try await program.waitForLine(
            containing: "Listening for client connections on", on: .standardError)
        let shown = line.split(separator: ":").last.flatMap { Int($0) }
        guard let shown else { throw WaitFailed(what: "a port", reason: "none", seen: line) }
        self.port = shown
        try await program.waitForLine(containing: "Server is ready", on: .standardError)
    }

    /// How many messages its files have under subjects that begin so.
    func storedMessages(matching subject: String) async throws -> Int {
        let script = """
            import glob, sys
            folder, subject = sys.argv[1], sys.argv[2].encode()
            print(sum(open(each, "rb").read().count(subject)
                      for each in glob.glob(folder + "/store/**/*.blk", recursive=True)))
            """
        let program = try RunningProgram(
            Launch("/usr/bin/python3", arguments: ["-c", script, folder.path, subject]))
        try await program.expectExit(0)
        return program.standardOutputLines.first.flatMap { Int($0) } ?? -1
    }

    var url: String { "nats://\(address):\(port)" }

    /// Kills it, as a loss of power does.
    func killed() async throws { try await program.killed() }

    /// Starts it again, at the same place.
    func again() async throws -> NATSServer {
        try await NATSServer(in: folder, at: address, port: port, settings)
    }

    /// Its disk is lost; to be called while it does not run.
    func wipe() throws { try FileManager.default.removeItem(atPath: folder.path + "/store") }
}
