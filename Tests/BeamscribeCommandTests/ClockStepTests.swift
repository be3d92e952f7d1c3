import Foundation
import TestSupport
import Testing

/// A machine's clock is set in the middle of an event, as where it finds a time server late.
@Suite struct ClockStepTests {
    /// Lines as a reader's records time them.
    private struct Times: Decodable {
        var text: String
        var sentTimestamp: Double
        var receivedTimestamp: Double
        var latency: Double
    }

    private enum Stepped: CaseIterable { case host, guest }

    private func start(
        _ words: [String], in folder: TemporaryFolder, by clock: SettableClock?
    ) throws -> RunningProgram {
        var launch = Launch.beamscribe(words, state: folder)
        launch.environment.merge(clock?.environment ?? [:]) { $1 }
        return try RunningProgram(launch)
    }

    private func times(of guest: RunningProgram) -> [Times] {
        guest.standardOutputLines.compactMap {
            $0.contains(#""type":"line""#)
                ? try? JSONDecoder().decode(Times.self, from: Data($0.utf8)) : nil
        }
    }

    @Test(arguments: Stepped.allCases, [-3_600, 3_600])
    private func lines_areTimedEvenly(_ stepped: Stepped, _ step: Int) async throws {
        let (clock, folder) = (try await SettableClock(), try TemporaryFolder())
        let host = try start(
            ["host", "--event", "Town Hall"] + Room.quiet(port: 0), in: folder,
            by: stepped == .host ? clock : nil)
        let port = try await Room.port(of: host)
        let guest = try start(
            ["join", "--host", "127.0.0.1:\(port)", "--format", "jsonl"], in: TemporaryFolder(),
            by: stepped == .guest ? clock : nil)
        try await guest.waitForLine(containing: "Joined", on: .standardError)
        // Before the first line a clock is still believed that is set.
        try clock.set(step / 2)
        try await host.write("one\n")
        try await guest.waitForLine(containing: "one")
        try clock.set(step)
        try await host.write("two\nthree\n")
        try await guest.waitForLine(containing: "three")
        let lines = times(of: guest)
        #expect(lines.map(\.text) == ["one", "two", "three"])
        let sent = lines.map(\.sentTimestamp)
        let received = lines.map(\.receivedTimestamp)
        #expect(sent == sent.sorted() && sent[2] - sent[0] < 600, "\(sent)")
        #expect(received == received.sorted() && received[2] - received[0] < 600, "\(received)")
        #expect(abs(lines[2].latency - lines[1].latency) < 600, "\(lines)")
        let wrong = stepped == .host ? sent[0] : received[0]
        #expect(abs(wrong - Date().timeIntervalSince1970 - Double(step / 2)) < 600)
    }
}
