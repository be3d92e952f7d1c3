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
        let width = max(1, columns)
        if let ranges = ranges(text, columns: width) {
            return DirectionalRows.closed(ranges.map { String(text[$0]) })
        }
        return rows(replacingTooWide(text, columns: width), columns: width)
    }

    /// Where the rows of `text` are in it, nothing done about directions; nil if a character is
    /// wider than a row.
    static func ranges(_ text: String, columns: Int) -> [Range<String.Index>]? {
        LineWrapper(text, columns: max(1, columns)).wrap()
    }

    static func replacingTooWide(_ text: String, columns: Int) -> String {
        String(text.map { DisplayWidth.columns(of: $0) > columns ? "?" : $0 })
    }
}
