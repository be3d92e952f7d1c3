import Foundation
import TestSupport
import Testing

/// Terminals that are asked how they count columns, and answer well, badly or never.
@Suite struct AskedTerminalTests {
    private static let question = "\u{1B}[6n"

    /// A guest on a terminal that has got all questions, and how many these are.
    private func asked(
        _ room: Room, columns: Int = 60, rows: Int = 12
    ) async throws -> (terminal: PseudoTerminal, count: Int) {
        let terminal = try PseudoTerminal(room.launchOfGuest(), columns: columns, rows: rows)
        // The last bytes of the first drawing.
        try await terminal.waitForText("the questions") {
            $0.contains(Self.question) && $0.contains("\u{1B}[?2026l")
        }
        let count = terminal.text.components(separatedBy: Self.question).count - 1
        return (terminal, count)
    }

    /// The answers of a terminal that takes one column for each sample.
    private func answers(_ count: Int) -> [String] {
        (0..<count).map { "\u{1B}[2;\($0 == 0 || $0 == count - 1 ? 1 : 2)R" }
    }

    private func leave(_ terminal: PseudoTerminal) async throws {
        try await terminal.type("q")
        #expect(try await terminal.waitForExit() == .exited(0))
        #expect(terminal.isInOrdinaryMode)
    }

    /// Keys between the answers do what they do.
    @Test func keys_areNotLost_amongTheAnswers() async throws {
        let room = try await Room.open()
        let (terminal, count) = try await asked(room)
        #expect(count > 30)
        var typed = answers(count)
        typed.insert("/", at: 0)
        typed.insert("a", at: count / 2)
        typed.append("b")
        try await terminal.type(typed.joined())
        try await terminal.waitForText("what was typed") { $0.contains("/ab_") }
        let before = terminal.text.count
        try await terminal.type("\u{1B}")
        try await terminal.waitForText("the captions") {
            $0.dropFirst(before).contains("? keys")
        }
        try await leave(terminal)
    }

    /// Somebody in a hurry presses them before there is anything to see.
    @Test func keys_areNotLost_beforeTheFirstDrawing() async throws {
        let room = try await Room.open()
        let terminal = try PseudoTerminal(room.launchOfGuest(), columns: 60, rows: 12)
        try await terminal.type("/zebra")
        try await terminal.waitForText("what was typed") { $0.contains("/zebra_") }
        try await terminal.type("\u{1B}")
        let other = try PseudoTerminal(room.launchOfGuest(), columns: 60, rows: 12)
        try await other.type("q")
        #expect(try await other.waitForExit() == .exited(0))
        try await leave(terminal)
    }

    @Test(arguments: ["twice", "nonsense", "half", "the first row"])
    func badAnswers_doNoHarm(kind: String) async throws {
        let room = try await Room.open()
        let (terminal, count) = try await asked(room)
        let right = answers(count)
        let sent =
            switch kind {
            case "twice": right.flatMap { [$0, $0] }
            case "nonsense":
                ["\u{1B}[99999999999999999999;0R", "\u{1B}[;R", "\u{1B}[0;0R", "\u{1B}[-1;-5R"]
                    + right
            case "half": Array(right.prefix(count / 2))
            default: (0..<count).map { "\u{1B}[1;\($0)R" }
            }
        try await terminal.type(sent.joined())
        try await room.tell(["सभी मनुष्यों को गौरव"])
        try await terminal.waitForText("the caption") { $0.contains("सभी मनुष्यों को गौरव") }
        try await leave(terminal)
    }

    /// An answer to somebody else's question, or Shift-F3, is no key: the help stays open.
    @Test func answersToOthers_areNoKeys() async throws {
        let room = try await Room.open()
        let (terminal, count) = try await asked(room)
        try await terminal.type(answers(count).joined() + "?")
        try await terminal.waitForText("the help") {
            $0.contains("Any key: back") || $0.contains("More:")
        }
        let before = terminal.bytes.count
        try await terminal.type("\u{1B}[7;3R\u{1B}[1;2R")
        try await room.tell(["a line behind the help"])
        let after = try await terminal.waitForText("a status with the line") {
            String(decoding: Array($0.utf8).dropFirst(before), as: UTF8.self).contains("1 line")
        }
        #expect(!after.contains("a line behind the help"))
        try await terminal.type("x")
        try await terminal.waitForText("the captions") { $0.contains("a line behind the help") }
        try await leave(terminal)
    }

    @Test func silentTerminal_isShownEverything() async throws {
        let room = try await Room.open()
        let (terminal, _) = try await asked(room)
        try await room.tell(["“Привет” — ①"])
        try await terminal.waitForText("the caption") { $0.contains("“Привет” — ①") }
        try await leave(terminal)
    }

    /// A window that changes its size between the questions and the answers.
    @Test func resize_amongTheAnswers_losesNothing() async throws {
        let room = try await Room.open()
        let (terminal, count) = try await asked(room)
        let right = answers(count)
        try await terminal.type(right.prefix(count / 2).joined())
        terminal.resize(columns: 30, rows: 8)
        try await terminal.type(right.dropFirst(count / 2).joined())
        try await room.tell(["one two three four five six seven eight"])
        try await terminal.waitForText("the caption") { $0.contains("eight") }
        try await leave(terminal)
    }

    @Test func dumbTerminal_andPlainOutput_areNotAsked() async throws {
        let room = try await Room.open()
        try await room.tell(["a line"])
        for isPlain in [false, true] {
            var launch = room.launchOfGuest()
            if isPlain {
                launch.arguments.append("--plain")
            } else {
                launch.environment["TERM"] = "dumb"
            }
            let terminal = try PseudoTerminal(launch)
            try await terminal.waitForText("the line") { $0.contains("a line") }
            #expect(!terminal.text.contains(Self.question))
            terminal.stop()
        }
    }
}

/// The traces that questions leave on a terminal of others.
@Suite(.serialized, Skip.withoutTmux) struct QuestionTraceTests {
    /// Neither the screen nor the scrollback has a sample, also where the cursor is in the last
    /// row.
    @Test(arguments: [6, 24]) func questions_leaveNoTrace(rows: Int) async throws {
        let room = try await Room.open()
        let session = try await TerminalSession(room.launchOfGuest(), columns: 60, rows: rows)
        try await session.waitForScreen("a live guest") { $0.saysUpToDate }
        try await room.tell(["a line"])
        try await session.waitForScreen("the line") { $0.joined().contains("a line") }
        let screen = try await session.screen(withScrollback: true)
        let samples = ["का", "①", "👍", "🇩", "ᄒ", "لا", "က", "éαя"]
        #expect(samples.allSatisfy { !screen.joined().contains($0) })
    }
}
