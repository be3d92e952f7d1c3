/// The terminal's other screen, as it was drawn last.
///
/// Invariant: while `drawn` is set, the terminal shows its other screen with these rows, and no
/// cursor.
struct ScreenPainter: Sendable {
    private var drawn: [String]?
    private var isDamaged = false

    /// Whether a program that is interrupted now would leave the other screen behind.
    var isActive: Bool { drawn != nil }

    /// The screen may not show what was drawn any more: the next update draws all of it.
    mutating func damage() { isDamaged = true }

    /// Somebody else had the terminal, and it may show its usual screen: the next update changes
    /// screens again.
    mutating func forget() { drawn = nil }

    /// What to write so that the screen shows `rows`, one for each that it has: the rows that have
    /// changed, shown at once. Empty if there are none.
    mutating func update(_ rows: [String], columns: Int) -> String {
        let isWhole = drawn?.count != rows.count || isDamaged
        var text = ""
        for (index, row) in rows.enumerated() where isWhole || row != drawn?[index] {
            // On a screen of one column the cursor stays on what was written, and would erase it.
            text += Control.row(index + 1) + (columns > 1 ? row + Control.eraseRight : "")
            if columns == 1 { text += Control.eraseRight + row }
        }
        let begin = isActive ? "" : Control.enterScreen
        drawn = rows
        isDamaged = false
        guard !text.isEmpty else { return begin }
        return begin + Control.beginUpdate + Control.wrapOff + text + Control.wrapOn
            + Control.endUpdate
    }

    /// What to write so that the usual screen is back as it was, with a cursor; empty if it is.
    mutating func leave() -> String {
        guard isActive else { return "" }
        self = ScreenPainter()
        return Control.leaveScreen
    }
}
