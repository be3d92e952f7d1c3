import Foundation
import TestSupport
import Testing

/// What each program writes reaches a guest, and the host finds out by itself which program it is.
@Suite struct InputFormatTests {
    /// A line of `join --format jsonl`.
    private struct Record: Decodable {
        var text: String
        var speaker: String?
        var lang: String?
        var start: Double?
        var end: Double?
        var line: String
        var seq: Int
        var replaces: Int?
        var sentTimestamp: Double
    }

    private func records(_ guest: RunningProgram) throws -> [Record] {
        try guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }
            .map { try JSONDecoder().decode(Record.self, from: Data($0.utf8)) }
    }

    private func title(of format: String) -> String { format == "text" ? "plain text" : format }

    @Test(arguments: InputSample.all)
    func guests_printWhatTheProgramMeant_whenTheFormIsFoundOut(
        _ sample: InputSample
    ) async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        try await room.host.write(bytes: try sample.bytes())
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(guest.standardOutputLines == sample.printed)
        #expect(room.host.warnings == [])
        let told = room.host.standardErrorLines.filter { $0.contains("Input: ") }
        #expect(told.count == 1)
        #expect(told.first?.contains("Input: \(title(of: sample.format)).") == true)
        #expect(told.first?.contains("--input-format") == true)
    }

    @Test(arguments: ["talk.srt", "vosk.txt", "whisper-stream.txt"])
    func host_readsAFormThatItIsTold_andSaysNothingOfIt(_ name: String) async throws {
        let sample = try #require(InputSample.named(name))
        let room = try await Room.open(
            "--input-format", sample.format, "--input", sample.path)
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(sample.lines.count) == sample.lines)
        #expect(!room.host.standardErrorText.contains("Input: "))
    }

    @Test func guests_getTimesSpeakersAndCorrections() async throws {
        let room = try await Room.open(
            "--until-eof", "--speaker-map", "1=Ann", "--speaker-map", "Speaker 2=Bob Ray",
            "--lang", "en-GB")
        let guest = try await room.joined("--format", "jsonl")
        let sample = try #require(InputSample.named("whisperlivekit.txt"))
        try await room.host.write(bytes: try sample.bytes())
        room.host.closeInput()
        try await guest.expectExit(0)
        let records = try records(guest)
        #expect(records.map(\.speaker) == ["Ann", "Ann", "Ann", "Bob Ray"])
        #expect(records.map(\.replaces) == [nil, nil, 1, nil])
        #expect(records.first?.line == records.dropFirst(2).first?.line)
        #expect(records.first?.start == 0 && records.last?.start == 6)
        #expect(records.allSatisfy { $0.lang == "en-GB" })
    }

    @Test func guests_getTheNoise_whenTheHostKeepsIt() async throws {
        let sample = try #require(InputSample.named("whisper-cli.txt"))
        let lines = sample.lines + ["[BLANK_AUDIO]"]
        let room = try await Room.open("--keep-noise", "--input", sample.path)
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(lines.count) == lines)
    }

    @Test func openLine_isShownAfterASecond_whenItCouldStillBeOfAnotherForm() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined("--format", "jsonl")
        try await room.host.write("Good mor")
        try await guest.waitForLine(containing: #""text":"Good mor""#)
        try await room.host.waitForLine(containing: "Input: plain text.", on: .standardError)
        try await room.host.write("ning.\n")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(try records(guest).map(\.text) == ["Good morning."])
    }

    @Test func segment_isFinalAfterASecond_whenNothingFollowsItsLine() async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        try await room.host.write("\r0: good\r0: good morning\n")
        #expect(try await guest.waitForLines(1) == ["good morning"])
    }

    // MARK: In its own time

    private static let talk = """
        1
        00:00:10,000 --> 00:00:11,000
        one

        2
        00:00:12,000 --> 00:00:13,000
        two

        3
        00:00:14,000 --> 00:00:15,000
        three

        """

    @Test func captionsOfAFile_comeInTheirOwnTime_whenThereIsAPace() async throws {
        let folder = try TemporaryFolder()
        let talk = try folder.write(Self.talk, to: "talk.srt")
        let room = try await Room.open("--input", talk, "--pace", "4")
        let guest = try await room.joined("--format", "jsonl")
        try await guest.waitForLine(containing: #""text":"three""#)
        let records = try records(guest)
        #expect(records.map(\.text) == ["one", "two", "three"])
        // The host's own clock: the second is never too soon, whatever the machine has to do.
        for (earlier, later) in zip(records, records.dropFirst()) {
            #expect(later.sentTimestamp - earlier.sentTimestamp > 0.3)
        }
        let span = records[2].sentTimestamp - records[0].sentTimestamp
        #expect(span > 0.9 && span < 10)
        try await room.host.waitForLine(containing: "ended after 3 lines", on: .standardError)
    }

    @Test func captionsOfAFile_comeAtOnce_withoutAPace() async throws {
        let folder = try TemporaryFolder()
        let times = (0..<40).map { "\($0):00:00.000,\($0):00:01.000\nline \($0)\n\n" }
        let talk = try folder.write(times.joined(), to: "talk.sbv")
        let room = try await Room.open("--input", talk)
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(40) == numbered(0...39))
    }

    @Test func longFile_isReadInParts_whenThereIsAPace() async throws {
        let folder = try TemporaryFolder()
        let times = (0..<3_000).map { number in
            let seconds = Double(number) / 100
            return #"{"text":"line \#(number)","start":\#(seconds)}"#
        }
        let talk = try folder.write(times.joined(separator: "\n"), to: "talk.jsonl")
        let room = try await Room.open("--input", talk, "--pace", "100")
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(3_000) == numbered(0...2_999))
    }

    @Test func host_saysThatAPaceHasNoEffect_whenThereAreNoTimes() async throws {
        let room = try await Room.open("--pace", "1", "--until-eof")
        let guest = try await room.joined()
        try await room.tell(numbered(1...20))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...20))
        try await room.host.expectExit(0)
        #expect(room.host.warnings.count == 1)
        #expect(room.host.warnings.first?.contains("--pace has no effect") == true)
    }

    @Test func host_ends_whenItIsStoppedBeforeItsTime() async throws {
        let folder = try TemporaryFolder()
        let talk = try folder.write(Self.talk, to: "talk.srt")
        let room = try await Room.open("--input", talk, "--pace", "0.001")
        let guest = try await room.joined()
        #expect(try await guest.waitForLines(1) == ["one"])
        room.host.terminate()
        try await room.host.expectExit(0)
        #expect(guest.standardOutputLines == ["one"])
    }

    @Test(arguments: [
        (["--input-format", "mp3"], "--input-format"), (["--speaker-map", "Ann"], "--speaker-map"),
        (["--speaker-map", "=Ann"], "--speaker-map"), (["--speaker-map", "1="], "--speaker-map"),
        (["--lang", "english please"], "--lang"), (["--lang", "e"], "--lang"),
        (["--lang", "en-"], "--lang"), (["--pace", "0"], "--pace"), (["--pace", "101"], "--pace"),
        (["--pace", "nan"], "--pace"), (["--pace", "fast"], "--pace"),
    ])
    func host_refuses_whenAnOptionMakesNoSense(
        _ options: [String], _ named: String
    ) async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "X"] + options + Room.quiet(port: 0)
        let host = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await host.expectExit(64)
        #expect(host.standardErrorText.contains(named))
        #expect(host.standardOutputText == "")
    }
}
