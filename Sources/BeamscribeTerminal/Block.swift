/// Rows at the end of what is written that are drawn again in place: the footer of the live view,
/// and the list of the picker.
///
/// Invariant: between two updates the terminal's cursor is in the first column of the block's
/// first row, and nothing but the block is at or below it.
///
/// The cursor waits above the block and not below it because a terminal that is resized may wrap
/// the rows anew, cut them, or drop those under the cursor. Each keeps the cursor at the character
/// it was at, so that erasing from it is right in every case, even when the program has not heard
/// of the new size yet. Counting the rows from below would have to guess what the terminal did.
struct Block: Sendable {
    private var drawn: [String]?
    private var isDamaged = false

    /// Whether a program that is interrupted now would leave rows and a hidden cursor behind.
    var isActive: Bool { drawn != nil }

    /// The screen may not show what was drawn any more: the next update draws in any case.
    mutating func damage() {
        isDamaged = isActive
    }

    /// What to write so that `above` scrolls away over the block and the block becomes `rows`;
    /// empty if the screen shows that already. Each row must fit, and all together fit the screen.
    ///
    /// - Parameter questions: what is to be asked in an empty row, for a screen of two rows or more
    ///   (``WidthInquiry/questions(_:at:)``).
    mutating func update(
        _ rows: [String], above: String = "", asking questions: String = ""
    ) -> String {
        guard !above.isEmpty || !questions.isEmpty || isDamaged || rows != (drawn ?? []) else {
            return ""
        }
        drawn = rows
        isDamaged = false
        return Control.beginUpdate + Control.hideCursor + Control.eraseBelow + above
            + Self.asked(questions) + Self.text(rows) + Control.endUpdate
    }

    /// The questions in the row below: the block's first may be the first of the screen.
    private static func asked(_ questions: String) -> String {
        guard !questions.isEmpty else { return "" }
        return Control.newRow + Control.wrapOff + questions + Control.wrapOn + Control.rowsUp(1)
    }

    /// What to write so that `above` stands where the block was, followed by a cursor that is
    /// visible at the start of a free row. Empty if nothing was written and nothing is to be.
    mutating func finish(above: String = "") -> String {
        guard isActive || !above.isEmpty else { return "" }
        self = Block()
        return Control.beginUpdate + Control.eraseBelow + above + Control.resetAttributes
            + Control.showCursor + Control.endUpdate
    }

    /// The rows, with the cursor brought back to the first. Line wrap is off meanwhile: where the
    /// terminal takes a character for wider than we do, the row is cut and not two rows.
    private static func text(_ rows: [String]) -> String {
        guard !rows.isEmpty else { return "" }
        return Control.wrapOff + rows.joined(separator: Control.newRow) + Control.wrapOn
            + Control.rowsUp(rows.count - 1)
    }
}
