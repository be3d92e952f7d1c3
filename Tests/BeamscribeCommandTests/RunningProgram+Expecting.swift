import TestSupport
import Testing

extension RunningProgram {
    /// Waits until `count` lines have come, and answers all that have.
    @discardableResult
    func waitForLines(
        _ count: Int, within limit: Duration = Deadline.generous
    ) async throws -> [String] {
        try await waitForOutput("\(count) lines", within: limit) {
            $0.standardOutput.lines.count >= count
        }.standardOutput.lines
    }

    /// Waits for the end and checks how it was.
    func expectExit(
        _ code: Int32, within limit: Duration = Deadline.generous,
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let status = try await waitForExit(within: limit)
        let report = Comment(rawValue: standardErrorText)
        #expect(status == .exited(code), report, sourceLocation: location)
    }

    /// Waits until the host has let this guest in.
    func waitUntilJoined() async throws {
        try await waitForLine(containing: "Joined", on: .standardError)
    }

    /// Waits until the host has let this guest in, while others hold all their connections: one that
    /// the host has closed is made anew, so that to wait for their end gains nobody anything.
    nonisolated(nonsending) func waitUntilJoined(
        amid others: inout [TCPSocket], _ anew: () throws -> TCPSocket
    ) async throws {
        try await eventually(
            "the guest to be let in", within: Deadline.generous, every: .milliseconds(50),
            seen: { standardErrorText }
        ) {
            for index in others.indices {
                if case .end = others[index].receive() { others[index] = try anew() }
            }
            return standardErrorText.contains("Joined")
        }
    }
}
