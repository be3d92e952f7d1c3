import TestSupport
import Testing

/// The host's console on a real terminal's screen.
@Suite(.serialized, Skip.withoutTmux) struct ConsoleScreenTests {
    private func open(
        _ options: String..., columns: Int = 80, rows: Int = 24
    ) async throws -> TerminalSession {
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(
            ["host", "--event", "Chat", "--ephemeral"] + Room.quiet(port: 0) + options,
            state: folder)
        launch.environment["NO_COLOR"] = "1"
        launch.withoutVariables.remove("NO_COLOR")
        let session = try await TerminalSession(launch, columns: columns, rows: rows)
        try await session.waitForScreen(containing: "live")
        return session
    }

    private func waitForEnd(
        _ rows: [String], on session: TerminalSession
    ) async throws {
        try await session.waitForScreen("\(rows) near the end") { screen in
            let used = screen.filter { !$0.isEmpty }
            return rows.allSatisfy { row in used.suffix(12).contains { $0.hasPrefix(row) } }
        }
    }

    @Test func screen_showsTheLog_whatReadersSee_andWhatIsTyped() async throws {
        let session = try await open()
        try await session.type("Good morning")
        try await session.send(keys: "Enter")
        try await session.type("and w")
        try await waitForEnd(["   1  Good morning", "> and w|", "[live · 0 guests"], on: session)
        try await session.send(keys: "Left", "Left", "C-k")
        try await waitForEnd(["Marked after line 1.", "> and| w"], on: session)
        let screen = try await session.screen(withScrollback: true)
        #expect(screen.first?.hasPrefix("Hosting \"Chat\".") == true, "\(screen)")
        #expect(screen.filter { $0.hasPrefix("[live") }.count == 1, "\(screen)")
    }

    @Test func screen_isWhole_whenItIsSmallOrChanges() async throws {
        let session = try await open(columns: 20, rows: 6)
        for number in 1...9 {
            try await session.type("line \(number)")
            try await session.send(keys: "Enter")
        }
        try await session.type("open")
        try await waitForEnd(["line 9", "> open|", "[live"], on: session)
        #expect(try await session.screen().filter { !$0.isEmpty }.count <= 6)
        try await session.resize(columns: 60, rows: 20)
        try await waitForEnd(["   9  line 9", "> open|", "[live"], on: session)
        try await session.resize(columns: 30, rows: 10)
        try await waitForEnd(["> open|", "[live"], on: session)
        let all = try await session.screen(withScrollback: true)
        #expect(all.filter { $0.contains("> open|") }.count == 1, "\(all)")
    }

    @Test func tee_andLog_stayWhole_besideWhatIsDrawn() async throws {
        let session = try await open("--tee")
        for number in 1...40 {
            try await session.type("line \(number) as it was typed")
            try await session.send(keys: "Enter")
        }
        try await waitForEnd(["[live · 0 guests · 40 lines"], on: session)
        let all = try await session.screen(withScrollback: true)
        let said = all.filter { $0.hasPrefix("line ") }
        #expect(said == (1...40).map { "line \($0) as it was typed" })
    }

    @Test func screen_goesBackToTheShell_andComesBack() async throws {
        let folder = try TemporaryFolder()
        let host = Launch.beamscribe(
            ["host", "--event", "Chat", "--ephemeral"] + Room.quiet(port: 0), state: folder)
        let command = ([host.executable] + host.arguments).joined(separator: " ")
        var launch = Launch("bash", "--norc", "--noprofile", "-i")
        launch.environment = host.environment.merging(["NO_COLOR": "1", "PS1": "shell: "]) { $1 }
        let session = try await TerminalSession(launch)
        try await session.type(command)
        try await session.send(keys: "Enter")
        try await session.waitForScreen(containing: "[live")
        try await session.type("half")
        try await session.waitForScreen(containing: "> half|")
        try await session.send(keys: "C-z")
        try await session.waitForScreen("the shell") { screen in
            screen.contains { $0.contains("Stopped") } && !screen.contains { $0.contains("[live") }
        }
        #expect(try await session.value("cursor_flag") == "1")
        try await session.type("stty -a | grep -c ' icanon'; fg")
        try await session.send(keys: "Enter")
        try await session.waitForScreen(containing: "> half|")
        try await session.type(" a line")
        try await session.waitForScreen(containing: "> half a line|")
        #expect(try await session.screen(withScrollback: true).contains("1"))
        try await session.send(keys: "C-c")
        try await session.waitForScreen("the shell again") { screen in
            screen.last { !$0.isEmpty } == "shell:"
        }
    }
}
