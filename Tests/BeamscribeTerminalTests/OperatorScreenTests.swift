import BeamscribeTerminal
import Testing

@testable import BeamscribeCore

/// What the operator of a host sees.
@Suite struct OperatorScreenTests {
    private let style = TerminalStyle(colour: false)

    private func content(_ lines: Int = 3) -> OperatorContent {
        var content = OperatorContent()
        content.lines = (1...lines).map { .init(seq: $0, text: "line \($0)") }
        content.status = "live · 2 guests"
        content.details = [
            "last input 3 s ago · 130 words/min, 12 lines/min", "last input 3 s ago",
        ]
        content.hint = "p pause"
        return content
    }

    private func screen(
        _ content: OperatorContent, columns: Int = 60, rows: Int = 16, log: String = ""
    ) -> [String] {
        let size = TerminalSize(columns: columns, rows: rows)
        var screen = OperatorScreen(size: size, style: style)
        var terminal = TerminalEmulator(size: size, resizing: .cuts, measuresScalars: false)
        terminal.write(screen.show(content))
        if !log.isEmpty { terminal.write(screen.print(log)) }
        return terminal.logicalLines
    }

    @Test func screen_showsTheNewestLines_theKeysAndTheState() {
        let rows = screen(content(20), log: "Ann joined.\n")
        #expect(rows[0] == "Ann joined.")
        #expect(rows.dropFirst().first == "  15  line 15" && rows[6] == "  20  line 20")
        #expect(rows[7] == "p pause")
        #expect(rows[8].hasPrefix("[live · 2 guests") && rows[8].hasSuffix("3 s ago]"))
        #expect(rows.count == 9)
    }

    @Test func correctedLines_areMarked_andSoIsTheOneThatIsCorrected() {
        var content = content()
        content.lines[0].isCorrected = true
        content.lines[1].speaker = "Ann"
        content.open = ["and s"]
        content.editor = .init(
            prompt: "correcting line 2", line: EditableText("Ann: line"), correcting: 2)
        let rows = screen(content)
        #expect(
            rows.prefix(5) == [
                "   1* line 1", "   2> Ann: line 2", "   3  line 3", "   …  and s",
                "correcting line 2> Ann: line|",
            ])
    }

    @Test func table_isCutToTheScreen_andSaysHowMuchMoreThereIs() {
        var content = content()
        content.table = ["GUEST"] + (1...30).map { "guest \($0)" }
        let rows = screen(content, rows: 12)
        #expect(rows.count == 11)
        #expect(rows.first == "GUEST" && rows.contains("guest 7") && rows.contains("and 23 more"))
        #expect(!rows.contains("guest 8"))
    }

    @Test func stateAndEditor_areThere_onTheSmallestScreen() {
        var content = content()
        content.editor = .init(prompt: "Ann", line: EditableText("Good morning"))
        content.note = "Paused."
        let rows = screen(content, columns: 20, rows: 6)
        #expect(
            rows == ["line 2", "line 3", "Ann> Good morning|", "Paused.", "[live · 2 guests  ]"])
        #expect(screen(content, columns: 20, rows: 2) == ["Ann> Good morning|"])
        #expect(screen(content, columns: 20, rows: 3).last == "[live · 2 guests  ]")
    }

    @Test func editor_showsTheRowsAroundTheCursor() {
        var content = content()
        var editor = CaptionEditor()
        for number in 0..<60 { "word\(number) ".forEach { _ = editor.handle(.character($0)) } }
        content.editor = .init(prompt: "", line: editor.line)
        #expect(screen(content).contains { $0.hasSuffix("word59 |") })
        // Rows end between words.
        let rows = screen(content).filter { $0.contains("word") && !$0.hasPrefix("   ") }
        #expect(
            rows.dropLast().allSatisfy { $0.hasSuffix(" ") || $0.hasSuffix("|") || $0.count < 60 })
        #expect(rows.allSatisfy { $0.hasPrefix("word") || $0.hasPrefix(">") }, "\(rows)")
        _ = editor.handle(.home)
        content.editor = .init(prompt: "", line: editor.line)
        #expect(screen(content).contains { $0.hasPrefix("> |word0") })
    }

    @Test(arguments: 0..<300)
    func rows_fitTheScreen_whateverIsShown(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var size = randomSize(using: &generator)
        let colour = Bool.random(using: &generator)
        var screen = OperatorScreen(size: size, style: TerminalStyle(colour: colour))
        var terminal = TerminalEmulator(size: size, resizing: .cuts, measuresScalars: false)
        var log: [String] = []
        for step in 0..<40 {
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                log.append("L\(step)")
                terminal.write(screen.print("L\(step)\n"))
            case 1:
                size = randomSize(using: &generator)
                terminal.resize(size)
                terminal.write(screen.redraw(size))
            default: terminal.write(screen.show(randomContent(using: &generator)))
            }
            // What was said stands above what is drawn, whole and once, and one row is left for it.
            let end = (terminal.lines.lastIndex { !$0.cells.isEmpty } ?? -1) + 1
            #expect(end - terminal.row <= max(1, size.rows - 1), "\(end) of \(size)")
            let above = terminal.lines.prefix(terminal.row).map(\.text).filter { !$0.isEmpty }
            #expect(above == log)
            #expect(terminal.column == 0 && !terminal.isUpdating && terminal.wraps)
        }
        terminal.write(screen.finish())
        #expect(terminal.isCursorVisible && !terminal.hasAttributes)
        #expect(terminal.logicalLines.filter { !$0.isEmpty } == log)
    }

    private func randomSize(using generator: inout SeededGenerator) -> TerminalSize {
        let isTiny = Int.random(in: 0..<4, using: &generator) == 0
        return TerminalSize(
            columns: Int.random(in: isTiny ? 4...12 : 12...90, using: &generator),
            rows: Int.random(in: isTiny ? 1...4 : 4...30, using: &generator))
    }

    private func randomContent(using generator: inout SeededGenerator) -> OperatorContent {
        var content = OperatorContent()
        content.lines = (0..<Int.random(in: 0..<9, using: &generator)).map {
            .init(seq: $0 * 700 + 1, text: RandomText.line(using: &generator))
        }
        content.open = (0..<Int.random(in: 0..<3, using: &generator)).map { _ in
            RandomText.line(using: &generator)
        }
        content.status = RandomText.line(using: &generator)
        content.details = [RandomText.line(using: &generator), ""]
        if Bool.random(using: &generator) { content.note = RandomText.line(using: &generator) }
        content.hint = "p pause"
        if Int.random(in: 0..<4, using: &generator) == 0 {
            content.table = (0..<40).map { _ in RandomText.line(using: &generator) }
        }
        if Bool.random(using: &generator) {
            content.editor = .init(
                prompt: "Ann", line: EditableText(RandomText.line(using: &generator)))
        }
        return content
    }
}
