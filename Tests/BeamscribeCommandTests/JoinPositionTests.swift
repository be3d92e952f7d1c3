import TestSupport
import Testing

/// Where in an event a guest begins.
@Suite struct JoinPositionTests {
    private func openRoom() async throws -> Room {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...3))
        let witness = try await room.joined()
        try await witness.waitForLines(3)
        return room
    }

    private func lines(
        after options: [String], saying more: ClosedRange<Int>?
    ) async throws -> [String] {
        let room = try await openRoom()
        let guest = try RunningProgram(room.launchOfGuest(options))
        try await guest.waitUntilJoined()
        if let more { try await room.tell(numbered(more)) }
        room.host.closeInput()
        try await guest.expectExit(0)
        return guest.standardOutputLines
    }

    @Test func guest_printsOnlyWhatComes_withoutHistory() async throws {
        #expect(try await lines(after: ["--no-history"], saying: 4...6) == numbered(4...6))
        #expect(try await lines(after: ["--no-history"], saying: nil) == [])
    }

    @Test func guest_beginsAtItsLine_withFrom() async throws {
        #expect(try await lines(after: ["--from", "2"], saying: 4...4) == numbered(2...4))
        #expect(try await lines(after: ["--from", "1"], saying: nil) == numbered(1...3))
        #expect(try await lines(after: ["--from", "3"], saying: nil) == numbered(3...3))
    }

    @Test func guest_waitsForItsLine_whenItIsStillToCome() async throws {
        #expect(try await lines(after: ["--from", "6"], saying: 4...8) == numbered(6...8))
    }

    @Test func guest_tellsTheGap_whenTheHostHasLetLinesGo() async throws {
        let room = try await Room.open("--until-eof", "--history", "2097152")
        let count = 6_000
        let words = String(repeating: " and so on", count: 60)
        try await room.tell(numbered(1...count).map { $0 + words })
        try await room.host.waitForLine(
            containing: "late joiners get it from line", on: .standardError)
        let guest = try await room.joined()
        room.host.closeInput()
        try await guest.expectExit(0)
        let first = try #require(guest.standardOutputLines.first)
        let number = try #require(Int(first.split(separator: " ")[1]))
        #expect(number > 1)
        #expect(guest.standardOutputLines == numbered(number...count).map { $0 + words })
        #expect(guest.standardErrorText.contains("lines 1 to \(number - 1) are no longer"))
    }
}
