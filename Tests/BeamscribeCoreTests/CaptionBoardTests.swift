import Testing

@testable import BeamscribeCore

@Suite struct CaptionBoardTests {
    private func board(_ rows: Int = 2, width: Int? = 20, open: Bool = true) -> CaptionBoard {
        CaptionBoard(rows: rows, width: width, showsOpenLines: open)
    }

    private func line(_ seq: Int, _ text: String, replaces: Int? = nil) -> GuestEvent {
        var line = captionLine(seq, text)
        line.replaces = replaces
        return .line(line)
    }

    @Test func board_showsTheLastRows_ofFinalsAndWhatIsBeingSaid() {
        var board = board()
        #expect(board.text == "")
        board.take(line(1, "one"))
        #expect(board.text == "one")
        board.take(line(2, "two two two two two two"))
        #expect(board.text == "two two two two two\ntwo")
        board.take(.partial(PartialLine(line: "l-3", text: "thr", speaker: "Ann")))
        #expect(board.text == "two\nAnn: thr")
        board.take(line(3, "three"))
        #expect(board.text == "two\nthree")
    }

    @Test func board_namesOtherLogs_andKeepsThemApart() {
        var board = board(4, width: nil)
        func inRoom(_ event: GuestEvent) { board.take(.inLog(.sample, event)) }
        board.take(line(1, "one"))
        inRoom(line(1, "uno"))
        inRoom(.partial(PartialLine(line: "l-2", text: "do", speaker: "Ann")))
        board.take(.partial(PartialLine(line: "l-2", text: "tw")))
        #expect(board.text == "one\nRoom 2: uno\nRoom 2 · Ann: do\ntw")
        inRoom(line(2, "UNO", replaces: 1))
        #expect(board.text == "one\nRoom 2: UNO\ntw")
        inRoom(.withdrawn(from: 1, through: 2))
        #expect(board.text == "one\ntw")
        // What was said before in another log is not said now.
        var old = captionLine(3, "old")
        (old.isLate, old.latency) = (true, 60)
        inRoom(.line(old))
        #expect(board.text == "one\ntw")
    }

    @Test func board_showsFinalsOnly_whenToldTo() {
        var board = board(open: false)
        board.take(line(1, "one"))
        board.take(.partial(PartialLine(line: "x", text: "two")))
        #expect(board.text == "one")
    }

    @Test func board_breaksNoLine_withoutAWidth() {
        var board = board(2, width: nil)
        let long = String(repeating: "word ", count: 50) + "end"
        board.take(line(1, long))
        board.take(line(2, "two"))
        #expect(board.text == long + "\ntwo")
    }

    @Test func correction_isInItsPlace_orNowhereOnceThatIsGone() {
        var board = board(2)
        board.take(line(1, "won"))
        board.take(line(2, "too"))
        board.take(line(3, "one", replaces: 1))
        #expect(board.text == "one\ntoo")
        board.take(line(4, "three"))
        board.take(line(5, "ONE", replaces: 3))
        #expect(board.text == "too\nthree")
        board.take(line(6, "seven", replaces: 99))
        #expect(board.text == "three\nseven", "Of a line that never came: a line.")
    }

    @Test func board_forgets_whatTheHostHasLost() {
        var board = board(3)
        for seq in 1...3 { board.take(line(seq, "line \(seq)")) }
        board.take(.withdrawn(from: 2, through: 3))
        #expect(board.text == "line 1")
        board.take(line(2, "other"))
        #expect(board.text == "line 1\nother")
    }

    /// Against the plain way: all lines as corrected, all broken, the last rows taken.
    @Test func board_showsWhatThePlainWayGives() {
        var generator = SeededGenerator(seed: 17)
        for _ in 0..<2_000 {
            let rows = Int.random(in: 1...4, using: &generator)
            var board = CaptionBoard(rows: rows, width: 12, showsOpenLines: true)
            var texts: [(seq: Int, text: String)] = []
            var open: [(line: String, text: String)] = []
            for seq in 1...Int.random(in: 1...25, using: &generator) {
                let count = Int.random(in: 1...6, using: &generator)
                let text = (0..<count).map { "w\(seq)-\($0)" }.joined(separator: " ")
                switch Int.random(in: 0...4, using: &generator) {
                case 0:
                    let name = "p-\(seq % 3)"
                    board.take(.partial(PartialLine(line: name, text: text)))
                    open.removeAll { $0.line == name }
                    open.append((name, text))
                case 1 where texts.count >= rows:
                    // One that is still on the board, whatever its rows.
                    let target = texts.suffix(rows).randomElement(using: &generator)?.seq ?? 0
                    board.take(line(seq, text, replaces: target))
                    for index in texts.indices where texts[index].seq == target {
                        texts[index].text = text
                    }
                default:
                    board.take(line(seq, text))
                    texts.append((seq, text))
                }
                let all = texts.map(\.text) + open.map(\.text)
                let expected = all.flatMap { CaptionRows.rows(of: $0, width: 12) }.suffix(rows)
                #expect(board.text == expected.joined(separator: "\n"))
            }
        }
    }
}
