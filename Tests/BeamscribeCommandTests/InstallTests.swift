import Foundation
import TestSupport
import Testing

/// `scripts/install`: the program, its man pages and the shells' completions, where they belong.
@Suite struct InstallTests {
    /// As the program itself tells them; `help` has no page.
    private static let commands = DumpedHelp.commands.filter { $0 != "help" }
    private static let pages = ["beamscribe"] + commands.map { "beamscribe-\($0)" }
    private static let bash = "share/bash-completion/completions/beamscribe"
    private static let zsh = "share/zsh/site-functions/_beamscribe"
    private static let fish = "share/fish/vendor_completions.d/beamscribe.fish"

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// Installs the program under test below the folder.
    @discardableResult
    private func install(
        prefix: String = "/opt/captions", _ options: String...
    ) async throws -> RunningProgram {
        var launch = Launch(Repository.path(of: "scripts/install"), arguments: options)
        launch.environment["DESTDIR"] = folder.path
        launch.environment["PREFIX"] = prefix
        launch.environment["BEAMSCRIBE_BINARY"] = Binary.beamscribe
        let program = try RunningProgram(launch)
        try await program.expectExit(0, within: .seconds(60))
        return program
    }

    private func run(_ words: String..., path: String? = nil) async throws -> RunningProgram {
        var launch = Launch(words[0], arguments: Array(words.dropFirst()))
        launch.environment["XDG_STATE_HOME"] = folder.path(of: "state")
        if let path { launch.environment["PATH"] = path + ":/usr/bin:/bin" }
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        return program
    }

    private func files() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder.path(of: $0))
            return attributes[.type] as? FileAttributeType != .typeDirectory
        }
    }

    private func path(_ name: String) -> String { folder.path(of: "opt/captions/" + name) }

    @Test func commands_areKnown() {
        #expect(Set(Self.commands).isSuperset(of: ["host", "join", "talk", "listen", "export"]))
    }

    @Test func files_areWhereTheyBelong_andGoAgain() async throws {
        try await install()
        let pages = Self.pages.map { "share/man/man1/\($0).1" }
        let names = ["bin/beamscribe", Self.bash, Self.zsh, Self.fish] + pages
        #expect(try Set(files()) == Set(names.map { "opt/captions/" + $0 }))
        let mode = try FileManager.default.attributesOfItem(atPath: path("bin/beamscribe"))
        #expect(mode[.posixPermissions] as? Int == 0o755)
        try folder.write("mine", to: "opt/captions/bin/other")
        try await install(prefix: "/opt/captions", "--uninstall")
        #expect(try files() == ["opt/captions/bin/other"])
    }

    @Test func installedProgram_runs_andAgreesWithItsPages() async throws {
        try await install()
        let version = try await run(path("bin/beamscribe"), "--version")
        #expect(version.output.exit == .success)
        let number = version.standardOutputText.trimmingCharacters(in: .whitespacesAndNewlines)
        for page in Self.pages {
            let text = try folder.read("opt/captions/share/man/man1/\(page).1")
            #expect(text.contains("beamscribe \(number)"))
            for section in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"] {
                #expect(text.contains(".SH \(section)\n"), "\(page): \(section)")
            }
        }
        let main = try folder.read("opt/captions/share/man/man1/beamscribe.1")
        #expect(main.contains(".SH ENVIRONMENT\n") && main.contains(".SH FILES\n"))
    }

    /// Every option that the help of a command shows is on its page.
    @Test(arguments: commands)
    func page_hasEveryOption(command: String) async throws {
        try await install()
        let help = try await run(path("bin/beamscribe"), command, "--help").standardOutputText
        let page = try folder.read("opt/captions/share/man/man1/beamscribe-\(command).1")
            .replacing("\\-", with: "-")
        let options = help.matches(of: /(?m)^ +(?:-\w, )?(--[a-z-]+)/).map { String($0.output.1) }
        #expect(options.count > 1)
        for option in options { #expect(page.contains("\\fB\(option)\\fR"), "\(option)") }
    }

    @Test(Skip.without("mandoc")) func pages_haveNoFaults() async throws {
        try await install()
        for page in Self.pages {
            let lint = try await run("mandoc", "-Tlint", "-Wall", path("share/man/man1/\(page).1"))
            #expect(lint.standardOutputText == "", "\(page)")
            #expect(lint.output.exit == .success)
        }
    }

    @Test(Skip.without("man")) func pages_canBeRead() async throws {
        try await install()
        for page in Self.pages {
            let shown = try await run("man", "--warnings", "-l", path("share/man/man1/\(page).1"))
            #expect(shown.output.exit == .success)
            #expect(shown.standardErrorText == "", "\(page)")
            #expect(shown.standardOutputText.contains("EXAMPLES"))
        }
    }

    @Test(arguments: [
        ("", "host join browse"), ("join --fo", "--format"),
        ("host --profan", "--profanity-filter"),
    ])
    func bash_offersWhatFits(typed: String, expected: String) async throws {
        try await install()
        let offered = try await complete(typed)
        for word in expected.split(separator: " ") {
            #expect(offered.contains(String(word)), "\(offered)")
        }
    }

    @Test func bash_offersTheSessions_thatAreKept() async throws {
        try await install()
        let state = try TemporaryFolder()
        let words = ["host", "--event", "E", "--until-eof"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: state))
        host.closeInput()
        try await host.expectExit(0)
        #expect(try await complete("export la", state: state.path) == ["last"])
    }

    /// What bash offers when Tab is pressed behind `beamscribe` and what was typed.
    private func complete(_ typed: String, state: String? = nil) async throws -> [String] {
        let script = """
            source \(path(Self.bash))
            words=(beamscribe \(typed))
            [[ -n "\(typed)" ]] || words+=("")
            COMP_WORDS=("${words[@]}") COMP_CWORD=$((${#words[@]} - 1)) COMP_LINE="${words[*]}"
            COMP_POINT=${#COMP_LINE} COMPREPLY=()
            function=$(complete -p beamscribe)
            function=${function#*-F } function=${function%% *}
            "$function" beamscribe "${words[-1]}" "${words[-2]-}"
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        var launch = Launch("bash", "-c", script)
        launch.environment["PATH"] = path("bin") + ":/usr/bin:/bin"
        launch.environment["XDG_STATE_HOME"] = state ?? folder.path(of: "state")
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        #expect(program.standardErrorText == "")
        return program.standardOutputLines
    }

    /// Names of files come from others as well, out of archives and by mail.
    @Test(Skip.withoutTmux, arguments: CompletingShell.Kind.allCases.filter(\.isThere))
    func tab_runsNothing_andInsertsTheName(shell: CompletingShell.Kind) async throws {
        let names = HostileText.names(touching: "run")
        for (index, name) in names.enumerated() {
            try folder.makeFolder("f\(index)")
            let path = folder.path(of: "f\(index)/\(name.replacing("/", with: "")) END.log")
            #expect(FileManager.default.createFile(atPath: path, contents: nil))
        }
        let completing = try await CompletingShell(shell, in: folder.path)
        for (index, name) in names.enumerated() {
            let words = try await completing.words(
                completing: "beamscribe export f\(index)/", until: "END")
            let expected = ["beamscribe", "export", "f\(index)/\(name) END.log"]
            #expect(words.prefix(3).map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        }
        #expect(!FileManager.default.fileExists(atPath: folder.path(of: "run")))
    }

    /// What passes words through `compgen -W` has them expanded.
    @Test func bashScript_givesNothingForeignToTheShellToExpand() async throws {
        try await install()
        let script = try folder.read("opt/captions/" + Self.bash)
        let lines = script.split(separator: "\n").map(String.init)
        #expect(lines.filter { $0.contains("__beamscribe_offer_lines ---completion") }.count == 10)
        #expect(!lines.contains { $0.contains("-W") && $0.contains("$(") && $0.contains("custom") })
    }

    @Test(Skip.without("zsh")) func completion_isGoodZsh() async throws {
        try await install()
        let check = try await run("zsh", "-n", path(Self.zsh))
        #expect(check.output.exit == .success && check.standardErrorText == "")
    }

    @Test(Skip.without("fish")) func completion_isGoodFish_andOffersWhatFits() async throws {
        try await install()
        let file = path(Self.fish)
        let check = try await run("fish", "--no-execute", file)
        #expect(check.output.exit == .success && check.standardErrorText == "")
        let ask = "source \(file); complete -C 'beamscribe join --form'"
        let offered = try await run("fish", "--no-config", "-c", ask, path: path("bin"))
        #expect(offered.standardOutputText.contains("--format"))
    }
}

extension CompletingShell.Kind {
    /// Bash is there wherever the scripts run.
    fileprivate var isThere: Bool { self == .bash || Tool.exists(rawValue) }
}
