import TestSupport
import Testing

/// The forms in which a guest writes an event.
@Suite struct JoinFormatTests {
    private static let captions = [
        #"{"text":"Good <morning>","speaker":"Ann","start":1,"end":2.5}"#,
        #"{"text":"Hello & welcome","start":3,"end":4}"#,
    ]

    private static let expected = [
        "text": "Ann: Good <morning>\nHello & welcome\n",
        "srt": """
        1
        00:00:01,000 --> 00:00:02,500\("     ")
        Ann: Good <\u{2060}morning>

        2
        00:00:03,000 --> 00:00:04,000
        Hello & welcome


        """,
        "vtt": """
        WEBVTT

        NOTE Written by beamscribe

        1
        00:00:01.000 --> 00:00:02.500
        <v Ann>Good &lt;morning&gt;

        2
        00:00:03.000 --> 00:00:04.000
        Hello &amp; welcome


        """,
    ]

    private func openRoom() async throws -> Room {
        let room = try await Room.open("--until-eof")
        try await room.tell(Self.captions)
        return room
    }

    @Test(arguments: ["text", "srt", "vtt"])
    func guest_writesTheForm_thatWasAskedFor(_ format: String) async throws {
        let room = try await openRoom()
        let guest = try await room.joined("--format", format)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputText == Self.expected[format])
    }

    @Test func guest_writesStatesAndLines_asJSON() async throws {
        let room = try await openRoom()
        let guest = try await room.joined("--format", "jsonl")
        try await guest.waitForLine(containing: #""state":"live""#)
        room.host.closeInput()
        try await guest.expectExit(0)
        let lines = guest.standardOutputLines
        #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(lines.filter { $0.contains(#""type":"line""#) }.count == 2)
        let parts = [
            #""state":"connecting""#, #""seq":1"#, #""seq":2"#, #""state":"live""#,
            #""kind":"ended""#, #""state":"ended""#,
        ]
        let places = parts.map { part in lines.firstIndex { $0.contains(part) } ?? -1 }
        #expect(!places.contains(-1) && places == places.sorted(), "\(lines)")
        #expect(lines.contains { $0.contains(#""latency":"#) })
    }

    @Test func guest_tellsHowItFares_asJSON_everyTenSeconds() async throws {
        let room = try await openRoom()
        let guest = try await room.joined("--format", "jsonl")
        try await guest.waitForLine(containing: #""seq":2"#)
        try await room.tell(#"{"text":"live"}"#)
        let line = try await guest.waitForLine(
            containing: #""type":"stats""#)
        for part in [#""applied":3"#, #""lines":3"#, #""reconnects":0"#, #""latencyP95":"#] {
            #expect(line.contains(part), "\(line)")
        }
        let plain = try await room.joined()
        room.host.closeInput()
        try await guest.expectExit(0)
        try await plain.expectExit(0)
        #expect(!plain.standardOutputText.contains("stats"))
    }

    @Test(arguments: [("a.txt", "text"), ("a.srt", "srt"), ("A.VTT", "vtt"), ("plain", "text")])
    func guest_savesTheForm_ofTheFilesEnding(_ name: String, _ format: String) async throws {
        let room = try await openRoom()
        let guest = try await room.joined("--save", room.folder.path(of: name))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(try room.folder.read(name) == Self.expected[format])
        #expect(guest.standardOutputText == Self.expected["text"])
    }

    @Test func guest_savesLinesOnly_asJSON() async throws {
        let room = try await openRoom()
        let guest = try await room.joined("--save", room.folder.path(of: "a.jsonl"))
        try await room.host.write("{\"text\":\"o\",\"final\":false}\n{\"text\":\"open\"}\n")
        room.host.closeInput()
        try await guest.expectExit(0)
        let lines = try room.folder.read("a.jsonl").split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.contains(#""type":"line""#) })
    }

    @Test func guest_takesAnotherName_whenTheFileIsSomebodyElses() async throws {
        let room = try await openRoom()
        let path = try room.folder.write("mine", to: "a.txt")
        let guest = try await room.joined("--save", path)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(try room.folder.read("a.txt") == "mine")
        #expect(try room.folder.read("a-2.txt") == Self.expected["text"])
        #expect(guest.standardErrorText.contains("a-2.txt"))
    }

    @Test func guest_refuses_whenTheFileCannotBeMade() async throws {
        let room = try await openRoom()
        let missing = room.folder.path(of: "no/such/folder.txt")
        let guest = try room.join("--save", missing)
        try await guest.expectExit(73)
        #expect(guest.standardErrorText.contains(room.folder.path(of: "no/such/")))
    }

    @Test func guest_ends_whenItsReaderHasSeenEnough() async throws {
        let room = try await openRoom()
        let guest = try room.join(output: .unread)
        try await guest.waitUntilJoined()
        guest.closeUnreadOutput()
        // It notices when it writes. While another test starts a program, that program has the
        // pipe's reading end too, for the moment between fork and exec: one line may be lost there.
        try await eventually("the guest's end") {
            try await room.tell(#"{"text":"one more"}"#)
            return !guest.isRunning
        }
        try await guest.expectExit(0)
    }

    @Test func guest_saysWhatFailed_whenTheDiskIsFull() async throws {
        let room = try await openRoom()
        let guest = try room.join(output: .file("/dev/full"))
        try await guest.expectExit(74)
        #expect(guest.standardErrorText.contains("No space left"))
    }
}
