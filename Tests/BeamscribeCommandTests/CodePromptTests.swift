import Foundation
import TestSupport
import Testing

/// A guest on a terminal is asked for the code.
@Suite(.serialized) struct CodePromptTests {
    private let code = "10K3M-9QX2T"

    /// What the guest's output is: the terminal, with the live view or with lines; or a pipe.
    enum Output: CaseIterable {
        case live, plain, pipe
    }

    private func launch(_ room: Room, _ output: Output) -> Launch {
        let options = output == .plain ? ["--plain"] : []
        let guest = room.launchOfGuest(options)
        guard output == .pipe else { return guest }
        var piped = guest
        piped.executable = "sh"
        // In the foreground is the shell's whole group, the guest in it.
        piped.arguments =
            ["-c", "\"$@\" | sed 's/^/piped: /'", "sh", guest.executable] + guest.arguments
        return piped
    }

    private func typed(_ question: String, on terminal: PseudoTerminal) async throws {
        try await terminal.waitForText("the question \(question)") {
            $0.contains(question)
        }
        try await eventually("the echo to be off") { !terminal.isEchoing }
    }

    @Test(arguments: Output.allCases)
    func guest_getsIn_whenTheCodeIsTyped(_ output: Output) async throws {
        let room = try await Room.open(code: code)
        try await room.tell("hello")
        let terminal = try PseudoTerminal(launch(room, output))
        try await typed("Code of the event: ", on: terminal)
        try await terminal.type("10K3M-9QX2V\r")
        try await terminal.waitForText("the second question") {
            $0.contains("The code is wrong. Code: ")
        }
        // A slip of the finger is mended by the backspace key.
        try await terminal.type("lok3m 9qx2tz\u{7F}\r")
        let text = try await terminal.waitForText("the line") {
            $0.contains(output == .pipe ? "piped: hello" : "hello")
        }
        for part in ["9QX2V", "lok3m", "9qx2t"] { #expect(!text.contains(part), "\(text)") }
        if output != .live {
            try await eventually("the echo to be back") { terminal.isInOrdinaryMode }
        }
        terminal.signal(2)
    }

    @Test func guest_endsWithCode77_afterThreeWrongCodes() async throws {
        let room = try await Room.open(code: code)
        let terminal = try PseudoTerminal(launch(room, .plain))
        try await typed("Code of the event: ", on: terminal)
        try await terminal.type("10K3M-9QX2V\r")
        for number in 1...2 {
            try await terminal.waitForText("question \(number)") {
                $0.components(separatedBy: "The code is wrong. Code: ").count == number + 1
            }
            try await terminal.type("10K3M-9QX2W\r")
        }
        #expect(try await terminal.waitForExit() == .exited(77))
        #expect(terminal.isInOrdinaryMode)
        #expect(terminal.text.contains("the code is not this event's"))
    }

    @Test func guest_asksAgain_whenWhatIsTypedIsNoCode() async throws {
        let room = try await Room.open(code: code)
        let terminal = try PseudoTerminal(launch(room, .plain))
        try await typed("Code of the event: ", on: terminal)
        try await terminal.type("?\r")
        try await terminal.waitForText("the second question") { $0.contains("That is no code.") }
        try await terminal.type("\(code)\r")
        try await terminal.waitForText("the host") { $0.contains("Joined") }
        terminal.signal(2)
    }

    @Test(arguments: Output.allCases, ["\u{3}", "signal"])
    func terminal_isAsItWas_whenTheUserGivesUp(_ output: Output, how: String) async throws {
        let room = try await Room.open(code: code)
        let terminal = try PseudoTerminal(launch(room, output))
        try await typed("Code of the event: ", on: terminal)
        try await terminal.type("10K3M-9QX2V\r")
        // What was typed has been read by now: what comes later is the shell's, and echoed.
        try await terminal.waitForText("the second question") {
            $0.contains("The code is wrong. Code: ")
        }
        if how == "signal", output != .pipe {
            terminal.signal(15)
        } else {
            // The shell before a pipe has no handler for signals and would end alone.
            try await terminal.type("10K3M\u{3}")
        }
        let status = try await terminal.waitForExit()
        if output != .pipe { #expect(status == .success) }
        #expect(terminal.isInOrdinaryMode)
        #expect(!terminal.text.contains("10K3M"), "\(terminal.text)")
    }

    @Test(Skip.withoutTmux) func prompt_isOnTheScreen_andTheCodeIsNot() async throws {
        let room = try await Room.open(code: code)
        try await room.tell("hello")
        let session = try await TerminalSession(launch(room, .live))
        try await session.waitForScreen(containing: "Code of the event:")
        try await session.type(code)
        try await session.send(keys: "Enter")
        let screen = try await session.waitForScreen(containing: "hello")
        #expect(!screen.contains { $0.contains("10K3M") })
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .success)
    }
}
