import BeamscribeCore
import BeamscribeTerminal
import Testing

/// Random use of a view on an emulated terminal, compared with a model after each update.
@Suite struct LiveViewRandomTests {
    @Test(arguments: 0..<100)
    func screen_isFinalsThenFooter_whenTerminalReflows(seed: Int) {
        Run(seed: seed, resizing: .reflows, measuresScalars: false).run()
    }

    @Test(arguments: 0..<100)
    func screen_isFinalsThenFooter_whenTerminalCuts(seed: Int) {
        Run(seed: seed, resizing: .cuts, measuresScalars: false).run()
    }

    @Test(arguments: 0..<100, TerminalEmulator.Resizing.allCases)
    func finals_areWhole_whenTerminalMeasuresOtherwise(
        seed: Int, resizing: TerminalEmulator.Resizing
    ) {
        Run(seed: seed, resizing: resizing, measuresScalars: true).run()
    }
}

private struct Run {
    private var generator: SeededGenerator
    private var size: TerminalSize
    private var view: LiveView
    private var model = LiveViewModel()
    private var terminal: TerminalEmulator

    init(seed: Int, resizing: TerminalEmulator.Resizing, measuresScalars: Bool) {
        generator = SeededGenerator(seed: UInt64(seed))
        size = Self.size(using: &generator)
        view = LiveView(size: size, style: TerminalStyle(colour: false))
        terminal = TerminalEmulator(
            size: size, resizing: resizing, measuresScalars: measuresScalars)
    }

    consuming func run() {
        for _ in 0..<60 { step() }
        finish()
    }

    private static func size(using generator: inout SeededGenerator) -> TerminalSize {
        let isTiny = Int.random(in: 0..<8, using: &generator) == 0
        return TerminalSize(
            columns: Int.random(in: isTiny ? 1...6 : 7...60, using: &generator),
            rows: Int.random(in: isTiny ? 1...3 : 3...14, using: &generator))
    }

    private mutating func step() {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<5: addLine()
        case 5: addNotice()
        case 6..<11: setPartial()
        case 11: setStatus()
        case 12..<15: resize()
        case 15: finish()
        default: render()
        }
    }

    private mutating func addLine() {
        let text = RandomText.line(using: &generator)
        view.add(line: text)
        model.add(line: text)
    }

    private mutating func addNotice() {
        let text = RandomText.line(using: &generator)
        view.add(notice: text)
        model.add(notice: text)
    }

    private mutating func setPartial() {
        let id = String(Int.random(in: 0..<20, using: &generator) % 19)
        let isGone = Int.random(in: 0..<4, using: &generator) == 0
        let text = isGone ? nil : RandomText.line(using: &generator)
        view.setPartial(text, line: id)
        model.setPartial(text, line: id)
    }

    private mutating func setStatus() {
        let left = RandomText.line(using: &generator)
        let right = ["", "3 s ago", "12 guests"].randomElement(using: &generator)!
        view.setStatus(left: left, right: right)
        model.setStatus(left: left, right: right)
    }

    /// The terminal has its new size before the program hears of it, so that an update can still
    /// be for the old one.
    private mutating func resize() {
        size = Self.size(using: &generator)
        terminal.resize(size)
        view.resize(size)
    }

    private mutating func render() {
        terminal.write(view.render())
        model.write(size: size)
        check(footer: model.footer(size: size))
        #expect(view.render().isEmpty)
    }

    private mutating func finish() {
        terminal.write(view.finish())
        model.write(size: size)
        check(footer: [])
        #expect(terminal.isCursorVisible && !terminal.hasAttributes)
        #expect(view.finish().isEmpty)
    }

    private func check(footer: [String]) {
        var expected = model.history
        #expect(terminal.row >= terminal.top && terminal.column == 0)
        #expect(!terminal.isUpdating && terminal.wraps)
        if !footer.isEmpty { #expect(!terminal.isCursorVisible) }
        let used = terminal.lines.lastIndex { !$0.cells.isEmpty } ?? 0
        #expect(used < terminal.row + max(1, footer.count))
        let lines = terminal.logicalLines
        if terminal.measuresScalars {
            // What the footer shows is cut then; that it is there once is all that can be said.
            #expect(Array(lines.prefix(expected.count)) == Array(expected.prefix(lines.count)))
            #expect(lines.count <= expected.count + footer.count)
        } else {
            expected += footer
            while expected.last == "" { expected.removeLast() }
            #expect(lines == expected)
        }
    }
}
