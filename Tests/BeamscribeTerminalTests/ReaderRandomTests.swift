import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Random events, keys and sizes on an emulated terminal; after each the screen is looked at.
@Suite struct ReaderRandomTests {
    @Test(arguments: 0..<120)
    func screen_isWhatTheViewMeans_whateverHappens(seed: Int) {
        var run = ReaderRun(seed: seed)
        for _ in 0..<50 { run.step() }
        run.finish()
    }
}

private struct ReaderRun {
    private var generator: SeededGenerator
    private var size: TerminalSize
    private var view: ReaderView
    private var terminal: TerminalEmulator
    private var model = ReaderModel()
    private var seq = 0
    private var now = 0.0

    init(seed: Int) {
        generator = SeededGenerator(seed: UInt64(clamping: seed))
        size = Self.size(using: &generator)
        view = ReaderView.test(
            columns: size.columns, rows: size.rows, colour: Bool.random(using: &generator))
        let resizing = TerminalEmulator.Resizing.allCases.randomElement(using: &generator)!
        terminal = TerminalEmulator(size: size, resizing: resizing)
    }

    private static func size(using generator: inout SeededGenerator) -> TerminalSize {
        let isTiny = Int.random(in: 0..<6, using: &generator) == 0
        return TerminalSize(
            columns: Int.random(in: isTiny ? 1...6 : 7...200, using: &generator),
            rows: Int.random(in: isTiny ? 1...4 : 3...25, using: &generator))
    }

    mutating func step() {
        let top = view.viewport.top
        switch Int.random(in: 0..<24, using: &generator) {
        case 0..<9: for _ in 0..<Int.random(in: 1...4, using: &generator) { addLine() }
        case 9..<14: addPartial()
        case 14: addNotice()
        case 15: withdraw()
        case 16: resize()
        case 17: suspend()
        default:
            press()
            return check()
        }
        check()
        // Who has scrolled back is not moved by what comes.
        if let top, let after = view.viewport.top { #expect(top.block == after.block) }
        #expect((top == nil) == (view.viewport.top == nil))
    }

    private mutating func addLine() {
        seq += 1
        let line = TranscriptLine(
            seq: seq, line: "\(Int.random(in: 0..<20, using: &generator))",
            text: RandomText.line(using: &generator),
            speaker: [nil, "Ann", "山田さん"].randomElement(using: &generator)!,
            replaces: Int.random(in: 0..<5, using: &generator) == 0
                ? Int.random(in: 0...seq, using: &generator) : nil,
            sentTimestamp: now, receivedTimestamp: now, latency: 0)
        view.add(line)
        model.add(line)
    }

    private mutating func addPartial() {
        let partial = PartialLine(
            line: "\(Int.random(in: 0..<20, using: &generator))",
            text: RandomText.line(using: &generator))
        view.show(partial)
        model.set(partial)
    }

    private mutating func addNotice() {
        let text = RandomText.line(using: &generator)
        view.add(notice: text)
        model.add(notice: text)
    }

    private mutating func withdraw() {
        let first = Int.random(in: 1...max(1, seq), using: &generator)
        view.withdraw(from: first, through: seq)
        model.withdraw(from: first)
        seq = first - 1
    }

    private mutating func resize() {
        size = Self.size(using: &generator)
        terminal.resize(size)
        view.resize(size)
    }

    private mutating func suspend() {
        terminal.write(view.suspend())
        #expect(!terminal.isOnOtherScreen && terminal.isCursorVisible && !terminal.reportsFocus)
    }

    private mutating func press() {
        let keys: [Key] = [
            .up, .up, .down, .pageUp, .pageUp, .pageDown, .home, .end, .enter, .escape, .backspace,
            .focusLost, .focusGained, .control("l"), .unknown,
        ]
        let letters = Array("kjG /nNm'w?tpc<>-+a*")
        let index = Int.random(in: 0..<keys.count + letters.count, using: &generator)
        let key = index < keys.count ? keys[index] : .character(letters[index - keys.count])
        _ = view.handle(key)
        // Only what the reader is told may have become a notice.
        for block in view.document.blocks.dropFirst(model.blocks.count) {
            #expect(block.isNotice)
            model.add(notice: block.text)
        }
    }

    private mutating func check() {
        now += Double.random(in: 0...2, using: &generator)
        view.advance(to: now)
        view.setStatus(left: "event", right: ["live", "\(seq) lines"])
        terminal.write(view.render())
        #expect(view.render().isEmpty)
        let frame = view.frame()
        #expect(frame.count == size.rows)
        #expect(isTerminalOurs)
        // The screen of a letter that is wider with its marks is the terminal's affair.
        if !frame.contains(where: { hasWideLetter($0.plain) }) {
            let widths = frame.map { CharacterWidths.common.columns(of: $0.plain) }
            #expect(widths.max() ?? 0 <= max(1, size.columns - 1))
            #expect(frame.map { Self.trimmed($0.plain) } == terminal.screen.map(Self.trimmed))
        }
        checkDocument()
        checkCaptions(frame)
    }

    private func hasWideLetter(_ row: String) -> Bool {
        row.contains { CharacterWidths.common.columns(of: $0) > view.layout.columns }
    }

    private var isTerminalOurs: Bool {
        terminal.isOnOtherScreen && !terminal.isCursorVisible && terminal.wraps
            && !terminal.isUpdating && !terminal.hasAttributes && terminal.reportsFocus
    }

    private func checkDocument() {
        let shown = view.document.blocks.map { $0.isGone ? "" : $0.text }
        #expect(shown == model.blocks.map(\.text))
        #expect(view.transcript == model.transcript)
    }

    /// What is shown is rows that follow each other, and the last of all if it is to be.
    private func checkCaptions(_ frame: [ReaderRow]) {
        guard view.mode == .reading || view.mode == .typing("") else { return }
        let rows = frame.prefix(view.captionHeight).filter { $0.block != nil }
        let typesetter = view.typesetter
        var expected = rows.first.map { RowPosition(block: $0.block!, row: $0.row) }
        var isUnbroken = true
        for row in rows {
            isUnbroken = isUnbroken && expected == RowPosition(block: row.block!, row: row.row)
            expected = typesetter.position(1, below: expected!)
        }
        #expect(isUnbroken)
        let isAtEnd = rows.isEmpty || expected == typesetter.end
        if view.viewport.isFollowing { #expect(isAtEnd) }
        if rows.count < view.captionHeight { #expect(isAtEnd) }
    }

    mutating func finish() {
        terminal.write(view.finish(farewell: "Event: all of it."))
        #expect(!terminal.isOnOtherScreen && terminal.isCursorVisible && terminal.wraps)
        #expect(!terminal.hasAttributes && !terminal.reportsFocus && terminal.column == 0)
        let lines = terminal.logicalLines.joined()
        #expect(lines.filter { $0 != " " }.contains("Event:") || size.columns < 12)
        #expect(view.finish(farewell: "again").isEmpty)
    }

    private static func trimmed(_ text: String) -> Substring {
        var text = Substring(text)
        while text.last == " " { text.removeLast() }
        return text
    }
}
