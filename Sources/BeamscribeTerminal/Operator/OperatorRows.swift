import BeamscribeCore

/// How an ``OperatorContent`` becomes rows of a screen, the most important nearest to its end.
///
/// Invariant: no row is wider than the screen, and one row of the screen is left for the log where
/// it has two.
struct OperatorRows {
    let size: TerminalSize
    let style: TerminalStyle

    /// From how many rows on the keys are shown unasked.
    private static let rowsForHint = 12
    /// From how many columns on lines are shown with their numbers.
    private static let columnsForNumbers = 30

    func rows(of content: OperatorContent) -> [String] {
        let all = max(1, size.rows - 1)
        if !content.picture.isEmpty {
            return content.picture.prefix(all - 1) + [status(content)]
        }
        // What readers see should not push the log off the screen; a table may.
        let budget = content.table == nil ? min(all, max(5, size.rows / 2)) : all
        var below: [String] = []
        if budget > 1 || content.editor == nil { below = [status(content)] }
        if budget > 2, let row = hint(content) { below.insert(row, at: 0) }
        if let editor = content.editor {
            let room = max(1, min(4, budget - below.count - 1))
            below =
                EditorRows(columns: columns, style: style, widths: widths).rows(
                    of: editor, room: room) + below
        }
        let room = budget - below.count
        guard room > 0 else { return below.suffix(budget) }
        return (content.table.map { table($0, room: room) } ?? seen(content, room: room)) + below
    }

    private var columns: Int { size.usableColumns }
    /// Nobody sees what does not fit into a row of a block.
    private var widths: CharacterWidths { size.widths.cautious }

    private func status(_ content: OperatorContent) -> String {
        let room = columns - widths.columns(of: SafeText.line(content.status)) - 4
        let detail = content.details.first {
            widths.columns(of: SafeText.line($0)) <= room
        }
        return StatusRow(left: content.status, right: detail ?? "")
            .text(columns: columns, style: style, size.widths)
    }

    private func hint(_ content: OperatorContent) -> String? {
        if !content.note.isEmpty { return style.bold(fitted(content.note)) }
        guard size.rows >= Self.rowsForHint, !content.hint.isEmpty else { return nil }
        return style.dim(fitted(content.hint))
    }

    private func fitted(_ text: String) -> String {
        widths.truncated(ComposedText.line(SafeText.line(text)), columns: columns)
    }

    private func table(_ rows: [String], room: Int) -> [String] {
        guard rows.count > room else { return rows.map(fitted) }
        guard room > 2 else { return rows.prefix(room).map(fitted) }
        let shown = room - 1
        return rows.prefix(shown).map(fitted) + [fitted("and \(rows.count - shown) more")]
    }

    // MARK: What readers see

    /// The newest rows; of a line that is corrected at least the first.
    private func seen(_ content: OperatorContent, room: Int) -> [String] {
        var rows = content.open.flatMap { self.open($0) }
        for line in content.lines.reversed() {
            if rows.count >= room { break }
            rows = self.rows(of: line, isChosen: line.at == content.editor?.correcting) + rows
        }
        return rows.suffix(room)
    }

    private var numberColumns: Int { columns >= Self.columnsForNumbers ? 6 : 0 }

    private func rows(of line: RecentLines.Line, isChosen: Bool) -> [String] {
        let mark = isChosen ? ">" : line.isCorrected ? "*" : " "
        let number = "\(line.seq)"
        let head = String(repeating: " ", count: max(0, 4 - number.count)) + number + mark
        let rows = indented(line.spokenText, head: head)
        return isChosen ? rows.map(style.bold) : rows
    }

    private func open(_ text: String) -> [String] {
        numberColumns > 0
            ? indented(text, head: "   … ").map(style.dim)
            : CaptionRows(columns: columns, style: style, widths: widths).open(SafeText.line(text))
    }

    private func indented(_ text: String, head: String) -> [String] {
        let text = SafeText.line(text)
        guard numberColumns > 0 else { return LineWrap.rows(text, columns: columns, widths) }
        let indent = max(numberColumns, widths.columns(of: head) + 1)
        let rows = LineWrap.rows(text, columns: columns - indent, widths)
        return rows.enumerated().map { index, row in
            widths.padded(index == 0 ? head : "", to: indent) + row
        }
    }
}
