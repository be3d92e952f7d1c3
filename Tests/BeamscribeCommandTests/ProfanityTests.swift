import TestSupport
import Testing

/// `--profanity-filter` and `--mask-words`, at the host and at the reader.
@Suite struct ProfanityTests {
    private static let captions = [
        #"{"text":"Oh shit, the darn thing broke.","speaker":"Ann"}"#, #"{"text":"All is well."}"#,
    ]
    private static let original = "Ann: Oh shit, the darn thing broke.\nAll is well.\n"

    @Test func guests_neverSeeTheWord_whenTheHostMasksIt_andTheExportHasIt() async throws {
        let room = try await Room.open("--until-eof", "--tee", "--profanity-filter")
        let guest = try await room.joined(
            "--format", "jsonl", "--save", room.folder.path(of: "saved.txt"))
        try await room.tell(#"{"text":"Oh shit","final":false,"line":"x"}"#)
        try await guest.waitForLine(containing: #""text":"Oh s***""#)
        try await room.tell(Self.captions)
        let late = try await room.joined()
        room.host.closeInput()
        try await guest.expectExit(0)
        try await late.expectExit(0)
        let masked = Self.original.replacing("shit", with: "s***")
        #expect(late.standardOutputText == masked)
        #expect(try room.folder.read("saved.txt") == masked)
        #expect(!guest.standardOutputText.contains("shit"))
        #expect(!guest.standardOutputText.contains("original"))
        try await room.host.waitForExit()
        #expect(room.host.standardOutputText == Self.original, "A copy is no guest.")
        #expect(try await export(room) == Self.original)
        #expect(try await export(room, "--masked") == masked)
    }

    private func export(_ room: Room, _ options: String...) async throws -> String {
        let words = ["export", "last"] + options
        let program = try RunningProgram(.beamscribe(words, state: room.folder))
        try await program.expectExit(0)
        return program.standardOutputText
    }

    /// A host that is started again has the lines as they were, and so have its guests.
    @Test func maskedLines_areStillMasked_whenTheHostIsStartedAgainWithoutTheFilter() async throws {
        let room = try await Room.open("--profanity-filter")
        let guest = try await room.joined()
        try await room.tell(Self.captions)
        try await guest.waitForLines(2)
        room.host.interrupt()
        try await room.host.waitForExit()
        let words = ["host", "--resume", "last"] + Room.quiet(port: 0)
        let second = try RunningProgram(.beamscribe(words, state: room.folder))
        let port = try await Room.port(of: second)
        let late = try RunningProgram(
            .beamscribe(["join", "--host", "127.0.0.1:\(port)"], state: room.folder))
        try await late.waitForLines(2)
        #expect(late.standardOutputLines[0] == "Ann: Oh s***, the darn thing broke.")
    }

    @Test func reader_masksWhatIsShown_andSavesWhatWasSaid() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let list = try room.folder.write("# mine\ndarn*\n", to: "words.txt")
        let guest = try await room.joined(
            "--profanity-filter", "--mask-words", list, "--save", room.folder.path(of: "saved.txt"),
            "--obs", room.folder.path(of: "sign.txt"), "--obs-width", "0",
            "--exec", "cat >>" + room.folder.path(of: "ran"))
        let masked = "Oh s***, the d*** thing broke."
        try await eventually("the sign") {
            try room.folder.read("sign.txt") == "Ann: \(masked)\nAll is well."
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText == "Ann: \(masked)\nAll is well.\n")
        #expect(try room.folder.read("saved.txt") == Self.original)
        #expect(try room.folder.read("ran") == "\(masked)\nAll is well.\n")
    }

    @Test func nothing_isMasked_unlessItIsAskedFor() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let guest = try await room.joined()
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText == Self.original)
    }

    @Test(arguments: [("two words\n", "line 1"), ("# none\n", "no word"), (nil, "cannot open")])
    func list_thatCannotBeUsed_isSaidWithWhatToDo(list: String?, part: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "words.txt")
        if let list { try folder.write(list, to: "words.txt") }
        let host = ["host", "--event", "E"] + Room.quiet(port: 0) + ["--mask-words", path]
        let guest = ["join", "--host", "127.0.0.1:1", "--mask-words", path]
        for words in [host, guest] {
            let program = try RunningProgram(.beamscribe(words, state: folder))
            try await program.expectExit(65)
            #expect(program.standardErrorLines.count == 1)
            #expect(program.standardErrorText.contains(part))
            #expect(program.standardErrorText.contains("one word"))
        }
    }

    /// The longest line stays within the protocol's limits.
    @Test func longestLine_reachesTheGuest_whenAllOfItIsMasked() async throws {
        let room = try await Room.open("--until-eof", "--profanity-filter")
        let words = Array(repeating: "shit", count: 819).joined(separator: " ")
        try await room.tell(words)
        let guest = try await room.joined()
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText == words.replacing("shit", with: "s***") + "\n")
    }
}
