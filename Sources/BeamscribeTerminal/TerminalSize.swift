/// The size of a terminal's screen, in character cells, and how it counts them.
public struct TerminalSize: Equatable, Sendable {
    /// The width; at least 1.
    public let columns: Int
    /// The height; at least 1.
    public let rows: Int
    /// The columns that characters take.
    public let widths: CharacterWidths

    /// A size. A terminal that does not know its size says 0, which becomes 1 here: no row is ever
    /// wider than the screen, and no computation needs to think of an empty screen.
    public init(columns: Int, rows: Int, widths: CharacterWidths = .common) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.widths = widths
    }

    /// What a row of ours may fill. The last column stays free: after a character in it a terminal
    /// waits with the line break until the next one, and terminals differ in what they do then.
    var usableColumns: Int { max(1, columns - 1) }
}
