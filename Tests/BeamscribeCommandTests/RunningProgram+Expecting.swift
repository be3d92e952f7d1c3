import TestSupport
import Testing

extension RunningProgram {
    /// Waits until `count` lines have come, and answers all that have.
    @discardableResult
    func waitForLines(
        _ count: Int, within limit: Duration = .seconds(20)
    ) async throws -> [String] {
        try await waitForOutput("\(count) lines", within: limit) {
            $0.standardOutput.lines.count >= count
        }.standardOutput.lines
    }

    /// Waits for the end and checks how it was.
    func expectExit(
        _ code: Int32, within limit: Duration = .seconds(20),
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let status = try await waitForExit(within: limit)
        let report = Comment(rawValue: standardErrorText)
        #expect(status == .exited(code), report, sourceLocation: location)
    }

    /// Waits until the host has let this guest in.
    func waitUntilJoined() async throws {
        try await waitForLine(containing: "Joined", on: .standardError, within: .seconds(20))
    }
}
