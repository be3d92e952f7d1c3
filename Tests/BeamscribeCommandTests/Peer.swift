import Foundation
import TestSupport

/// Independent implementations in Python of the code's proof and of signed logs: guests, hosts and
/// relays, written from RFC 9383 and the protocol's page alone (Tests/Support/Peers).
enum Peer {
    static func start(_ program: String, _ arguments: [String]) throws -> RunningProgram {
        let path = Repository.path(of: "Tests/Support/Peers/\(program).py")
        return try RunningProgram(
            Launch("/usr/bin/python3", arguments: [path] + arguments))
    }

    /// A guest of a host on this machine.
    static func guest(_ port: UInt16, code: String, _ options: String...) throws -> RunningProgram {
        try start("code_guest", ["127.0.0.1", "\(port)", code] + options)
    }

    /// A program that listens at a port of its own, and says which.
    static func listening(
        _ program: String, _ arguments: [String]
    ) async throws -> (program: RunningProgram, port: UInt16) {
        let running = try start(program, arguments)
        let line = try await running.waitForLine("a port") {
            $0.hasPrefix("port ")
        }
        guard let port = UInt16(line.dropFirst(5)) else {
            throw WaitFailed(what: "a port", reason: "the line has none", seen: line)
        }
        return (running, port)
    }
}
