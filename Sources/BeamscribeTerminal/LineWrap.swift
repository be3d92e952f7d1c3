import BeamscribeCore

/// Text broken into rows of a terminal.
public enum LineWrap {
    /// The rows of `text`, none wider than `columns` (at least 1).
    ///
    /// A row ends at a blank if it can; the blanks go, as do those at the text's ends. Between
    /// characters of double width it can end as well. A longer word is broken between characters;
    /// a character that is wider than a whole row becomes `?`. Text without characters is one
    /// empty row. No direction of writing outlasts its row; the next begins with it again.
    public static func rows(_ text: String, columns: Int) -> [String] {
        let (text, ranges) = ranges(text, columns: columns)
        return DirectionalRows.closed(ranges.map { String(text[$0]) })
    }

    /// Where the rows of `text` are in it, or in that with `?` for characters that are wider than
    /// a row. Nothing is done about directions.
    static func ranges(
        _ text: String, columns: Int
    ) -> (text: String, rows: [Range<String.Index>]) {
        let columns = max(1, columns)
        if let rows = LineWrapper(text, columns: columns).wrap() { return (text, rows) }
        let narrow = String(text.map { DisplayWidth.columns(of: $0) > columns ? "?" : $0 })
        return ranges(narrow, columns: columns)
    }
}
