/// One pass over a text, row by row.
///
/// Invariant: the current row begins at `start`, not with a blank; up to its last character that
/// is not blank it takes at most `columns`; `lastBreak`, if set, lies behind `start`.
struct LineWrapper {
    /// A place where the current row can end and the next begin, with the blanks between left out.
    private struct Break {
        let end: String.Index
        let next: String.Index
        /// What the current row takes up to `next`.
        let width: Int
    }

    private let text: String
    private let columns: Int
    private var rows: [Range<String.Index>] = []
    private var start: String.Index
    private var width = 0
    private var lastBreak: Break?
    private var followsBlank = false
    private var followsWide = false

    init(_ text: String, columns: Int) {
        self.text = text
        self.columns = columns
        self.start = text.startIndex
    }

    /// All rows as ranges of the text, or nil if a character is wider than `columns`.
    consuming func wrap() -> [Range<String.Index>]? {
        var index = text.startIndex
        while index < text.endIndex {
            let cell = WrapCell(text, at: index)
            if cell.isBlank {
                addBlank(cell, at: index)
            } else {
                guard cell.columns <= columns else { return nil }
                add(cell, at: index)
            }
            index = cell.next
        }
        endText()
        return rows
    }

    /// A blank never begins a row, and never makes one too wide: the row ends before it then.
    private mutating func addBlank(_ cell: WrapCell, at index: String.Index) {
        guard index > start else {
            start = cell.next
            return
        }
        width += cell.columns
        let end = followsBlank ? lastBreak?.end ?? index : index
        lastBreak = Break(end: end, next: cell.next, width: width)
        followsBlank = true
        followsWide = false
    }

    private mutating func add(_ cell: WrapCell, at index: String.Index) {
        if index > start, !followsBlank, canBreak(before: cell) {
            lastBreak = Break(end: index, next: index, width: width)
        }
        // Twice at most: what is left after the first break can still be a wide character and the
        // punctuation that would rather not leave it.
        while width + cell.columns > columns, index > start {
            endRow(at: lastBreak ?? Break(end: index, next: index, width: width))
        }
        width += cell.columns
        followsBlank = false
        followsWide = cell.columns == 2
    }

    /// Beside a character of double width, but not before punctuation that belongs to it.
    private func canBreak(before cell: WrapCell) -> Bool {
        (followsWide || cell.columns == 2) && !cell.isClosing
    }

    private mutating func endRow(at place: Break) {
        rows.append(start..<place.end)
        start = place.next
        width -= place.width
        lastBreak = nil
    }

    private mutating func endText() {
        let end = followsBlank ? lastBreak?.end ?? start : text.endIndex
        if end > start || rows.isEmpty { rows.append(start..<end) }
    }
}
