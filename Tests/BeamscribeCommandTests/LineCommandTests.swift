import Foundation
import TestSupport
import Testing

/// `join --exec COMMAND`: one run for each line, beside the captions.
@Suite struct LineCommandTests {
    private func written(_ room: Room) -> [String] {
        let text = (try? room.folder.read("ran")) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// A command that adds a line to a file.
    private func noting(_ what: String, in room: Room) -> String {
        #"printf '%s\n' "# + what + " >>" + room.folder.path(of: "ran")
    }

    @Test func command_runsOncePerLine_inOrder_andKnowsTheLine() async throws {
        let room = try await Room.open("--until-eof", event: "Town's \"Hall\"")
        try await room.tell(
            #"{"text":"said before","lang":"en"}"#, #"{"text":"it's $HOME","speaker":"Ann"}"#)
        let said =
            #""$BEAMSCRIBE_SEQ|$BEAMSCRIBE_EVENT|${BEAMSCRIBE_SPEAKER-none}|${BEAMSCRIBE_LANG-none}|"#
            + #"${BEAMSCRIBE_REPLACES-none}|${BEAMSCRIBE_CODE-none}|$(cat)""#
        var launch = room.launchOfGuest(["--exec", noting(said, in: room)])
        launch.environment["BEAMSCRIBE_SPEAKER"] = "inherited"
        let guest = try RunningProgram(launch)
        try await guest.waitForLines(2)
        try await room.tell(
            #"{"text":"open","final":false,"line":"3"}"#, #"{"text":"it was","line":"3"}"#,
            #"{"text":"corrected","replaces":1}"#)
        room.host.closeInput()
        try await guest.expectExit(0)
        let event = "Town's \"Hall\""
        #expect(
            written(room) == [
                "1|\(event)|none|en|none|none|said before",
                "2|\(event)|Ann|none|none|none|it's $HOME",
                "3|\(event)|none|none|none|none|it was",
                "4|\(event)|none|none|1|none|corrected",
            ])
        #expect(guest.standardOutputLines.count == 4)
    }

    @Test func command_leavesHistoryOut_whenTheGuestDoes() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...5))
        let guest = try await room.joined("--no-history", "--exec", noting(#""$(cat)""#, in: room))
        try await room.tell("line 6")
        try await guest.waitForLines(1)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(written(room) == ["line 6"])
    }

    @Test func outputOfTheCommand_isNeverAmongTheCaptions() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined("--exec", "cat; echo heard; echo loudly >&2")
        try await room.tell("one")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText == "one\n")
        for part in ["one", "heard", "loudly"] {
            #expect(guest.standardErrorLines.contains(part))
        }
    }

    @Test func failure_isToldOnce_andCountedInTheEnd() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...5))
        let guest = try await room.joined("--exec", #"[ "$BEAMSCRIBE_SEQ" = 3 ] || exit 7"#)
        try await guest.waitForLines(5)
        room.host.closeInput()
        try await guest.expectExit(0)
        let warnings = guest.standardErrorLines.filter { $0.hasPrefix("warning: the command") }
        #expect(warnings.count == 2, "\(warnings)")
        #expect(warnings.first?.contains("exit code 7 on line 1") == true)
        #expect(warnings.last?.contains("4 of 5 lines") == true)
    }

    @Test func codeOfTheEvent_isNotInTheCommandsEnvironment() async throws {
        let room = try await Room.open("--until-eof", "--code", "8K3M1-PQ2ZX")
        var launch = room.launchOfGuest(["--exec", "env >" + room.folder.path(of: "ran")])
        launch.environment["BEAMSCRIBE_CODE"] = "8K3M1-PQ2ZX"
        let guest = try RunningProgram(launch)
        try await room.tell("one")
        try await guest.waitForLines(1)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(written(room).contains("BEAMSCRIBE_SEQ=1"))
        #expect(!written(room).contains { $0.contains("BEAMSCRIBE_CODE") || $0.contains("PQ2ZX") })
    }

    /// A command that hangs holds up neither the captions nor, for long, the end.
    @Test func captionsGoOn_whileTheCommandHangs_andItIsEndedWithTheGuest() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined("--exec", noting("$$", in: room) + "; exec sleep 1000")
        try await room.tell(numbered(1...2_000))
        try await guest.waitForLines(2_000)
        try await eventually("the command") { written(room).count == 1 }
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(written(room).count == 1, "One at a time.")
        let process = try #require(Int32(written(room)[0]))
        #expect(kill(process, 0) != 0, "It is gone with the guest.")
        let errors = guest.standardErrorText
        #expect(errors.contains("only the newest 1000 are kept"))
        #expect(errors.contains("not done after 5 s"))
        let numbers = errors.matches(of: /(\d+) lines went without/).compactMap { Int($0.output.1) }
        #expect(numbers.reduce(0, +) == 1_999, "\(numbers)")
    }

    @Test func guest_getsAllLines_whenTheCommandIsMuchTooSlow_orFloods() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try room.join("--quiet", "--exec", "yes | head -c 300000; sleep 0.01")
        try await room.tell(numbered(1...300))
        try await guest.waitForLines(300)
        guest.interrupt()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...300))
    }

    @Test(arguments: [
        ["--exec", " "], ["--obs-lines", "0"], ["--obs-width", "5"], ["--obs", ""],
    ])
    func guest_explainsItself_whenCalledWrongly(_ words: [String]) async throws {
        let room = try await Room.open()
        let guest = try RunningProgram(room.launchOfGuest(words))
        try await guest.expectExit(64)
        #expect(guest.standardErrorText.contains(words[0]))
    }
}
