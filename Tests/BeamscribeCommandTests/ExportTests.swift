import Foundation
import TestSupport
import Testing

/// Transcripts of what real hosts have written.
@Suite struct ExportTests {
    private let stored: StoredSessions
    private static let captions = [
        #"{"text":"Good <evening>","speaker":"Ann","start":1,"end":2.5}"#,
        #"{"text":"Wellcome & hello","speaker":"Bo","start":3,"end":4}"#,
        #"{"text":"Welcome & hello","replaces":2}"#,
        #"{"text":"Thank you","start":6,"end":7.5}"#,
        #"{"text":"Welcome, hello","replaces":3}"#,
    ]

    init() async throws {
        stored = try StoredSessions()
        try await stored.host(Self.captions)
    }

    private static let expected = [
        "txt": "Ann: Good <evening>\nBo: Welcome, hello\nThank you\n",
        "srt": """
        1
        00:00:01,000 --> 00:00:02,500\("     ")
        Ann: Good <\u{2060}evening>

        2
        00:00:03,000 --> 00:00:04,000
        Bo: Welcome, hello

        3
        00:00:06,000 --> 00:00:07,500
        Thank you


        """,
        "vtt": """
        WEBVTT

        NOTE Written by beamscribe

        1
        00:00:01.000 --> 00:00:02.500
        <v Ann>Good &lt;evening&gt;

        2
        00:00:03.000 --> 00:00:04.000
        <v Bo>Welcome, hello

        3
        00:00:06.000 --> 00:00:07.500
        Thank you


        """,
    ]

    @Test func times_boundAnExport_andAreShown() async throws {
        let timed = try await stored.export("--times").split(separator: "\n").map(String.init)
        let times = timed.map { String($0.prefix(8)) }
        #expect(
            timed.map { String($0.dropFirst(9)) }.joined(separator: "\n") + "\n"
                == Self.expected["txt"])
        #expect(times.allSatisfy { $0.wholeMatch(of: /\d\d:\d\d:\d\d/) != nil })
        let all = try await stored.export("--from", "\(times[0].prefix(6))00")
        #expect(all == Self.expected["txt"])
        // Eleven hours from the event is after it, or before it.
        let hour = try #require(Int(times[0].prefix(2)))
        let far = try await stored.run("export", "last", "--from", "\((hour + 11) % 24):00")
        #expect(far.standardErrorText.contains("no line of session"))
        #expect(far.standardOutputText == "")
        try await stored.run("export", "last", "--times", "--format", "srt", exit: 64)
        try await stored.run("export", "last", "--from", "noon", exit: 64)
    }

    @Test func export_hasEachFormat_withCorrectionsInTheirPlaces() async throws {
        #expect(try await stored.export() == Self.expected["txt"])
        #expect(try await stored.export("--format", "text") == Self.expected["txt"])
        for (format, text) in Self.expected {
            #expect(try await stored.export("--format", format) == text)
            let path = stored.folder.path(of: "a.\(format)")
            #expect(try await stored.export("--output", path) == "")
            #expect(try stored.folder.read("a.\(format)") == text)
        }
    }

    @Test func export_showsCorrections_whenAsked() async throws {
        #expect(
            try await stored.export("--with-corrections") == """
                Ann: Good <evening>
                Bo: Wellcome & hello
                (correction to line 2) Welcome & hello
                Thank you
                (correction to line 2) Welcome, hello

                """)
        let records = try await stored.export("--with-corrections", "--format", "jsonl")
        let lines = records.split(separator: "\n")
        #expect(lines.count == 5 && lines[2].contains(#""replaces":2"#))
        let subtitles = try await stored.export("--with-corrections", "--format", "srt")
        #expect(subtitles.contains("\n(correction to line 2) Welcome & hello\n"))
    }

    @Test func export_isOfTheLinesAskedFor() async throws {
        #expect(try await stored.export("--from", "2", "--to", "2") == "Bo: Welcome, hello\n")
        #expect(try await stored.export("--from", "3") == "Thank you\n")
        #expect(try await stored.export("--to", "1") == "Ann: Good <evening>\n")
        let late = try await stored.run("export", "last", "--from", "6")
        #expect(late.standardOutputText == "" && late.standardErrorLines.count == 1)
        for words in [
            ["--from", "0"], ["--to", "0"], ["--from", "3", "--to", "2"], ["--from", "x"],
        ] {
            let launch = Launch.beamscribe(["export", "last"] + words, state: stored.folder)
            let wrong = try RunningProgram(launch)
            try await wrong.expectExit(64)
            #expect(wrong.standardErrorText.hasPrefix("Error: "))
        }
    }

    @Test func export_findsTheSession_byIdBeginningAndPath() async throws {
        let id = try #require(try stored.ids().first)
        let names = [
            id, id.uppercased(), String(id.prefix(5)), stored.log(of: id), "\(stored.path)/\(id)",
        ]
        for name in names {
            let export = try await stored.run("export", name)
            #expect(export.standardOutputText == Self.expected["txt"])
        }
        for name in ["ffffffff-0000", "nothing", "/no/such/file"] {
            let missing = try await stored.run("export", name, exit: 65)
            #expect(missing.standardErrorLines.count == 1)
            #expect(missing.standardErrorText.contains("beamscribe sessions"))
        }
    }

    @Test func export_asksForMoreOfTheId_whenSeveralBeginWithIt() async throws {
        // Among 17 ids two begin with the same digit.
        let id = try #require(try stored.ids().first)
        for digit in 0..<2 {
            let copy = String(id.prefix(35)) + (id.hasSuffix("\(digit)") ? "9" : "\(digit)")
            let folder = try stored.folder.makeFolder("beamscribe/events/\(copy)")
            let log = try Data(contentsOf: URL(filePath: stored.log(of: id)))
            try log.write(to: URL(filePath: folder + "/log"))
            let record = try stored.folder.read("beamscribe/events/\(id)/meta.json")
            try record.replacing(id, with: copy)
                .write(toFile: folder + "/meta.json", atomically: true, encoding: .utf8)
        }
        let ambiguous = try await stored.run("export", String(id.prefix(8)), exit: 64)
        #expect(ambiguous.standardErrorText.contains("several sessions"))
        let whole = try await stored.run("export", id)
        #expect(whole.standardOutputText == Self.expected["txt"])
        // The table shows as much of the ids as tells them apart.
        let rows = try await stored.run("sessions").standardOutputLines
        #expect(rows.dropFirst().allSatisfy { $0.hasPrefix(id.prefix(35)) })
    }

    @Test func export_doesNotOverwrite() async throws {
        let path = try stored.folder.write("mine", to: "a.srt")
        let refused = try await stored.run("export", "last", "--output", path, exit: 73)
        #expect(refused.standardErrorText.contains(path))
        #expect(try stored.folder.read("a.srt") == "mine")
        let nowhere = stored.folder.path(of: "no/such/folder.txt")
        _ = try await stored.run("export", "last", "--output", nowhere, exit: 73)
    }

    @Test func export_ends_whenTheDiskIsFull_orNobodyReads() async throws {
        var launch = Launch.beamscribe(["export", "last"], state: stored.folder)
        launch.output = .file("/dev/full")
        let full = try RunningProgram(launch)
        try await full.expectExit(74)
        #expect(full.standardErrorText.contains("No space left"))
        launch.output = .closed
        let closed = try RunningProgram(launch)
        try await closed.waitForExit()
        #expect(!closed.standardErrorText.contains("Fatal"))
    }

    // MARK: Damage

    private func damage(_ change: (inout Data) -> Void) throws -> String {
        let id = try #require(try stored.ids().first)
        let file = URL(filePath: stored.log(of: id))
        var log = try Data(contentsOf: file)
        change(&log)
        try log.write(to: file)
        return file.path
    }

    @Test func export_hasWhatIsWhole_andSaysWhatIsNot() async throws {
        let path = try damage { log in
            log.removeLast(10)
            log.insert(contentsOf: Array(repeating: 0, count: 7), at: 0)
        }
        for name in ["last", path] {
            let export = try await stored.run("export", name, "--with-corrections")
            #expect(export.standardOutputLines.count == 4)
            // Beside the log stands which line there was at its end.
            #expect(export.standardErrorLines.count == (name == "last" ? 2 : 1))
            #expect(export.standardErrorLines.allSatisfy { $0.hasPrefix("warning: ") })
        }
        #expect(try await stored.listed().first?["lines"] as? Int == 4)
    }

    @Test func export_saysWhichLinesAreMissing() async throws {
        try await stored.host(["one", "two", "three"], event: "Second")
        let ids = try stored.ids()
        let list = try await stored.run("sessions", "--json").standardOutputLines
        let newest = try #require(ids.first { list[0].contains($0) })
        let file = URL(filePath: stored.log(of: newest))
        let log = try Data(contentsOf: file)
        let first = log.prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4
        let second = log.dropFirst(first).prefix(4).reduce(0) { $0 << 8 | Int($1) } + 4
        try (log.prefix(first) + log.dropFirst(first + second)).write(to: file)
        let export = try await stored.run("export", "last")
        #expect(export.standardOutputText == "one\nthree\n")
        #expect(export.standardErrorText.contains("line 2 of session"))
        let later = try await stored.run("export", "last", "--from", "3")
        #expect(later.standardErrorText == "")
    }

    @Test func export_refuses_whatIsNoLog() async throws {
        for text in ["hello, this is some text", "{}", "\0\0\0\0\0\0"] {
            let path = try stored.folder.write(text, to: "notes.txt")
            let output = stored.folder.path(of: "out.txt")
            let export = try await stored.run("export", path, "--output", output, exit: 65)
            #expect(export.standardErrorText.contains("is no session's log"))
            #expect(!FileManager.default.fileExists(atPath: output))
        }
        _ = try await stored.run("export", "/", exit: 65)
    }
}
