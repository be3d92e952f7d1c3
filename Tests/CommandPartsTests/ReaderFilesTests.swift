import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal
import TestSupport
import Testing

@testable import BeamscribeCommand

/// What the terminal view keeps and writes.
@Suite struct ReaderFilesTests {
    private func file(_ folder: TemporaryFolder) -> SettingsFile {
        SettingsFile(environment: ["XDG_CONFIG_HOME": folder.path])
    }

    private var narrow: ReaderSettings {
        var settings = ReaderSettings()
        settings.width = 40
        return settings
    }

    @Test func settings_areWritten_andReadAgain() throws {
        let folder = try TemporaryFolder()
        #expect(try file(folder).load() == ReaderSettings())
        try file(folder).change(from: ReaderSettings(), to: narrow)
        #expect(try file(folder).load() == narrow)
        try file(folder).change(from: narrow, to: ReaderSettings())
        #expect(try file(folder).load() == ReaderSettings())
    }

    @Test func otherKeys_stay_whenASettingIsChanged() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("beamscribe")
        _ = try folder.write(
            #"{"later":{"a":[1,2.5,null,true]},"partials":false}"#, to: "beamscribe/config.json")
        try file(folder).change(from: ReaderSettings(), to: narrow)
        let text = try folder.read("beamscribe/config.json").filter { !$0.isWhitespace }
        #expect(text.contains(#""later":{"a":[1,2.5,null,true]}"#))
        #expect(text.contains(#""partials":false"#) && text.contains(#""width":40"#))
    }

    @Test func damagedFile_isNotWritten() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("beamscribe")
        _ = try folder.write("{,", to: "beamscribe/config.json")
        #expect(throws: SettingsFile.Unusable.self) {
            try file(folder).change(from: ReaderSettings(), to: narrow)
        }
        #expect(try folder.read("beamscribe/config.json") == "{,")
    }

    @Test func home_isUsed_whereNothingElseIsSaid() {
        let file = SettingsFile(environment: ["HOME": "/home/ann", "XDG_CONFIG_HOME": "relative"])
        #expect(file.path == "/home/ann/.config/beamscribe/config.json")
    }

    @Test(arguments: [
        ("Town Hall", 1, "Town-Hall-2026-05-01.txt"),
        ("../../etc/passwd", 2, "etc-passwd-2026-05-01-2.txt"),
        (".hidden", 1, "hidden-2026-05-01.txt"), ("***", 1, "captions-2026-05-01.txt"),
        ("市民 集会", 1, "市民-集会-2026-05-01.txt"), ("a\u{1B}[2Jb", 1, "a-2Jb-2026-05-01.txt"),
    ])
    func fileName_isSafe(_ event: String, _ number: Int, _ expected: String) {
        var time = LocalTime(0)
        (time.year, time.month, time.day) = (2026, 5, 1)
        #expect(TranscriptCopy.fileName(event: event, at: time, number: number) == expected)
        let long = TranscriptCopy.fileName(
            event: String(repeating: "字", count: 255), at: time, number: number)
        #expect(long.utf8.count < 250)
    }

    /// There are letters that make one `Character` with a slash behind them.
    @Test func fileName_isOneName_besideWhateverCombinesWithASlash() {
        for word in HostileText.words + HostileText.names(touching: "run") {
            let name = TranscriptCopy.fileName(event: word, at: LocalTime(0), number: 1)
            let isOne = !name.utf8.contains { $0 < 0x20 || " /\\'\"$`;&|*?~<>!".utf8.contains($0) }
            #expect(isOne && !name.utf8.starts(with: "-".utf8), "\(name)")
        }
    }

    @Test func farewell_saysHowMuchAndWhere() {
        #expect(
            Farewell.sentence(event: "Town Hall", lines: 1, seconds: 5)
                == "Town Hall: 1 line in 5 s.")
        #expect(
            Farewell.sentence(
                event: "Town Hall", lines: 42, seconds: 7_300, file: "a.srt",
                copies: [("b", 40), ("c", 42)])
                == "Town Hall: 42 lines in 2 h 1 min. Saved to a.srt and b (the first 40) and c.")
        #expect(
            Farewell.sentence(event: "E", lines: 0, seconds: 720)
                == "E: no lines in 12 min.")
    }
}
