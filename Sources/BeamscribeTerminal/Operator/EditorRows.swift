import BeamscribeCore

/// How the line that is being typed becomes rows, with a cursor that is drawn.
///
/// The terminal's own cursor waits elsewhere: see ``Block``.
struct EditorRows {
    let columns: Int
    let style: TerminalStyle
    let widths: CharacterWidths

    private struct Cell {
        var text: String
        var columns: Int
        var isCursor = false
    }

    /// The rows around the cursor, at most `room`.
    func rows(of editor: OperatorContent.Editor, room: Int) -> [String] {
        let prompt = editor.prompt + "> "
        // On a screen so narrow that little would be left, the words need the room.
        let head = widths.columns(of: prompt) > columns / 2 ? "> " : prompt
        var cells = (visible(head) + visible(editor.line.before)).map(cell)
        let after = visible(editor.line.after)
        cells.append(cursor(over: after.first))
        cells += after.dropFirst(style.colour ? 1 : 0).map(cell)
        let rows = broken(cells)
        let at = rows.firstIndex { $0.contains(where: \.isCursor) } ?? 0
        let first = max(0, min(at - room + 2, rows.count - room, at))
        return rows[first...].prefix(max(1, room)).map(text)
    }

    /// With attributes the cursor stands on a character, and else before it.
    private func cursor(over character: Character?) -> Cell {
        guard style.colour else { return Cell(text: "|", columns: 1, isCursor: true) }
        var cell = cell(character ?? " ")
        if cell.columns == 0 { cell = Cell(text: " ", columns: 1) }
        cell.isCursor = true
        return cell
    }

    private func cell(_ character: Character) -> Cell {
        widths.fits(character, columns)
            ? Cell(text: String(character), columns: min(columns, widths.columns(of: character)))
            : Cell(text: "?", columns: 1)
    }

    private func broken(_ cells: [Cell]) -> [[Cell]] {
        var rows: [[Cell]] = [[]]
        var used = 0
        for cell in cells {
            if used + cell.columns > columns {
                let word = takeWord(from: &rows[rows.count - 1])
                rows.append(word)
                used = word.reduce(0) { $0 + $1.columns }
            }
            rows[rows.count - 1].append(cell)
            used += cell.columns
        }
        return rows
    }

    /// The word at a row's end, which is to go on in the next; empty where that leaves too little.
    private func takeWord(from row: inout [Cell]) -> [Cell] {
        guard let blank = row.lastIndex(where: { $0.text == " " }), blank + 1 < row.count else {
            return []
        }
        let word = Array(row[(blank + 1)...])
        guard word.reduce(0, { $0 + $1.columns }) <= columns / 2 else { return [] }
        row.removeSubrange((blank + 1)...)
        return word
    }

    private func text(_ row: [Cell]) -> String {
        row.map { $0.isCursor && style.colour ? style.reverse($0.text) : $0.text }.joined()
    }

    /// What changes the direction of writing would turn around what the row says behind it.
    private func visible(_ text: String) -> String {
        var scalars = ComposedText.line(SafeText.line(text)).unicodeScalars
        scalars.removeAll {
            (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
        }
        return String(scalars)
    }
}
