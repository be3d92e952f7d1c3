import TestSupport
import Testing

/// What corrections become in each of a guest's outputs.
@Suite struct CorrectionOutputTests {
    private static let captions = [
        #"{"text":"We meet on Tuesday.","speaker":"Ann","start":1,"end":2}"#,
        #"{"text":"Fine.","start":3,"end":4}"#,
        #"{"text":"We meet on Thursday.","speaker":"Ann","replaces":1,"start":5,"end":6}"#,
        #"{"text":"We meet on Friday.","replaces":3,"start":7,"end":8}"#,
    ]

    private static let text = """
        Ann: We meet on Tuesday.
        Fine.
        (correction to line 1) Ann: We meet on Thursday.
        (correction to line 1) We meet on Friday.

        """

    @Test func text_namesTheLine_thatIsCorrectedInTheEnd() async throws {
        let room = try await Room.open("--until-eof")
        let early = try await room.joined("--save", room.folder.path(of: "early.txt"))
        try await room.tell(Self.captions)
        try await early.waitForLines(4)
        let late = try await room.joined("--save", room.folder.path(of: "late.txt"))
        try await late.waitForLines(4)
        room.host.closeInput()
        for guest in [early, late] {
            try await guest.expectExit(0)
            #expect(guest.standardOutputText == Self.text)
        }
        #expect(try room.folder.read("early.txt") == Self.text)
        #expect(try room.folder.read("late.txt") == Self.text)
    }

    @Test func correctionOfALineThatWasNotAskedFor_isALine() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let guest = try await room.joined("--from", "2")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(
            guest.standardOutputText == """
                Fine.
                Ann: We meet on Thursday.
                (correction to line 3) We meet on Friday.

                """)
    }

    /// What a guest knows of corrections goes on with its file.
    @Test func restartedGuest_namesTheLine_thatItHadBefore() async throws {
        let room = try await Room.open("--until-eof")
        let path = room.folder.path(of: "saved.txt")
        try await room.tell(Array(Self.captions.prefix(3)))
        let first = try room.join("--save", path)
        try await eventually("three lines in the file") {
            (try? room.folder.read("saved.txt"))?.contains("Thursday") == true
        }
        try await eventually("its position") {
            (try? room.folder.read("saved.txt.beamscribe"))?.contains(#""after":3"#) == true
        }
        first.kill()
        try await first.waitForExit()
        try await room.tell(Self.captions[3])
        let second = try await room.joined("--save", path, "--no-history")
        room.host.closeInput()
        try await second.expectExit(0)
        #expect(try room.folder.read("saved.txt") == Self.text)
    }

    @Test func subtitles_markACorrection_inACueOfItsOwn() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let path = room.folder.path(of: "a.vtt")
        let guest = try await room.joined("--save", path, "--format", "srt")
        room.host.closeInput()
        try await guest.expectExit(0)
        let srt = guest.standardOutputText
        #expect(srt.replacing("\n", with: " ").contains("(correction to line 1) Ann: We meet on"))
        let vtt = try room.folder.read("a.vtt")
        #expect(vtt.contains("\n<v Ann>(correction to line 1)"), "\(vtt)")
        #expect(vtt.matches(of: /-->/).count == 4 && srt.matches(of: /-->/).count == 4)
    }

    @Test func json_saysWhatChanges_behindTheLineThatChangesIt() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        let guest = try await room.joined(
            "--format", "jsonl", "--save", room.folder.path(of: "a.jsonl"))
        room.host.closeInput()
        try await guest.expectExit(0)
        let records = [
            #"{"by":3,"seq":1,"speaker":"Ann","text":"We meet on Thursday.","type":"correction"}"#,
            #"{"by":4,"seq":1,"text":"We meet on Friday.","type":"correction"}"#,
        ]
        let saved = try room.folder.read("a.jsonl").split(separator: "\n").map(String.init)
        for lines in [guest.standardOutputLines, saved] {
            #expect(lines.filter { $0.contains(#""type":"correction""#) } == records)
            for record in records {
                let index = try #require(lines.firstIndex(of: record))
                #expect(lines[index - 1].contains(#""replaces":"#))
            }
        }
    }
}
