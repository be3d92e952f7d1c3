import Foundation
import TestSupport
import Testing

/// What an export writes, read by other people's parsers.
@Suite struct ExportParserTests {
    private static let texts = [
        "Good evening, everyone.", "1 < 2 & 3 --> 4 </v> <b>bold</b> &amp;", "👍🏽 👩‍👩‍👧‍👦 emoji",
        "مرحبا بكم في هذا اللقاء", "字幕は日本語でも読みやすく改行されなければなりません。それは大切なことです。", "42",
        String(repeating: "a long line that becomes several cues, ", count: 12) + "the end.",
        String(repeating: "x", count: 100), "NOTE this", "\u{A0}50\u{A0}%",
        "\u{0600}<c.red>\u{0301}not red\u{06DD}</c>\u{0301} \u{110BD}&lt;\u{FE0F} -->\u{0301} 1",
    ]

    /// A Python that has the libraries. Debian's packages are for Debian's own alone.
    private static let python = ["python3", "/usr/bin/python3"].first(where: hasLibraries)

    private static func hasLibraries(_ python: String) -> Bool {
        let look = Process()
        look.executableURL = URL(filePath: "/usr/bin/env")
        look.arguments = [python, "-c", "import srt, webvtt"]
        look.standardError = FileHandle.nullDevice
        guard (try? look.run()) != nil else { return false }
        look.waitUntilExit()
        return look.terminationStatus == 0
    }

    private static var missing: String? {
        python == nil ? "python3-srt or python3-webvtt is not installed" : nil
    }

    private let stored: StoredSessions

    init() async throws {
        stored = try StoredSessions()
        let lines = try Self.texts.enumerated().map { index, text in
            let object: [String: Any] = [
                "text": text, "start": index * 4, "end": Double(index) * 4 + 3.25,
            ]
            return String(
                decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
        }
        try await stored.host(lines)
    }

    private struct Cue {
        var start: Double
        var end: Double
        var text: String
    }

    private func cues(_ format: String) async throws -> [Cue] {
        let path = stored.folder.path(of: "a.\(format)")
        #expect(try await stored.export("--output", path) == "")
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Fixtures/read-subtitles.py").path
        let python = Self.python ?? "python3"
        let reader = try RunningProgram("/usr/bin/env", python, script, path)
        try await reader.expectExit(0)
        let json = try JSONSerialization.jsonObject(with: Data(reader.standardOutputText.utf8))
        return try #require(json as? [[Any]]).map { cue in
            Cue(
                start: try #require(cue[0] as? Double), end: try #require(cue[1] as? Double),
                text: try #require(cue[2] as? String))
        }
    }

    @Test(Skip.unless(missing), arguments: ["srt", "vtt"])
    func subtitles_areReadByOthers_asTheyWereSaid(_ format: String) async throws {
        let cues = try await cues(format)
        // Each line but the long one, of 7 cues, and the long word, of 2, is one cue.
        #expect(cues.count == Self.texts.count + 6 + 1)
        let blankless = { (text: String) in text.filter { !$0.isWhitespace } }
        let said = blankless(Self.texts.joined())
        let shown = blankless(cues.map(\.text).joined())
        let joinerless = shown.replacingOccurrences(of: "\u{2060}", with: "", options: .literal)
        #expect(Array(joinerless.utf8) == Array(said.utf8))
        #expect(cues.allSatisfy { $0.text.split(separator: "\n").count <= 2 })
        #expect(cues.allSatisfy { $0.end - $0.start > 0.9995 })
        #expect(zip(cues, cues.dropFirst()).allSatisfy { $0.end <= $1.start + 0.0005 })
        #expect(cues.prefix(6).map(\.start) == [0, 4, 8, 12, 16, 20])
        #expect(cues.prefix(6).map(\.end) == [3.25, 7.25, 11.25, 15.25, 19.25, 23.25])
    }

    @Test func jsonLines_areReadByPython_asTheyWereSaid() async throws {
        let path = stored.folder.path(of: "a.jsonl")
        #expect(try await stored.export("--output", path) == "")
        let program = """
            import json, sys
            lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8")]
            assert all(sorted(l) == ["end", "line", "sentTimestamp", "seq", "start", "text", "type"]
                       for l in lines), lines
            print(json.dumps([[l["seq"], l["text"], l["start"]] for l in lines]))
            """
        let reader = try RunningProgram("/usr/bin/env", "python3", "-c", program, path)
        try await reader.expectExit(0)
        let json = try JSONSerialization.jsonObject(with: Data(reader.standardOutputText.utf8))
        let lines = try #require(json as? [[Any]])
        #expect(lines.map { $0[0] as? Int } == Array(1...Self.texts.count))
        #expect(lines.map { $0[1] as? String } == Self.texts)
    }
}
