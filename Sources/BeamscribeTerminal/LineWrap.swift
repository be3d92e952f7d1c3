import BeamscribeCore

/// Text broken into rows of a terminal.
public enum LineWrap {
    /// The rows of `text`, composed (``ComposedText``), none wider than `columns` (at least 1).
    ///
    /// A row ends at a blank if it can; the blanks go, as do those at the text's ends. Beside wide
    /// characters it can end as well, in writing without blanks between words (``WordBreaker``).
    /// A longer word is broken between characters;
    /// a wide character becomes `?` on a screen of one column. Text without characters is one
    /// empty row. No direction of writing outlasts its row; the next begins with it again.
    public static func rows(
        _ text: String, columns: Int, _ widths: CharacterWidths
    ) -> [String] {
        let (text, ranges) = ranges(ComposedText.line(text), columns: columns, widths)
        return DirectionalRows.closed(ranges.map { String(text[$0]) })
    }

    /// Where the rows of `text` are in it, or in that with `?` for characters that are wider than
    /// a row. Nothing is done about directions.
    static func ranges(
        _ text: String, columns: Int, _ widths: CharacterWidths
    ) -> (text: String, rows: [Range<String.Index>]) {
        let columns = max(1, columns)
        if let rows = LineWrapper(text, columns: columns, widths).wrap() { return (text, rows) }
        let narrow = String(text.map { widths.fits($0, columns) ? $0 : "?" })
        return ranges(narrow, columns: columns, widths)
    }
}
