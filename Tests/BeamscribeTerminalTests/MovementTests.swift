import BeamscribeCore
import Testing

@testable import BeamscribeTerminal

/// Words stay where they are read.
@Suite struct MovementTests {
    private static let sizes = [(80, 24), (20, 6), (132, 43), (42, 12), (12, 5)]

    private func replay(_ name: String, columns: Int, rows: Int) throws -> MovementCounter {
        var view = ReaderView.test(columns: columns, rows: rows, colour: true)
        var counter = MovementCounter()
        var seq = 0
        for event in try Recording(name).events {
            view.advance(to: event.at)
            if event.final == true {
                seq += 1
                view.add(event.text, seq: seq, line: event.line, speaker: event.speaker)
            } else {
                view.show(event.text, line: event.line, speaker: event.speaker)
            }
            counter.see(&view)
        }
        return counter
    }

    @Test(arguments: Recording.names, 0..<5)
    func noWordMoves_whenARecordingIsReplayed(_ name: String, size: Int) throws {
        let (columns, rows) = Self.sizes[size]
        let counter = try replay(name, columns: columns, rows: rows)
        // Japanese has few words between blanks.
        #expect(counter.compared > (name == "japanese" ? 40 : 1_000))
        #expect(counter.moved == 0)
        // With two lines open the upper one can become shorter, and so can a line that is higher
        // than a tiny screen.
        let canFall = name == "two-speakers" || (name == "heard-anew" && rows < 6)
        #expect(canFall || counter.fallen + counter.needless == 0)
        // What a recogniser takes back it takes back; that is all that pushes what had settled.
        #expect(counter.pushed * 50 <= counter.compared)
    }

    /// A recogniser that never takes a word back pushes none, either.
    @Test func noSettledWordIsPushed_whenLinesOnlyGrow() {
        var view = ReaderView.test(columns: 24, rows: 8, colour: true)
        var counter = MovementCounter()
        var generator = SeededGenerator(seed: 5)
        for seq in 1...200 {
            var text = ""
            for _ in 0..<Int.random(in: 1...20, using: &generator) {
                let word = RandomText.words.randomElement(using: &generator)!
                text += (text.isEmpty ? "" : " ") + word
                view.show(text, line: "\(seq)")
                counter.see(&view)
            }
            view.add(text, seq: seq, line: "\(seq)")
            counter.see(&view)
        }
        #expect(counter.compared > 5_000)
        #expect(counter.moved == 0 && counter.pushed == 0)
    }

    /// The counter counts: a layout that puts the newest text first moves every word.
    @Test func counter_counts_whenWordsMove() {
        var counter = MovementCounter()
        var view = ReaderView.test(columns: 40)
        view.add("one two three", seq: 1)
        counter.see(&view)
        view.resize(TerminalSize(columns: 10, rows: 10))
        counter.see(&view)
        #expect(counter.moved > 0)
        view.resize(TerminalSize(columns: 40, rows: 10))
        view.show("the", line: "a")
        counter.see(&view)
        view.advance(to: 5)
        view.show("the captions are here", line: "a")
        view.advance(to: 10)
        counter.see(&view)
        view.show("these captions are here", line: "a")
        counter.see(&view)
        #expect(counter.pushed == 3)
    }

    @Test(arguments: 0..<1_000)
    func noWordMoves_whateverComes(seed: Int) {
        var run = MovementRun(seed: seed)
        for _ in 0..<30 { run.step() }
        #expect(run.counter.moved == 0)
        #expect(run.hasShrunk || run.counter.needless == 0)
        #expect(run.hasChangedAbove || run.counter.fallen == 0)
    }
}

/// Random lines that grow, are rewritten, shrink, go and become final, several at a time.
private struct MovementRun {
    private var generator: SeededGenerator
    private var view: ReaderView
    private(set) var counter = MovementCounter()
    /// Whether a line with others below it, or one that is higher than the screen, has changed.
    private(set) var hasChangedAbove = false
    /// Whether such a line may have become shorter.
    private(set) var hasShrunk = false
    private var open: [String: [String]] = [:]
    private var now = 0.0
    private var seq = 0

    init(seed: Int) {
        generator = SeededGenerator(seed: UInt64(clamping: seed))
        var settings = ReaderSettings()
        settings.timestamps =
            ReaderSettings.Timestamps.allCases.randomElement(using: &generator)!
        view = ReaderView.test(
            columns: Int.random(in: 3...90, using: &generator),
            rows: Int.random(in: 1...24, using: &generator),
            colour: Bool.random(using: &generator), settings: settings)
    }

    mutating func step() {
        now += Double.random(in: 0...1.5, using: &generator)
        view.advance(to: now)
        let line = "\(Int.random(in: 0..<3, using: &generator))"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0..<6: grow(line)
        case 6: rewrite(line)
        case 7: shrink(line)
        case 8: finish(line)
        case 9: addFinal()
        case 10: view.add(notice: "something has happened that takes a row or two")
        default: view.setStatus(left: "event", right: ["live", "\(seq) lines"])
        }
        counter.see(&view)
    }

    private var word: String { mutating get { RandomText.words.randomElement(using: &generator)! } }

    private mutating func grow(_ line: String) {
        let more = word
        noteChange(isShrinking: false)
        open[line, default: []].append(more)
        show(line)
    }

    private mutating func rewrite(_ line: String) {
        guard let count = open[line]?.count else { return }
        let other = word
        noteChange()
        open[line]![Int.random(in: 0..<count, using: &generator)] = other
        show(line)
    }

    private mutating func shrink(_ line: String) {
        guard let count = open[line]?.count else { return }
        noteChange()
        open[line]!.removeLast(Int.random(in: 0...count, using: &generator))
        show(line)
        if open[line]!.isEmpty { open[line] = nil }
    }

    private mutating func noteChange(isShrinking: Bool = true) {
        let isLast = view.document.blocks.last?.isOpen == true && open.count == 1
        let isWhole = view.frame()[0].row == 0
        guard !isLast || !isWhole else { return }
        hasChangedAbove = true
        hasShrunk = hasShrunk || isShrinking
    }

    private mutating func show(_ line: String) {
        view.show(open[line]!.joined(separator: " "), line: line)
    }

    private mutating func finish(_ line: String) {
        guard open[line] != nil else { return }
        // A name behind the words can take a row.
        noteChange(isShrinking: false)
        let words = open.removeValue(forKey: line)!
        seq += 1
        let speaker = Bool.random(using: &generator) ? "Ann" : nil
        view.add(words.joined(separator: " "), seq: seq, line: line, speaker: speaker)
    }

    private mutating func addFinal() {
        seq += 1
        view.add(word + " " + word, seq: seq)
    }
}
