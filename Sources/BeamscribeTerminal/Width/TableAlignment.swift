/// Aligns the cells of a table's rows.
public enum TableAlignment: Sendable {
    /// By blanks, as a file needs it.
    case blanks
    /// By the terminal's own columns (`ESC [ n G`, ECMA-48's CHA), however wide it takes a text
    /// for.
    case terminal

    /// `text` with what leads to the next cell.
    ///
    /// - Parameters:
    ///   - start: the columns before the cell.
    ///   - columns: the columns of the cell; the text takes fewer.
    public func cell(_ text: String, start: Int, columns: Int) -> String {
        switch self {
        case .blanks: CharacterWidths.common.padded(text, to: columns)
        case .terminal: text + Control.column(start + columns + 1)
        }
    }
}
