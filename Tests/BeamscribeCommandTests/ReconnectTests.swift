import TestSupport
import Testing

/// A guest whose connection breaks comes back and goes on where it was.
@Suite struct ReconnectTests {
    private func join(
        _ room: Room, through relay: Relay, _ options: String...
    ) throws -> RunningProgram {
        let words = ["join", "--host", relay.address] + options
        return try RunningProgram(.beamscribe(words, state: room.folder))
    }

    @Test func guest_losesAndDoublesNothing_whenTheConnectionIsReset() async throws {
        let room = try await Room.open("--until-eof")
        let relay = try Relay(to: room.port)
        let guest = try join(room, through: relay)
        try await room.tell(numbered(1...10))
        try await guest.waitForLines(10)
        for round in 1...2 {
            relay.cut()
            try await room.tell(numbered((round * 10 + 1)...(round * 10 + 10)))
            try await guest.waitForLines(round * 10 + 10)
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...30))
        // Back before anybody could miss it: no reason to alarm a reader.
        #expect(!guest.standardErrorText.contains("lost"))
        #expect(!guest.standardErrorText.contains("Back in"))
        #expect(relay.connections == 3)
    }

    @Test(arguments: [[700, 4_000, 20_001], [470, 471, 472], [2, 1_000, 3]])
    func guest_losesAndDoublesNothing_whenFramesAreTorn(_ limits: [Int]) async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...300))
        let witness = try await room.joined()
        try await witness.waitForLines(300)
        let relay = try Relay(to: room.port, breakingAfter: limits)
        let guest = try join(room, through: relay)
        try await guest.waitForLines(300)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...300))
        #expect(relay.connections == limits.count + 1)
    }

    @Test func guest_savesEachLineOnce_whenTheConnectionIsReset() async throws {
        let room = try await Room.open("--until-eof")
        let relay = try Relay(to: room.port, breakingAfter: [3_000])
        let path = room.folder.path(of: "saved.txt")
        let guest = try join(room, through: relay, "--save", path, "--from", "5")
        try await room.tell(numbered(1...100))
        try await guest.waitForLines(96)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(5...100))
        #expect(try room.folder.read("saved.txt") == guest.standardOutputText)
    }

    @Test func guest_getsOnlyWhatComes_whenItWantedNoHistoryAndComesBack() async throws {
        let room = try await Room.open("--until-eof")
        let relay = try Relay(to: room.port)
        try await room.tell(numbered(1...3))
        let witness = try await room.joined()
        try await witness.waitForLines(3)
        let guest = try join(room, through: relay, "--no-history")
        try await guest.waitUntilJoined()
        relay.cut()
        try await room.tell(numbered(4...6))
        try await guest.waitForLines(3)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(4...6))
    }

    @Test func guest_withdrawsWhatWasOpen_whenTheConnectionIsReset() async throws {
        let room = try await Room.open("--until-eof")
        let relay = try Relay(to: room.port)
        let guest = try join(room, through: relay, "--format", "jsonl")
        try await guest.waitForLine(containing: #""state":"live""#)
        try await room.host.write("Half a li")
        try await guest.waitForLine(containing: #""text":"Half a li""#)
        relay.cut()
        try await guest.waitForLine(containing: #""text":"""#)
        try await room.host.write("ne\n")
        try await guest.waitForLine(containing: #""text":"Half a line""#)
    }

    @Test func guest_leaves_whenAnotherEventIsThereNow() async throws {
        let address = Room.ownAddress()
        let room = try await Room.open(at: address)
        let guest = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLines(1)
        room.host.kill()
        try await room.host.waitForExit()
        let words = ["host", "--event", "Other"] + Room.quiet(port: room.port, at: address)
        let other = try RunningProgram(.beamscribe(words, state: room.folder))
        try await other.write("two\n")
        try await guest.expectExit(77)
        #expect(guest.standardOutputLines == ["one"])
        #expect(guest.standardErrorText.contains("another event"))
    }

    @Test func guest_comesBack_whenTheHostStoodStill() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLines(1)
        room.host.suspend()
        try await guest.waitForLine(containing: "for 6 s", on: .standardError)
        room.host.resume()
        try await room.tell("two")
        try await guest.waitForLines(2)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two"])
    }
}
