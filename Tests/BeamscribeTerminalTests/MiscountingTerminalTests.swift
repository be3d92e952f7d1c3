import TestSupport
import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Screens of a terminal that takes one column more for each mark than it has answered.
@Suite struct MiscountingTerminalTests {
    private static let widths = Array(stride(from: 20, through: 120, by: 5))
    private let style = TerminalStyle(colour: true)

    private func terminal(_ size: TerminalSize) -> TerminalEmulator {
        TerminalEmulator(size: size, widths: size.widths.cautious)
    }

    /// Everything that has been on the screen at some time.
    private func shown(_ terminal: TerminalEmulator) -> String {
        terminal.screen.map { $0.trimmingPrefix { $0 == " " } }.joined()
    }

    @Test(arguments: widths) func reader_losesNoWord(columns: Int) {
        let size = TerminalSize(columns: columns, rows: 500)
        var terminal = terminal(size)
        var view = ReaderView(size: size, style: style) { _ in "14:05" }
        for (index, line) in ScriptSentences.lines.enumerated() {
            view.add(line, seq: index + 1)
        }
        terminal.write(view.render())
        #expect(ScriptSentences.lost(of: ScriptSentences.lines, on: shown(terminal)).isEmpty)
    }

    /// A line that grows on a small screen, of which each word is to be seen when it comes.
    @Test(arguments: [20, 37, 60]) func growingLine_losesNoWord(columns: Int) {
        let size = TerminalSize(columns: columns, rows: 24)
        var terminal = terminal(size)
        var view = ReaderView(size: size, style: style) { _ in "14:05" }
        for (index, line) in ScriptSentences.lines.enumerated() {
            var text = ""
            for word in line.split(separator: " ") {
                text += (text.isEmpty ? "" : " ") + word
                view.show(text, line: "\(index)")
                terminal.write(view.render())
                let last = shown(terminal)
                #expect(
                    ScriptSentences.lost(of: [String(word)], on: last).isEmpty,
                    "\(word) at \(columns) columns")
            }
            view.add(line, seq: index + 1, line: "\(index)")
            terminal.write(view.render())
            #expect(ScriptSentences.lost(of: [line], on: shown(terminal)).isEmpty)
        }
    }

    @Test(arguments: [20, 37, 60, 101]) func operator_losesNoWord(columns: Int) {
        let size = TerminalSize(columns: columns, rows: 60)
        for line in ScriptSentences.lines {
            var terminal = terminal(size)
            var screen = OperatorScreen(size: size, style: style)
            var content = OperatorContent()
            content.lines = [.init(seq: 1, text: line)]
            content.open = [line]
            terminal.write(screen.show(content))
            #expect(ScriptSentences.lost(of: [line], on: shown(terminal)).isEmpty)
        }
    }

    @Test(arguments: [20, 37, 60, 101]) func talk_losesNoWord(columns: Int) {
        let size = TerminalSize(columns: columns, rows: 60)
        for line in ScriptSentences.lines {
            var terminal = terminal(size)
            var view = TalkView(size: size, style: style, showsCaptions: true)
            view.add(caption: line)
            terminal.write(view.render())
            #expect(ScriptSentences.lost(of: [line], on: shown(terminal)).isEmpty)
        }
    }

    /// Tibetan on screens of hardly any columns, a line of marks, and a word of 400 Thai letters.
    @Test(arguments: 1...10) func tinyScreen_losesNoWord(columns: Int) {
        let lines = [
            String(repeating: "\u{301}", count: 50), "ཐོབ་ཐངགི་རང་དབང་འདྲ་མཉམ་དུ",
            String(repeating: "กข\u{E34}", count: 130),
        ]
        let size = TerminalSize(columns: columns, rows: 900)
        var terminal = terminal(size)
        var view = ReaderView(size: size, style: style) { _ in "14:05" }
        for (index, line) in lines.enumerated() {
            view.add(line, seq: index + 1)
        }
        terminal.write(view.render())
        #expect(ScriptSentences.lost(of: Array(lines[1...]), on: shown(terminal)).isEmpty)
    }
}
