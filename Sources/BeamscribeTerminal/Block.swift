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
    mutating func update(_ rows: [String], above: String = "") -> String {
        guard !above.isEmpty || isDamaged || rows != (drawn ?? []) else { return "" }
        drawn = rows
        isDamaged = false
        return Control.beginUpdate + Control.hideCursor + Control.eraseBelow + above
            + Self.text(rows) + Control.endUpdate
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
