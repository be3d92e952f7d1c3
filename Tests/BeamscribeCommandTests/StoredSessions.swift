import Foundation
import TestSupport
import Testing

/// A state folder with sessions that real hosts have written.
struct StoredSessions {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    init(in folder: TemporaryFolder) {
        self.folder = folder
    }

    /// Hosts an event of these lines of input to its end.
    func host(_ lines: [String], event: String = "Town Hall") async throws {
        let words = ["host", "--event", event, "--until-eof"]
        let host = try RunningProgram(
            .beamscribe(words + Room.quiet(port: 0), state: folder))
        try await host.write(lines.map { $0 + "\n" }.joined())
        host.closeInput()
        try await host.expectExit(0)
    }

    /// Runs the program to its end.
    @discardableResult
    func run(_ words: String..., exit code: Int32 = 0) async throws -> RunningProgram {
        try await run(words: words, exit: code)
    }

    /// The same.
    @discardableResult
    func run(words: [String], exit code: Int32 = 0) async throws -> RunningProgram {
        var launch = Launch.beamscribe(words, state: folder)
        launch.input = .null
        launch.environment["TZ"] = "UTC"
        let program = try RunningProgram(launch)
        try await program.expectExit(code)
        return program
    }

    /// What an export of the last session writes, and says nothing.
    func export(_ words: String...) async throws -> String {
        var launch = Launch.beamscribe(["export", "last"] + words, state: folder)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.expectExit(0)
        #expect(program.standardErrorText == "")
        return program.standardOutputText
    }

    /// The ids of the sessions, as their folders are named.
    func ids() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: path).sorted()
    }

    var path: String { folder.path + "/beamscribe/events" }

    func log(of session: String) -> String { "\(path)/\(session)/log" }

    /// The objects that `sessions --json` writes.
    func listed() async throws -> [[String: Any]] {
        try await run("sessions", "--json").standardOutputLines.map { line in
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(object as? [String: Any])
        }
    }
}
