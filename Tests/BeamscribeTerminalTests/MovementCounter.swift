@testable import BeamscribeTerminal

/// Counts the words that move while somebody may be reading them.
///
/// A *word* is a run of characters without blanks in a row of a line; a longer one that is broken
/// between rows counts as one a row. Its place is its row in its line, and its column. A word that
/// is shown in two frames, one after the other and of one width, has **moved** if it is in another
/// place in the second although it and all words before it in its line are the same in both.
///
/// A line as a whole goes up when the rows below need the room. That is scrolling; it is wrong
/// only where it goes down (`fallen`), or where there was room (`needless`).
struct MovementCounter {
    /// A word in its place.
    private struct Word: Equatable {
        var text: Substring
        var row: Int
        var column: Int
        var isSettled: Bool
    }

    private struct Line {
        var words: [Word]
        /// The row of the screen on which the line begins, or would.
        var y: Int
    }

    /// The words that were in two frames, one after the other.
    private(set) var compared = 0
    private(set) var moved = 0
    /// Words that had settled and stand elsewhere because a word before them was rewritten. They
    /// are the nth of their line and the same in both frames. None of them has moved as above.
    private(set) var pushed = 0
    private(set) var fallen = 0
    private(set) var needless = 0
    private(set) var frames = 0
    private var lines: [Int: Line] = [:]

    /// Takes what `view` shows now.
    mutating func see(_ view: inout ReaderView) {
        let frame = view.frame()
        let height = view.captionHeight
        var new: [Int: Line] = [:]
        for (y, row) in frame.prefix(height).enumerated() {
            guard let block = row.block, new[block] == nil,
                !view.document.blocks[block].isNotice
            else { continue }
            new[block] = Line(words: Self.words(of: block, in: view), y: y - row.row)
        }
        let isFull = frame[height - 1].block != nil
        for (block, line) in new {
            if let old = lines[block] { compare(old, line, isFull: isFull) }
        }
        lines = new
        frames += 1
    }

    private mutating func compare(_ old: Line, _ new: Line, isFull: Bool) {
        if new.y > old.y { fallen += 1 }
        if new.y < old.y, !isFull { needless += 1 }
        var isSame = true
        for (before, after) in zip(old.words, new.words) {
            isSame = isSame && before.text == after.text
            guard before.text == after.text else { continue }
            compared += 1
            guard before.row != after.row || before.column != after.column else { continue }
            if isSame { moved += 1 } else if before.isSettled { pushed += 1 }
        }
    }

    private static func words(of block: Int, in view: ReaderView) -> [Word] {
        let painter = RowPainter(
            typesetter: view.typesetter, style: TerminalStyle(colour: true), term: nil, match: nil,
            mark: nil)
        let settled = settledLetters(of: block, in: view)
        var letters = 0
        var words: [Word] = []
        for row in painter.rows(of: block) {
            let text = row.plain
            for word in text.split(separator: " ") {
                letters += word.utf8.count
                let column = CharacterWidths.common.columns(of: text[..<word.startIndex])
                words.append(
                    Word(
                        text: word, row: row.row, column: column, isSettled: letters <= settled))
            }
        }
        return words
    }

    /// How many bytes that are no blanks are settled in a line.
    private static func settledLetters(of block: Int, in view: ReaderView) -> Int {
        guard let end = view.document.settledEnd(of: block) else { return .max }
        let text = view.typesetter.caption(block).text
        return text.text.utf8.prefix(text.wordsStart + end).count { $0 != 0x20 }
    }
}
