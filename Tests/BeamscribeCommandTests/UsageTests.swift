import TestSupport
import Testing

/// What the programs say about themselves, and about how they were called.
@Suite struct UsageTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func run(_ words: [String]) async throws -> RunningProgram {
        var launch = Launch.beamscribe(words, state: folder)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        return program
    }

    @Test func host_saysWhereTheNameGoes_whenEventIsForgotten() async throws {
        let program = try await run(["host", "Town Hall"])
        #expect(program.output.exit == .exited(64))
        #expect(program.standardErrorText.contains("beamscribe host --event 'Town Hall'"))
        let split = try await run(["host", "--event", "Town", "Hall"])
        #expect(split.output.exit == .exited(64) && split.standardErrorText.contains("quote"))
    }

    @Test func mistyping_getsASuggestion() async throws {
        let command = try await run(["hots", "--event", "X"])
        #expect(command.standardErrorText.contains("Did you mean 'host'?"))
        let option = try await run(["host", "--evnt", "X"])
        #expect(option.standardErrorText.contains("Did you mean '--event'?"))
    }

    @Test(arguments: [
        ["host"], ["host", "--event"], ["host", "--event", ""], ["host", "--event", "\u{7}"],
        ["host", "--event", String(repeating: "x", count: 256)],
        ["host", "--event", "X", "--port", "65536"], ["host", "--event", "X", "--port", "x"],
        ["host", "--event", "X", "--bind", "nowhere"],
        ["host", "--event", "X", "--max-guests", "0"],
        ["host", "--event", "X", "--history", "1"], ["host", "--event", "X", "--gate", "-1"],
        ["host", "--event", "X", "--linger", "3601"],
        ["host", "--event", "X", "--input-format", "xml"],
        ["join", "--from", "0"], ["join", "--from", "2", "--no-history"],
        ["join", "--timeout", "-1"], ["join", "--format", "pdf"], ["join", "X", "--host", "Y"],
        ["join", "--host", "a:b:c"], ["join", "--host", "127.0.0.1:0"],
        ["join", "--host", "127.0.0.1:65536"], ["join", "--host", ""], ["join", "--host", ":1"],
        ["join", "X", "Y"], ["browse", "--type", "http"], ["browse", "--timeout", "x"],
        ["doctor", "X"],
        ["export"], ["export", "last", "--format", "pdf"], ["export", "last", "--from", "0"],
        ["export", ""], ["sessions", "x"], ["host", "--resume", "x", "--ephemeral"],
        ["nonsense"], ["host", "--nonsense"], ["help", "nonsense"], ["join", "--save", "x.pdf"],
        ["export", "last", "--output", "x.docx"], ["host", "--evnt", "X"],
    ])
    func program_explainsItself_whenCalledWrongly(_ words: [String]) async throws {
        let program = try await run(words)
        #expect(program.output.exit == .exited(64))
        #expect(program.standardErrorText.hasPrefix("Error: "))
        #expect(program.standardOutputText == "")
        #expect(!program.standardErrorText.contains("Fatal"))
    }

    /// A wrong call gets the one line that says how the command is called, and where its help is.
    @Test(arguments: [
        ["join", "--from", "0"], ["host"], ["export"], ["nonsense"], ["browse", "x"],
    ])
    func wrongCall_saysWhereTheHelpIs(_ words: [String]) async throws {
        let program = try await run(words)
        #expect(program.standardErrorText.contains("Usage: beamscribe"))
        #expect(program.standardErrorText.contains("--help' for more information"))
    }

    @Test func program_showsThreeExamples_whenNothingWasAskedFor() async throws {
        let program = try await run([])
        #expect(program.output.exit == .success)
        #expect(program.standardErrorText == "")
        let examples = program.standardOutputLines.filter { $0.hasPrefix("  ") }
        #expect(examples.count == 3)
        #expect(examples.allSatisfy { $0.contains("beamscribe ") })
        let isShort = program.standardOutputLines.allSatisfy { $0.count <= 79 }
        #expect(isShort && program.standardOutputLines.count <= 16)
        #expect(program.standardOutputText.contains("--help"))
    }

    @Test(arguments: DumpedHelp.commands.filter { $0 != "help" } + ["guest"])
    func help_showsAnExample_ofEveryCommand(_ command: String) async throws {
        let program = try await run([command, "--help"])
        #expect(program.output.exit == .success)
        let name = command == "guest" ? "join" : command
        #expect(program.standardOutputText.contains("Examples:"))
        #expect(program.standardOutputText.contains("beamscribe \(name)"))
        #expect(program.standardErrorText == "")
    }

    @Test func help_showsHowToBegin_whenNothingWasAskedFor() async throws {
        for words in [[], ["--help"], ["help"]] {
            let program = try await run(words)
            #expect(program.output.exit == .success)
            #expect(program.standardOutputText.contains("beamscribe host --event"))
            #expect(program.standardOutputText.contains("beamscribe join"))
        }
    }

    @Test(arguments: [
        ["--version"], ["host", "--version"], ["join", "--version"], ["browse", "--version"],
        ["doctor", "--version"], ["relay", "--version"], ["sessions", "--version"],
        ["export", "--version"],
    ])
    func version_isANumber_ofEveryCommand(_ words: [String]) async throws {
        let program = try await run(words)
        #expect(program.output.exit == .success)
        #expect(program.standardOutputText.wholeMatch(of: /\d+\.\d+\.\d+\n/) != nil)
    }
}
