import TestSupport
import Testing

/// Lines on a terminal, for those who hear or feel them: `join --plain`.
@Suite struct PlainTerminalTests {
    /// What came to the terminal, by lines.
    private func lines(_ terminal: PseudoTerminal) -> [String] {
        terminal.text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
    }

    @Test(arguments: [(["--plain"], "xterm-256color"), ([], "dumb")])
    func terminal_getsLinesAlone_withAlertsAsWordsBetween(
        options: [String], type: String
    ) async throws {
        let room = try await Room.open()
        var launch = room.launchOfGuest(options)
        launch.environment["TERM"] = type
        // Wherever standard error goes, what happens is said between the captions.
        let terminal = try PseudoTerminal(launch)
        try await room.tell(
            #"{"text":"Good morning","speaker":"Ann"}"#, #"{"text":"and so","final":false}"#)
        try await terminal.waitForText("the line") { $0.contains("Ann: Good morning") }
        room.host.closeInput()
        try await terminal.waitForText("the alert") { $0.contains("*** The input has ended") }
        room.host.kill()
        try await terminal.waitForText("the loss") { $0.contains("*** warning: host lost") }
        terminal.signal(15)
        #expect(try await terminal.waitForExit() == .success)
        #expect(!terminal.text.contains("\u{1B}"))
        #expect(!terminal.text.contains("and so"), "No partial.")
        let said = lines(terminal)
        #expect(said.filter { !$0.hasPrefix("*** ") } == ["Ann: Good morning"], "\(said)")
        #expect(said.first?.hasPrefix("*** Joined \"Town Hall\"") == true)
    }

    @Test func quietReader_isToldOfWarningsOnly() async throws {
        let room = try await Room.open()
        let terminal = try PseudoTerminal(room.launchOfGuest(["--plain", "--quiet"]))
        try await room.tell("one")
        try await terminal.waitForText("the line") { $0.contains("one") }
        room.host.kill()
        try await terminal.waitForText("the loss") { $0.contains("*** warning: host lost") }
        terminal.signal(15)
        #expect(try await terminal.waitForExit() == .success)
        #expect(lines(terminal).first == "one")
    }
}
