import Glibc
import TestSupport
import Testing

/// What the programs write to a terminal, byte by byte, and how they leave it.
@Suite struct TerminalBytesTests {
    /// A guest on a terminal, and the host without which it would have nothing to show.
    private struct Stage {
        let room: Room
        let terminal: PseudoTerminal
    }

    private func openTerminal(
        _ options: [String] = [], _ variables: [String: String] = [:]
    ) async throws -> Stage {
        let room = try await Room.open()
        var launch = room.launchOfGuest(options)
        launch.environment.merge(variables) { $1 }
        let terminal = try PseudoTerminal(launch)
        try await room.tell("Good morning")
        try await room.host.write("and so")
        try await terminal.waitForText("the line") { $0.contains("Good morning") }
        return Stage(room: room, terminal: terminal)
    }

    private func colours(in text: String) -> [Substring] {
        text.matches(of: /\u{1B}\[([0-9;]*)m/).map(\.output.1).filter { $0 != "0" && $0 != "" }
    }

    @Test(arguments: ["q", "\u{3}"])
    func terminal_isAsItWas_whenTheUserLeaves(_ key: String) async throws {
        let stage = try await openTerminal()
        try await stage.terminal.waitForText("the open line") { $0.contains("and so") }
        #expect(!stage.terminal.isEchoing)
        try await stage.terminal.type(key)
        #expect(try await stage.terminal.waitForExit() == .success)
        #expect(stage.terminal.isInOrdinaryMode)
        #expect(stage.terminal.isEchoing)
        expectCursor(in: stage.terminal.text)
    }

    @Test(arguments: [SIGTERM, SIGHUP, SIGINT])
    func terminal_isAsItWas_whenTheGuestIsEnded(_ signal: Int32) async throws {
        let stage = try await openTerminal()
        stage.terminal.signal(signal)
        #expect(try await stage.terminal.waitForExit() == .success)
        #expect(stage.terminal.isInOrdinaryMode)
        expectCursor(in: stage.terminal.text)
    }

    @Test(arguments: ["q", "\u{3}", "a signal"])
    func terminal_isAsItWas_whenTheUserLeavesAnEventThatHasEnded(_ key: String) async throws {
        let stage = try await openTerminal()
        stage.room.host.closeInput()
        try await stage.room.host.waitForLine(containing: "input has ended", on: .standardError)
        try await stage.room.end()
        try await stage.terminal.waitForText("the event's end") { $0.contains("q leaves") }
        if key == "a signal" {
            stage.terminal.signal(SIGTERM)
        } else {
            try await stage.terminal.type(key)
        }
        #expect(try await stage.terminal.waitForExit() == .success)
        #expect(stage.terminal.isInOrdinaryMode)
        expectCursor(in: stage.terminal.text)
    }

    /// What was switched was switched back, and that last: the cursor, the other screen, reports
    /// of the window that is typed in.
    private func expectCursor(in text: String) {
        for (ours, usual) in [("?25l", "?25h"), ("?1049h", "?1049l"), ("?1004h", "?1004l")] {
            let begun = text.ranges(of: "\u{1B}[" + ours).last?.lowerBound
            let ended = text.ranges(of: "\u{1B}[" + usual).last?.lowerBound
            #expect(begun != nil && ended != nil && begun! < ended!, "\(ours)")
        }
        #expect(text.split(separator: "?1049l").last?.contains("Good morning") == true)
    }

    @Test func terminal_getsColours_unlessTheUserRefuses() async throws {
        let colourful = try await openTerminal()
        try await colourful.terminal.waitForText("the open line") { $0.contains("and so") }
        #expect(!colours(in: colourful.terminal.text).isEmpty)
        for variables in [["NO_COLOR": "1"], ["TERM": "dumb"]] {
            let stage = try await openTerminal([], variables)
            try await stage.room.host.write(" on\n")
            try await stage.terminal.waitForText("the open line") { $0.contains("and so on") }
            #expect(colours(in: stage.terminal.text).isEmpty)
        }
    }

    @Test func terminal_getsLinesAndNothingElse_withPlain() async throws {
        let stage = try await openTerminal(["--plain"])
        try await stage.room.host.write(" on\n")
        try await stage.terminal.waitForText("the second line") { $0.contains("and so on") }
        #expect(!stage.terminal.text.contains("\u{1B}"))
        let lines = stage.terminal.text.split(separator: "\r\n")
        #expect(lines.filter { $0 == "and so" }.isEmpty)
        #expect(lines.suffix(2) == ["Good morning", "and so on"])
        #expect(stage.terminal.isInOrdinaryMode)
    }

    @Test(arguments: ["jsonl", "srt", "vtt"])
    func terminal_getsTheForm_thatWasAskedFor(_ format: String) async throws {
        let stage = try await openTerminal(["--format", format])
        #expect(!stage.terminal.text.contains("\u{1B}"))
    }

    @Test func guests_getWhatIsTyped_atTheHostsKeyboard() async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "Chat", "--until-eof"] + Room.quiet(port: 0)
        let host = try PseudoTerminal(.beamscribe(words, state: folder))
        let text = try await host.waitForText("the hint") { $0.contains("Ctrl-D") }
        let command = text.split(separator: "\r\n").first { $0.contains("join --host") }
        let port = try Room.port(in: String(command ?? ""))
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", "127.0.0.1:\(port)"], state: folder))
        try await guest.waitUntilJoined()
        for line in ["Hello there", "Grüße 🎉"] {
            try await host.type(line + "\r")
            try await guest.waitForLine { $0 == line }
        }
        try await host.type("\u{4}")
        #expect(try await host.waitForExit() == .success)
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["Hello there", "Grüße 🎉"])
        #expect(host.isInOrdinaryMode)
    }
}
