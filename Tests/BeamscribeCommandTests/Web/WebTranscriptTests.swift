import Foundation
import TestSupport
import Testing

/// The transcript as a file to keep.
@Suite struct WebTranscriptTests {
    private static let captions = [
        #"{"text":"Good <evening>","speaker":"Ann","start":1,"end":2.5}"#,
        #"{"text":"Wellcome & hello","speaker":"Bo","start":3,"end":4}"#,
        #"{"text":"Welcome & hello","replaces":2}"#,
        #"{"text":"Grüße, 総会 🎤","start":6,"end":7.5,"lang":"de"}"#,
        #"{"text":"Welcome, hello","replaces":3}"#,
        #"{"text":"not of a line that is there","replaces":77}"#,
    ]

    /// What `beamscribe export` makes of the only session.
    private func export(_ format: String, of room: Room) async throws -> String {
        let launch = Launch.beamscribe(
            ["export", "last", "--format", format], state: room.folder)
        let program = try RunningProgram(launch)
        try await program.expectExit(0, within: .seconds(60))
        return program.standardOutputText
    }

    private func expectExports(of page: WebRoom, asking question: String = "") async throws {
        for format in ["txt", "srt", "vtt", "jsonl"] {
            let answer = try await page.client.ask("/transcript.\(format)\(question)")
            #expect(answer.status == 200)
            let expected = try await export(format, of: page.room)
            #expect(answer.text == expected, "\(format)")
            #expect(expected.count > 20 || format == "txt")
        }
    }

    @Test func transcripts_areWhatAnExportMakes_withCorrectionsInTheirPlaces() async throws {
        let page = try await WebRoom.open()
        try await page.tell(Self.captions)
        let phone = try await page.client.events()
        try await phone.wait(forFinal: "not of a line that is there")
        try await expectExports(of: page)
        let text = try await page.client.ask("/transcript.txt").text
        #expect(text.hasPrefix("Ann: Good <evening>\nBo: Welcome, hello\nGrüße, 総会 🎤\n"))
    }

    /// In the same order, by the same names.
    @Test func transcriptsOfSeveralLogs_areWhatAnExportMakes() async throws {
        let page = try await WebRoom.open("--admit", "all")
        try await page.tell(Self.captions)
        let writer = try RunningProgram(
            .beamscribe(
                ["host", "--into", "Town Hall", "--as", "Room 2", "--host", page.room.address]
                    + ["--no-ble", "--input-format", "jsonl"], state: TemporaryFolder()))
        try await writer.waitForLine(containing: "Let in", on: .standardError)
        let phone = try await page.client.events(of: "all")
        try await phone.wait(forFinal: "not of a line that is there")
        let words = String(repeating: " y más", count: 20)
        for number in 1...1_500 { try await writer.write("{\"text\":\"\(number)\(words)\"}\n") }
        try await writer.write(#"{"text":"dos","replaces":2,"speaker":"Eva"}"# + "\n")
        try await phone.wait(forFinal: "dos")
        try await page.tell([#"{"text":"the end","start":9,"end":10}"#])
        try await phone.wait(forFinal: "the end")
        try await expectExports(of: page, asking: "?log=all")
        let own = try await page.client.ask("/transcript.txt").text
        #expect(own.hasSuffix("not of a line that is there\nthe end\n"))
        let room = try await page.client.ask("/transcript.txt?log=Room%202").text
        #expect(room.contains("\nEva: dos\n") && !room.contains("the end"))
    }

    /// Several pieces, and corrections of lines that are in another one.
    @Test func longTranscripts_areWhatAnExportMakes() async throws {
        let page = try await WebRoom.open()
        let words = String(repeating: " and so on", count: 10)
        var captions = (1...2_000).map { #"{"text":"line \#($0)\#(words)","start":\#($0)}"# }
        captions += stride(from: 1, through: 2_000, by: 100).map {
            #"{"text":"corrected \#($0)","replaces":\#($0)}"#
        }
        try await page.tell(captions)
        let phone = try await page.client.events()
        try await phone.wait(forFinal: "corrected 1901")
        try await expectExports(of: page)
    }

    @Test func transcripts_areThere_beforeTheFirstLine() async throws {
        let page = try await WebRoom.open()
        let header = "WEBVTT\n\nNOTE Written by beamscribe"
        for (format, expected) in [("txt", ""), ("srt", ""), ("jsonl", ""), ("vtt", header)] {
            let answer = try await page.client.ask("/transcript.\(format)")
            #expect(answer.status == 200)
            #expect(
                answer.text.trimmingCharacters(in: .newlines)
                    == expected.trimmingCharacters(in: .newlines))
        }
    }

    /// A mask for words changes what phones keep as it changes what they see.
    @Test func maskedWords_areMasked() async throws {
        let folder = try TemporaryFolder()
        try folder.write("darn\n", to: "words")
        let page = try await WebRoom.open("--mask-words", folder.path(of: "words"))
        try await page.tell("oh darn", "well")
        let phone = try await page.client.events()
        try await phone.wait(forFinal: "well")
        #expect(phone.finals.first == "oh d***")
        #expect(try await page.client.ask("/transcript.txt").text == "oh d***\nwell\n")
    }

    @Test(arguments: [
        ("Town Hall", "Town%20Hall"), ("a/b\\c\"d", "a%2Fb%5Cc%22d"),
        ("Grüße 🎤", "Gr%C3%BC%C3%9Fe%20%F0%9F%8E%A4"),
        ("../x", "%2E%2E%2Fx"), ("v1.2", "v1%2E2"),
    ])
    func file_hasTheEventsName(event: String, name: String) async throws {
        let page = try await WebRoom.open(event: event)
        for format in ["txt", "srt", "vtt", "jsonl"] {
            let file = "filename*=UTF-8''\(name).\(format)"
            let read = try await page.client.ask("/transcript.\(format)")
            #expect(read["content-disposition"] == "inline; " + file)
            let saved = try await page.client.ask("/transcript.\(format)?download")
            #expect(saved["content-disposition"] == "attachment; " + file)
        }
    }

    /// Four who take nothing have the places; the fifth is told so, and the captions go on.
    @Test func fifthDownload_isAskedToComeAgain() async throws {
        let page = try await WebRoom.open()
        let words = String(repeating: " and so on", count: 60)
        try await page.tell(numbered(1...3_000).map { $0 + words })
        let phone = try await page.client.events()
        try await phone.wait(forFinal: "line 3000" + words)
        var slow: [RawConnection] = []
        for _ in 1...4 {
            let connection = try RawConnection(to: page.client.port, receiveBuffer: 4_096)
            try await connection.send("GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            slow.append(connection)
        }
        try await eventually("the places to be taken") {
            let answer = try await page.client.ask("/transcript.txt")
            guard answer.status == 503 else { return false }
            return answer["retry-after"] != nil
        }
        try await page.tell("still here")
        try await phone.wait(forFinal: "still here")
        slow.removeLast()
        let whole = (numbered(1...3_000).map { $0 + words } + ["still here"])
            .map { $0 + "\n" }.joined()
        try await eventually("a place") {
            let answer = try await page.client.ask("/transcript.txt")
            return answer.status == 200 && answer.text == whole
        }
    }
}
