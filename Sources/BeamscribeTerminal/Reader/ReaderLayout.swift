/// How the columns of a screen are shared out: a gutter for marks, a column of times where there is
/// room, and the captions.
///
/// Only the program writes in the gutter's columns. A notice begins there, so that no caption can
/// pass for one.
struct ReaderLayout: Equatable, Sendable {
    /// What a line may fill, the gutter not counted; at least 1.
    let columns: Int
    /// The columns before it: 0 (on a screen with room for nothing else), 1 or 2.
    let gutter: Int
    /// The columns of times between gutter and captions; 0 where they stand in the line itself.
    let timeColumns: Int
    let timestamps: ReaderSettings.Timestamps
    let widths: CharacterWidths

    /// With less a line does not lose columns to anything that can be somewhere else.
    private static let narrow = 40

    init(_ size: TerminalSize, _ settings: ReaderSettings) {
        let usable = size.usableColumns
        widths = size.widths
        gutter = usable < 2 ? 0 : usable < Self.narrow ? 1 : 2
        timestamps = settings.timestamps
        let wanted = Self.timeColumns(settings.timestamps)
        timeColumns = usable - gutter - wanted < Self.narrow ? 0 : wanted
        columns = max(1, min(usable - gutter - timeColumns, settings.width ?? .max))
    }

    /// All columns up to the captions' right edge.
    var allColumns: Int { gutter + timeColumns + columns }

    private static func timeColumns(_ timestamps: ReaderSettings.Timestamps) -> Int {
        switch timestamps {
        case .off: 0
        case .clock: 6
        case .elapsed: 8
        }
    }
}
