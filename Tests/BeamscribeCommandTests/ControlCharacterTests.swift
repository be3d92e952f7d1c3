import TestSupport
import Testing

/// Whatever names and captions hold, nothing of it reaches a terminal as a command.
@Suite struct ControlCharacterTests {
    /// ESC, CSI (one byte), BEL, newline, DEL, and a right-to-left override, as JSON says them.
    private static let evil =
        #"\u001b[2J\u001b]0;owned\u0007\u009b31m\u0007\nrm -rf\r\u007f\u202eok"#

    private func hostile() async throws -> (FakeHost, [[UInt8]]) {
        let evil = Self.evil
        return (
            try FakeHost(),
            [
                Wire.accepted(event: "Event" + evil, device: "Device" + evil, lastSeq: 1),
                Wire.history(from: 1, through: 1),
                Wire.line(1, "One" + evil, more: #","speaker":"Ann\#(evil)","lang":"\#(evil)""#),
                Wire.partial("Open" + evil, line: "id" + evil),
                Wire.alert("odd" + evil, "Alert" + evil),
            ]
        )
    }

    @Test(arguments: ["text", "srt", "vtt"])
    func guest_writesNoControlCharacter_whenAHostSendsThem(_ format: String) async throws {
        let (host, frames) = try await hostile()
        let saved = try TemporaryFolder()
        let guest = try host.join("--format", format, "--save", saved.path(of: "a.txt"), "-v")
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(frames + [Wire.line(2), Wire.ended])
        try await guest.expectExit(0)
        for part in ["One", "rm -rf", "ok"] {
            #expect(guest.standardOutputText.contains(part))
        }
        for part in ["Event", "Device", "Alert"] {
            #expect(guest.standardErrorText.contains(part))
        }
        #expect(!guest.standardOutputText.hasControlCharacters)
        #expect(!guest.standardErrorText.hasControlCharacters)
        #expect(!guest.standardOutputText.contains("\u{202E}"))
        #expect(guest.standardOutputText.contains("␛"), "a reader sees that there was something")
        #expect(!(try saved.read("a.txt")).hasControlCharacters)
        if format == "text" { #expect(guest.standardOutputLines.count == 2) }
    }

    @Test func guest_writesOneObjectALine_whenAHostSendsThem() async throws {
        let (host, frames) = try await hostile()
        let guest = try host.join("--format", "jsonl")
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(frames + [Wire.ended])
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
        #expect(!guest.standardOutputText.hasControlCharacters)
        let partials = guest.standardOutputLines.filter { $0.contains(#""type":"partial""#) }
        let names = partials.map { $0.prefix { $0 != "," } }
        #expect(names.count == 2 && names[0] == names[1], "the line is withdrawn by its name")
    }

    /// What was typed may have been copied from anywhere, and an error repeats it.
    @Test(arguments: [
        ["join", "--host", "no \u{1B}[31mhost\u{9B}2J\u{7F}\u{202E}"],
        ["join", "--nonsense\u{1B}]0;x\u{7}"], ["\u{1B}[2J\u{202E}"],
        ["host", "--event", "E", "--bind", "\u{1B}[31m"],
        ["host", "--event", "E", "--input", "/no\u{1B}[31m/such\u{202E}"],
        ["host", "--resume", "\u{1B}[2J\u{2067}"], ["export", "/no/\u{9B}2J\u{202E}"],
        ["export", "\u{1B}[2J"], ["browse", "--type", "_\u{1B}[2J._tcp"],
    ])
    func error_hasNoControlCharacter_whateverWasTyped(_ words: [String]) async throws {
        var launch = Launch.beamscribe(words, state: try TemporaryFolder())
        launch.input = .null
        let program = try RunningProgram(launch)
        let exit = try await program.waitForExit()
        #expect(exit != .success)
        let text = program.standardErrorText
        #expect(!text.isEmpty && !text.hasControlCharacters, "\(text.debugDescription)")
        #expect(!text.contains("\u{202E}") && !text.contains("\u{2067}"))
    }

    @Test func guest_writesNoControlCharacter_whenItIsRefused() async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(Wire.rejected("no" + Self.evil, "Go away" + Self.evil))
        try await guest.expectExit(77)
        #expect(guest.standardErrorText.contains("the host refused"))
        #expect(!guest.standardErrorText.hasControlCharacters)
        #expect(guest.standardErrorLines.count == 1)
    }

    @Test(.serialized, arguments: [false, true])
    func guest_commandsOnlyForItself_onATerminal(_ isPlain: Bool) async throws {
        let (host, frames) = try await hostile()
        let options = isPlain ? ["--plain"] : []
        let terminal = try PseudoTerminal(host.launchOfGuest(options))
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(frames + [Wire.line(2, "The end")])
        try await terminal.waitForText("the lines") { $0.contains("The end") }
        try await connection.send(Wire.ended)
        if !isPlain {
            try await terminal.waitForText("the event's end") { $0.contains("q leaves") }
            try await terminal.type("q")
        }
        #expect(try await terminal.waitForExit() == .success)
        let text = terminal.text
        for evil in ["\u{1B}[2J", "\u{1B}]", "\u{7}", "\u{9B}", "\u{202E}", "\u{7F}", "\nrm"] {
            #expect(!text.contains(evil), "\(text.debugDescription)")
        }
        #expect(text.contains("rm -rf"))
        if isPlain { #expect(!text.contains("\u{1B}")) }
    }

    @Test func host_sendsNoControlCharacter_whateverItIsGiven() async throws {
        let evil = "\u{1B}[31m\u{7}\u{9B}2J"
        let room = try await Room.open(
            "--name", "Desk" + evil, "--until-eof", "-v", event: "Hall" + evil)
        let guest = try await room.joined()
        let byHand = try WireConnection(to: room.port)
        try await byHand.send(Wire.handshake(name: #"Mal\u001b[2J\u0007\nlory"#))
        let answer = try await byHand.receive("handshake_response")
        #expect(answer.eventName?.hasPrefix("Hall") == true)
        #expect(answer.eventName?.hasControlCharacters == false)
        try await room.host.waitForLine(containing: "Mal", on: .standardError)
        try await room.tell(
            #"{"text":"a\u001b[2Jb\u0007\nc","speaker":"Ann\u001b]0;x\u0007"}"#)
        #expect(try await byHand.receive("liveChunk").text?.hasControlCharacters == false)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines.count == 1)
        #expect(!guest.standardOutputText.hasControlCharacters)
        #expect(!guest.standardErrorText.hasControlCharacters)
        #expect(!room.host.standardErrorText.hasControlCharacters)
    }
}
