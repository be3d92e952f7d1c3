import BeamscribeCore

/// One pass over a text, row by row.
///
/// Invariant: the current row begins at `start`, not with a blank; up to its last character that
/// is not blank it takes at most `columns`; the places of breaks, if set, lie behind `start`.
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
    private let widths: CharacterWidths
    private var counter: ColumnCounter
    /// The ends of words of writing without blanks; nil if they are not known.
    private let boundaries: Set<String.Index>?
    private var rows: [Range<String.Index>] = []
    private var start: String.Index
    private var width = 0
    private var lastBreak: Break?
    /// A place within a word of ideographs, for a row that has no better one.
    private var lastBreakWithin: Break?
    private var followsBlank = false
    private var followsWide = false
    private var followsUnspaced = false

    init(_ text: String, columns: Int, _ widths: CharacterWidths) {
        self.text = text
        self.columns = columns
        self.widths = widths
        counter = ColumnCounter(widths)
        boundaries = WordBreaker.boundaries(in: text)
        self.start = text.startIndex
    }

    /// All rows as ranges of the text, or nil if a character is wider than `columns`.
    consuming func wrap() -> [Range<String.Index>]? {
        var index = text.startIndex
        while index < text.endIndex {
            var cell = WrapCell(text, at: index, counting: &counter)
            if cell.isBlank {
                addBlank(cell, at: index)
            } else {
                if cell.columns > columns {
                    guard widths.fits(text[index], columns) else { return nil }
                    cell.columns = columns
                }
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
        followsUnspaced = false
    }

    private mutating func add(_ cell: WrapCell, at index: String.Index) {
        if index > start, !followsBlank {
            let here = Break(end: index, next: index, width: width)
            switch place(before: cell, at: index) {
            case .betweenWords: lastBreak = here
            case .within: lastBreakWithin = here
            case nil: break
            }
        }
        // Twice at most: what is left after the first break can still be a wide character and the
        // punctuation that would rather not leave it.
        while width + cell.columns > columns, index > start {
            endRow(
                at: lastBreak ?? lastBreakWithin
                    ?? Break(end: index, next: index, width: width))
        }
        width += cell.columns
        followsBlank = false
        followsWide = cell.isWide
        followsUnspaced = boundaries != nil && WordBreaker.isUnspaced(text[index])
    }

    private enum Place {
        case betweenWords, within
    }

    /// Between words of writing without blanks where they are known, and beside a wide character;
    /// nil before punctuation that belongs to it, and elsewhere.
    private func place(before cell: WrapCell, at index: String.Index) -> Place? {
        if cell.isClosing { return nil }
        let isBesideWide = followsWide || cell.isWide
        if let boundaries, followsUnspaced || WordBreaker.isUnspaced(text[index]) {
            return boundaries.contains(index) ? .betweenWords : isBesideWide ? .within : nil
        }
        return isBesideWide ? .betweenWords : nil
    }

    private mutating func endRow(at place: Break) {
        rows.append(start..<place.end)
        start = place.next
        width -= place.width
        lastBreak = nil
        lastBreakWithin = lastBreakWithin.flatMap {
            $0.next <= start
                ? nil : Break(end: $0.end, next: $0.next, width: $0.width - place.width)
        }
    }

    private mutating func endText() {
        let end = followsBlank ? lastBreak?.end ?? start : text.endIndex
        if end > start || rows.isEmpty { rows.append(start..<end) }
    }
}
