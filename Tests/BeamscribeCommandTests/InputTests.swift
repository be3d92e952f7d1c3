import Foundation
import Glibc
import TestSupport
import Testing

/// What the host can be given.
@Suite struct InputTests {
    /// A line of `join --format jsonl`.
    private struct Record: Decodable, Equatable {
        var seq: Int
        var text: String
        var speaker: String?
        var lang: String?
        var start: Double?
        var end: Double?
        var replaces: Int?
    }

    private func records(_ guest: RunningProgram) throws -> [Record] {
        try guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }
            .map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
    }

    @Test func host_passesOnEveryKey_ofJSONInput() async throws {
        let room = try await Room.open("--until-eof", "--input-format", "jsonl")
        let guest = try await room.joined("--format", "jsonl")
        let text = try await room.joined()
        try await room.tell(
            #"{"text":"Good morning","speaker":"Ann","lang":"en","start":1.5,"end":2.25}"#,
            #"{"text":"Good evening","replaces":1,"speaker":"Ann"}"#)
        room.host.closeInput()
        try await guest.expectExit(0)
        try await text.expectExit(0)
        let expected = [
            Record(
                seq: 1, text: "Good morning", speaker: "Ann", lang: "en", start: 1.5, end: 2.25),
            Record(seq: 2, text: "Good evening", speaker: "Ann", replaces: 1),
        ]
        #expect(try records(guest) == expected)
        let lines = ["Ann: Good morning", "(correction to line 1) Ann: Good evening"]
        #expect(text.standardOutputLines == lines)
    }

    @Test(arguments: [
        #"{"text":"#, "no object", #"{"speaker":"Ann"}"#, #"{"text":7}"#, "[1]", "\u{1}\u{2}",
    ])
    func host_namesTheLineAndGoesOn_whenJSONInputIsBad(_ bad: String) async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        try await room.tell(#"{"text":"one"}"#, #"{"text":"two"}"#, bad, #"{"text":"three"}"#)
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two", "three"])
        let warnings = room.host.warnings
        #expect(warnings.count == 1)
        #expect(warnings.first?.contains("line 3 of the input") == true)
    }

    @Test func guests_printTheLastState_whenARecogniserRewritesItsLine() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        let json = try await room.joined("--format", "jsonl")
        let erase = "\u{1B}[2K\r"
        try await room.host.write(erase + " Good")
        try await json.waitForLine(containing: #""text":"Good""#)
        try await room.host.write(erase + "          \r Good mourning")
        try await json.waitForLine(containing: #""text":"Good mourning""#)
        try await room.host.write(erase + " Good morning.\n" + erase + " Next.\n")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["Good morning.", "Next."])
    }

    @Test func guests_printReplacements_whenTheInputIsNoUTF8() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        try await room.host.write(bytes: [0x61, 0xFF, 0x62, 0x0A, 0xC3, 0x0A] + Array("ok\n".utf8))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["a\u{FFFD}b", "\u{FFFD}", "ok"])
    }

    @Test func guests_printALineInPieces_whenItIsTooLong() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        let words = numbered(1...3_000, "word").joined(separator: " ")
        try await room.tell(words, String(repeating: "x", count: 10_000))
        room.host.closeInput()
        try await guest.expectExit(0)
        let lines = guest.standardOutputLines
        let spoken = lines.filter { !$0.hasPrefix("x") }
        #expect(spoken.joined(separator: " ") == words)
        #expect(lines.dropFirst(spoken.count).joined() == String(repeating: "x", count: 10_000))
        #expect(lines.allSatisfy { (1...4_096).contains($0.utf8.count) })
    }

    @Test func host_readsAFile_whenToldTo() async throws {
        let folder = try TemporaryFolder()
        let text = numbered(1...40).joined(separator: "\n")
        let room = try await Room.open("--input", try folder.write(text, to: "notes.txt"))
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(40) == numbered(1...40))
        try await room.host.waitForLine(containing: "after 40 lines", on: .standardError)
    }

    /// What was said when the answer came tells whether it had to wait for the end of the input.
    @Test func guest_isAnswered_whileALongFileIsBeingRead() async throws {
        let folder = try TemporaryFolder()
        let lines = 1_000_000
        let text = String(repeating: "All of this is said.\n", count: lines)
        let room = try await Room.open("--ephemeral", "--input", try folder.write(text, to: "long"))
        let guest = try WireConnection(to: room.port)
        try await guest.send(Wire.handshake())
        let answer = try await guest.receive("handshake_response")
        #expect(answer.status == "accepted")
        #expect(try #require(answer.lastSeq) < lines)
    }

    @Test(arguments: ["nowhere.txt", "."])
    func host_refuses_whenTheInputCannotBeRead(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: name)
        let words = ["host", "--event", "X", "--input", path] + Room.quiet(port: 0)
        let host = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await host.expectExit(65)
        #expect(host.standardErrorLines.last?.contains(path) == true)
        #expect(host.standardErrorLines.filter { $0.hasPrefix("beamscribe: ") }.count == 1)
        #expect(host.standardOutputText == "")
    }

    @Test func host_servesGuests_whileNobodyWritesToItsNamedPipe() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path(of: "captions")
        #expect(mkfifo(pipe, 0o600) == 0)
        let room = try await Room.open("--input", pipe, "--until-eof")
        let guest = try await room.joined()
        let writer = try RunningProgram("sh", "-c", "exec cat > '\(pipe)'")
        try await writer.write("one\ntwo\n")
        #expect(try await guest.waitForLines(2) == ["one", "two"])
        writer.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
    }

    @Test func host_takesNoInputForItsEnd_whenStartedWithoutAny() async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "X", "--until-eof"] + Room.quiet(port: 0)
        var launch = Launch.beamscribe(words, state: folder)
        launch.input = .closed
        let host = try RunningProgram(launch)
        // A descriptor of the host's own with the number 0 would be read as its input.
        #expect(try await host.waitForExit() == .success, "\(host.standardErrorText)")
        #expect(host.standardErrorText.contains("ended after 0 lines"))
    }
}
