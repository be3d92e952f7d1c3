/// How finals, notices and open lines become rows of a given width.
struct CaptionRows: Sendable {
    let columns: Int
    let style: TerminalStyle
    let widths: CharacterWidths

    /// What each row of a notice begins with, and no row of a caption: see ``final(_:)``.
    private static let noticeMark = "***"
    private static let openMark = "… "

    /// A caption. One in which a row looks like a notice is moved in by a blank, so that nobody
    /// can say something that the program seems to say.
    func final(_ text: String) -> [String] {
        let rows = LineWrap.rows(text, columns: columns, widths)
        guard rows.contains(where: looksLikeNotice) else { return rows }
        return LineWrap.rows(text, columns: columns - 1, widths).map { " " + $0 }
    }

    /// Nobody sees what takes no column: it would hide that the mark comes first.
    private func looksLikeNotice(_ row: String) -> Bool {
        row.drop { CharacterWidths.common.columns(of: $0) == 0 }.hasPrefix(Self.noticeMark)
    }

    func notice(_ text: String) -> [String] {
        marked(text, with: Self.noticeMark + " ").map(style.bold)
    }

    /// A line that can still change: dim, or with a mark before each row, because the first rows
    /// may be those that are not shown.
    func open(_ text: String) -> [String] {
        style.colour ? final(text).map(style.dim) : marked(text, with: Self.openMark)
    }

    /// On a screen so narrow that a mark on each row would leave no room, it is said once.
    private func marked(_ text: String, with mark: String) -> [String] {
        let room = columns - widths.columns(of: mark)
        guard room >= 4 else { return LineWrap.rows(mark + text, columns: columns, widths) }
        return LineWrap.rows(text, columns: room, widths).map { mark + $0 }
    }
}
