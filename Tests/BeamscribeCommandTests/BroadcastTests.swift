import TestSupport
import Testing

/// The main job: what the host is given is what every guest prints.
@Suite struct BroadcastTests {
    @Test func guests_printExactlyTheHostsLines_whenOneJoinsLate() async throws {
        let room = try await Room.open("--until-eof")
        let early = [try await room.joined(), try await room.joined()]
        try await room.tell(numbered(1...60))
        for guest in early { try await guest.waitForLines(60) }
        let late = try await room.joined()
        try await room.tell(numbered(61...100))
        try await late.waitForLines(61)
        room.host.closeInput()
        for guest in early + [late] {
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == numbered(1...100))
        }
        try await room.host.expectExit(0)
        #expect(room.host.standardOutputText == "")
    }

    @Test func guests_printWholeLines_whenTheInputComesInPieces() async throws {
        let room = try await Room.open("--until-eof")
        let json = try await room.joined("--format", "jsonl")
        let text = try await room.joined()
        let steps = [
            ("Good mor", "Good mor"), ("ning, ", "Good morning,"), ("all.\nThe sec", "The sec"),
            ("ond", "The second"),
        ]
        for (piece, partial) in steps {
            try await room.host.write(piece)
            try await json.waitForLine(containing: #""text":"\#(partial)""#)
        }
        room.host.closeInput()
        try await text.expectExit(0)
        #expect(text.standardOutputLines == ["Good morning, all.", "The second"])
    }

    @Test func guest_printsPartials_inJSONOnly() async throws {
        let room = try await Room.open()
        let json = try await room.joined("--format", "jsonl")
        let others = [
            try await room.joined(), try await room.joined("--format", "srt"),
            try await room.joined("--format", "vtt"),
        ]
        try await room.host.write("unfini")
        try await json.waitForLine(containing: #""type":"partial""#)
        try await room.host.write("shed\n")
        try await json.waitForLine(containing: #""text":"unfinished""#)
        for guest in others {
            let text = try await guest.waitForLine(containing: "unfinished")
            #expect(text == "unfinished")
            #expect(!guest.standardOutputLines.contains("unfini"))
        }
    }

    @Test func host_servesTheHistory_whenItsInputHasEnded() async throws {
        let room = try await Room.open()
        try await room.tell(numbered(1...3))
        room.host.closeInput()
        try await room.host.waitForLine(containing: "input has ended", on: .standardError)
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(3) == numbered(1...3))
        try await room.end()
        try await guest.expectExit(0)
    }

    @Test func host_ends_whenItsInputIsEmptyAndNobodyIsThere() async throws {
        let room = try await Room.open("--until-eof")
        room.host.closeInput()
        try await room.host.expectExit(0)
        #expect(room.host.standardErrorText.contains("0 lines"))
    }

    @Test func guests_getEveryLineInOrder_whenLinesPour() async throws {
        let room = try await Room.open("--until-eof")
        let guests = [try await room.joined(), try await room.joined()]
        for start in stride(from: 1, through: 10_000, by: 1_000) {
            try await room.tell(numbered(start...(start + 999)))
        }
        room.host.closeInput()
        for guest in guests {
            try await guest.expectExit(0)
            #expect(guest.standardOutputLines == numbered(1...10_000))
        }
        try await room.host.expectExit(0)
    }

    @Test func host_copiesFinalsToItsOutput_withTee() async throws {
        let room = try await Room.open("--until-eof", "--tee")
        let guest = try await room.joined()
        try await room.host.write(#"{"text":"Good morning","speaker":"Ann"}"# + "\n")
        try await room.host.write(#"{"text":"Good","final":false}"# + "\n")
        try await room.host.write(#"{"text":"Good bye"}"# + "\n")
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(room.host.standardOutputLines == ["Ann: Good morning", "Good bye"])
        #expect(guest.standardOutputLines == room.host.standardOutputLines)
    }

    @Test func host_saysThatItsTeeIsFull_andGoesOn() async throws {
        let room = try await Room.open("--until-eof", "--tee", output: .file("/dev/full"))
        let guest = try await room.joined()
        try await room.tell("one")
        try await room.host.waitForLine(containing: "--tee copies nothing more", on: .standardError)
        try await room.tell("two")
        try await guest.waitForLines(2)
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(74)
        #expect(guest.standardOutputLines == ["one", "two"])
        let last = room.host.standardErrorLines.last ?? ""
        #expect(last.contains("lacks its last 2 lines") && last.contains("No space left"))
    }

    @Test(arguments: [true, false])
    func host_goesOn_whenNobodyReadsItsTee(_ isPipe: Bool) async throws {
        let room = try await Room.open(
            "--until-eof", "--tee", output: isPipe ? .unread : .closed)
        room.host.closeUnreadOutput()
        let guest = try await room.joined()
        for line in numbered(1...20) {
            try await room.tell(line)
            try await guest.waitForLine { $0 == line }
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...20))
    }
}
