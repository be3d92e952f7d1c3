import BeamscribeCore

struct ReaderRow: Equatable, Sendable {
    /// What is written, attributes included.
    var text = ""
    /// The block that it is of; nil for a row of the program's own, such as the status.
    var block: Int?
    /// Which row of the block it is.
    var row = 0
}

/// Turns a block into what is written for its rows.
struct RowPainter {
    let typesetter: ReaderTypesetter
    let style: TerminalStyle
    let term: SearchTerm?
    /// The block that was found last.
    let match: Int?
    /// The block that the reader has marked.
    let mark: Int?

    private var layout: ReaderLayout { typesetter.layout }

    /// None for a block that is not shown.
    func rows(of block: Int) -> [ReaderRow] {
        guard typesetter.isShown(block) else { return [] }
        let rule = layout.widths.rule(layout.allColumns)
        let above = Array(repeating: style.dim(rule), count: typesetter.rulesAbove(block))
        return (above.map { ReaderRow(text: $0) } + ownRows(of: block)).enumerated().map {
            ReaderRow(text: $1.text, block: block, row: $0)
        }
    }

    private func ownRows(of block: Int) -> [ReaderRow] {
        if typesetter.document.blocks[block].isNotice { return noticeRows(block) }
        let caption = typesetter.caption(block)
        let plain = caption.rows.map { String(caption.shown[$0]) }
        let closed = DirectionalRows.closed(plain)
        // Where a direction had to be ended and begun again, parts cannot be told by offsets.
        let isWhole = !caption.isExact || closed != plain
        let time = layout.timeColumns > 0 ? typesetter.time(of: block) : nil
        let matches = isWhole ? [] : term?.ranges(in: caption.shown) ?? []
        let settled = caption.text.settledEnd
        return caption.rows.indices.map { index in
            let row = Self.offsets(of: caption.rows[index], in: caption.shown)
            let isOpen = settled.map { row.upperBound > $0 } ?? false
            let before = beginning(
                block, index, time: time, isOpen: isOpen,
                isFound: matches.contains { $0.overlaps(row) })
            let text =
                isWhole
                ? (isOpen ? style.dim(closed[index]) : closed[index])
                : painted(row, of: caption, matches)
            return ReaderRow(text: before + text, block: block, row: index)
        }
    }

    private func noticeRows(_ block: Int) -> [ReaderRow] {
        typesetter.noticeRows(of: block).enumerated().map { index, row in
            ReaderRow(text: style.bold(row), block: block, row: index)
        }
    }

    // MARK: What stands before a row

    private func beginning(
        _ block: Int, _ row: Int, time: String?, isOpen: Bool, isFound: Bool
    ) -> String {
        let sign = sign(block, row, isOpen: isOpen, isFound: isFound)
        let gutter = layout.gutter == 0 ? "" : sign + (layout.gutter == 2 ? " " : "")
        let times = timeColumn(row == 0 ? time ?? "" : "")
        return gutter + (times.isEmpty ? "" : style.dim(times))
    }

    private func sign(_ block: Int, _ row: Int, isOpen: Bool, isFound: Bool) -> String {
        if row == 0, block == mark { return ">" }
        if isFound { return block == match ? "/" : "·" }
        return isOpen && !style.colour ? "…" : " "
    }

    private func timeColumn(_ time: String) -> String {
        guard layout.timeColumns > 0 else { return "" }
        let gap = layout.timeColumns - 1 - time.count
        return String(repeating: " ", count: max(0, gap)) + time + " "
    }

    // MARK: The words

    private static func offsets(of row: Range<String.Index>, in text: String) -> Range<Int> {
        let start = text.utf8.distance(from: text.startIndex, to: row.lowerBound)
        return start..<start + text.utf8.distance(from: row.lowerBound, to: row.upperBound)
    }

    private func painted(
        _ row: Range<Int>, of caption: ReaderTypesetter.Caption, _ matches: [Range<Int>]
    ) -> String {
        let bytes = caption.shown.utf8
        var text = ""
        var start = row.lowerBound
        while start < row.upperBound {
            let part = caption.text.parts.first { $0.end > start }
            var end = min(part?.end ?? row.upperBound, row.upperBound)
            let match = matches.first { $0.upperBound > start }
            let isMatch = match.map { $0.lowerBound <= start } ?? false
            if let match { end = min(end, isMatch ? match.upperBound : match.lowerBound) }
            let from = bytes.index(bytes.startIndex, offsetBy: start)
            let piece = String(caption.shown[from..<bytes.index(from, offsetBy: end - start)])
            text += isMatch ? style.reverse(piece) : styled(piece, part?.role ?? .words)
            start = end
        }
        return text
    }

    private func styled(_ piece: String, _ role: ReaderText.Role) -> String {
        switch role {
        case .words: piece
        case .name(let number): style.name(piece, speaker: number)
        case .time, .unsettled, .remark: style.dim(piece)
        }
    }
}
