/// The terminal's other screen, as it was drawn last.
///
/// Invariant: while `drawn` is set, the terminal shows its other screen with these rows, and no
/// cursor.
struct ScreenPainter: Sendable {
    private var drawn: [String]?
    /// The number of those rows that are captions.
    private var captions = 0
    private var isDamaged = false
    /// Whether rows may stand elsewhere than in their places.
    private var hasFlowed = false
    private var questions = ""

    /// Whether a program that is interrupted now would leave the other screen behind.
    var isActive: Bool { drawn != nil }

    /// The screen may not show what was drawn any more: the next update draws all of it.
    mutating func damage() { isDamaged = true }

    /// Somebody else had the terminal, and it may show its usual screen: the next update changes
    /// screens again.
    mutating func forget() { (drawn, hasFlowed) = (nil, false) }

    /// Puts questions to the terminal with what is written next (``WidthInquiry``).
    mutating func ask(_ questions: String) { self.questions += questions }

    /// What to write so that the screen shows `rows`, one for each that it has: the rows that have
    /// changed, shown at once. Empty if there are none.
    ///
    /// - Parameter captions: how many of the rows are captions; the program's own are below them.
    mutating func update(_ rows: [String], captions: Int, _ size: TerminalSize) -> String {
        let isFlowing = rows.contains { mayOverflow($0, size) }
        defer {
            (drawn, isDamaged, hasFlowed, questions) = (rows, false, isFlowing, "")
            self.captions = captions
        }
        let begin = isActive ? "" : Control.enterScreen
        let isChanged = drawn != rows || isDamaged || !questions.isEmpty
        guard isChanged else { return begin }
        let text =
            (isFlowing || hasFlowed) && !hasCaptions(of: rows, captions)
            ? flowing(rows, captions) : placed(rows, columns: size.columns)
        return begin + Control.beginUpdate + Control.wrapOff + asked + text + Control.wrapOn
            + Control.endUpdate
    }

    /// Whether the screen shows these captions already: then only the program's own rows change,
    /// which stand in their places.
    private func hasCaptions(of rows: [String], _ captions: Int) -> Bool {
        guard let drawn, drawn.count == rows.count, self.captions == captions, !isDamaged,
            questions.isEmpty
        else { return false }
        return drawn[..<captions] == rows[..<captions]
    }

    /// The questions, in the second row of the screen.
    private var asked: String {
        questions.isEmpty
            ? "" : Control.row(2) + Control.eraseRight + questions
    }

    /// Whether a row would not fit if the terminal took one column more for each of its marks.
    private func mayOverflow(_ row: String, _ size: TerminalSize) -> Bool {
        guard row.utf8.contains(where: { $0 >= 0x80 }) else { return false }
        return size.widths.cautious.columns(of: TerminalStyle.plain(row)) > size.columns
    }

    /// The captions one behind the other. The terminal breaks a row that it takes for longer than
    /// it was counted: the rows below it go down into free ones, and only where there are none do
    /// the first rows leave the screen.
    private func flowing(_ rows: [String], _ captions: Int) -> String {
        let erased = Control.row(1) + Control.eraseBelow + Control.wrapOn
        // A scrolling region has two rows at least.
        guard captions > 1 else { return erased + rows.joined(separator: Control.newRow) }
        let above = rows[..<captions]
        let end = above.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0
        let below = rows.indices[captions...].map { Control.row($0 + 1) + rows[$0] }
        return erased + Control.scrollingRows(captions)
            + above[..<end].joined(separator: Control.newRow) + Control.scrollAll
            + Control.wrapOff + below.joined()
    }

    /// The rows that have changed, each in its place.
    private func placed(_ rows: [String], columns: Int) -> String {
        let isWhole = drawn?.count != rows.count || isDamaged || !questions.isEmpty
        var text = ""
        for (index, row) in rows.enumerated() where isWhole || row != drawn?[index] {
            // On a screen of one column the cursor stays on what was written, and would erase it.
            text += Control.row(index + 1) + (columns > 1 ? row + Control.eraseRight : "")
            if columns == 1 { text += Control.eraseRight + row }
        }
        return text
    }

    /// What to write so that the usual screen is back as it was, with a cursor; empty if it is.
    mutating func leave() -> String {
        guard isActive else { return "" }
        self = ScreenPainter()
        return Control.leaveScreen
    }
}
