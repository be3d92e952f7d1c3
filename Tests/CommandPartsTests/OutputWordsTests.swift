import BeamscribeCore
import TestSupport
import Testing

@testable import BeamscribeCommand

@Suite struct OutputWordsTests {
    @Test func announcement_isALineOfItsOwn_withNothingThatActsOnATerminal() {
        #expect(Announcer.line("Paused.", isWarning: false) == "*** Paused.")
        #expect(Announcer.line("host lost", isWarning: true) == "*** warning: host lost")
        let line = Announcer.line("a\u{1B}[2Jb\nc", isWarning: false)
        #expect(!line.contains { $0 == "\u{1B}" || $0.isNewline })
    }

    /// Names come from the network; to press Tab must not run what is in them.
    @Test func bash_insertsAName_thatIsThatName_andRunsNothing() async throws {
        let folder = try TemporaryFolder()
        let names = [
            "Town Hall", "it's $(touch run) `touch run`", "a\\b \\", "\"q\" & ; | * ? ~ {a,b} !x",
            "Zürich – ok", "$HOME", "~", "'", "-x", "#1", "<(touch run)",
        ]
        // What ArgumentParser's script does with the words, and then what the user's shell does
        // with the line.
        let script = """
            cd "$1"
            while IFS='' read -r word; do
                eval "set -- $word"
                printf '%s\\n' "$#:$1"
            done < <(IFS=$'\\n' compgen -W "$LIST" -- '')
            """
        var launch = Launch("bash", "-c", script, "bash", folder.path)
        launch.environment["LIST"] =
            names.map { Completions.quotedForBash($0) }.joined(separator: "\n")
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        #expect(program.standardOutputLines == names.map { "1:\($0)" })
        #expect(program.standardErrorText == "")
        #expect((try? folder.read("run")) == nil)
    }

    @Test func completion_offersTheEvents_thatCanBeJoined() {
        let json = """
            {"event":"Town Hall","joinable":true}
            {"event":"Gone","joinable":false}
            {"name":"printer"}
            not JSON
            {"event":"Zürich \\"quoted\\"","joinable":true}
            """
        #expect(Completions.names(in: json) == ["Town Hall", "Zürich \"quoted\""])
    }
}
