internal import BeamscribeCore

/// A row by its block, and by its place in it.
struct RowPosition: Equatable, Sendable {
    var block: Int
    var row: Int
}

/// Breaks blocks into rows. These are counted only where somebody walks, so that the length of all of
/// it costs nothing.
struct ReaderTypesetter {
    let document: ReaderDocument
    let layout: ReaderLayout
    let showsPartials: Bool
    /// The logs of which there may be something to be seen.
    let logs: LogSet
    /// A time of day, from seconds since 1970.
    let clock: @Sendable (Double) -> String
    /// The block above which a rule is drawn: the rule is the first of its rows.
    var ruled: Int?

    /// A block's text, and its rows as ranges of it.
    struct Caption {
        var text: ReaderText
        /// What `text` says, or that with `?` for characters that are wider than a row.
        var shown: String
        var rows: [Range<String.Index>]
        /// Whether `shown` is the text itself, so that offsets in one are offsets in the other.
        var isExact: Bool { shown == text.text }
    }

    var blockCount: Int { document.blocks.count }

    /// How many rows a block takes; 0 if it is not shown.
    func rowCount(of block: Int) -> Int {
        guard isShown(block) else { return 0 }
        let isNotice = document.blocks[block].isNotice
        return rulesAbove(block)
            + (isNotice ? noticeRows(of: block).count : caption(block).rows.count)
    }

    func rulesAbove(_ block: Int) -> Int { block == ruled ? 1 : 0 }

    func isShown(_ block: Int) -> Bool {
        document.isShown(block) && (showsPartials || !document.blocks[block].isOpen)
    }

    func caption(_ block: Int) -> Caption {
        let time = layout.timeColumns == 0 ? time(of: block) : nil
        let text = ReaderText(
            document.blocks[block], speakers: document.speakers,
            settledEnd: document.settledEnd(of: block), time: time)
        let (shown, rows) = LineWrap.ranges(
            text.text, columns: layout.columns, layout.widths)
        return Caption(text: text, shown: shown, rows: rows)
    }

    func noticeRows(of block: Int) -> [String] {
        CaptionRows(
            columns: layout.allColumns, style: TerminalStyle(colour: false), widths: layout.widths
        ).notice(document.blocks[block].text)
    }

    /// `14:05`, or `12:34` and `1:02:34` since the first line; nil for none.
    func time(of block: Int) -> String? {
        let time = document.blocks[block].time
        switch layout.timestamps {
        case .off: return nil
        case .clock: return clock(time)
        case .elapsed: return Self.elapsed(time - (document.blocks.first?.time ?? time))
        }
    }

    private static func elapsed(_ time: Double) -> String {
        let seconds = Int(saturating: max(0, min(time, 359_999)))
        let minutes = twoDigits(seconds / 60 % 60) + ":" + twoDigits(seconds % 60)
        return seconds < 3_600 ? minutes : "\(seconds / 3_600):" + minutes
    }

    private static func twoDigits(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }

    // MARK: Walking

    /// Behind the last row.
    var end: RowPosition { RowPosition(block: blockCount, row: 0) }

    /// The row `rows` rows above `position`, or the first row if there are fewer.
    func position(_ rows: Int, above position: RowPosition) -> RowPosition {
        var position = position
        var left = rows
        while left > position.row {
            guard let previous = firstShown(above: position.block) else {
                return RowPosition(block: position.block, row: 0)
            }
            left -= position.row
            position = RowPosition(block: previous, row: rowCount(of: previous))
        }
        position.row -= max(0, left)
        return position
    }

    /// The row `rows` rows below `position`, or ``end`` if there are fewer.
    func position(_ rows: Int, below position: RowPosition) -> RowPosition {
        var position = position
        position.row += max(0, rows)
        while position.block < blockCount {
            let count = rowCount(of: position.block)
            if position.row < count { return position }
            position = RowPosition(block: block(after: position.block), row: position.row - count)
        }
        return end
    }

    /// How many rows there are from the first row of `block` on; `limit` if there are more.
    func rows(from block: Int, limit: Int) -> Int {
        var rows = 0
        var block = block
        while block < blockCount, rows < limit {
            rows += rowCount(of: block)
            block = self.block(after: block)
        }
        return min(rows, limit)
    }

    /// The next block that may be shown.
    func block(after block: Int) -> Int { document.blocks.index(after: block, in: logs) }

    private func firstShown(above block: Int) -> Int? {
        var block = document.blocks.index(before: min(block, blockCount), in: logs)
        while block >= 0, rowCount(of: block) == 0 {
            block = document.blocks.index(before: block, in: logs)
        }
        return block >= 0 ? block : nil
    }

    // MARK: Places in a caption

    /// The first of a caption's own words in a row, as an offset in their UTF-8.
    func words(at position: RowPosition) -> Int {
        let row = position.row - rulesAbove(position.block)
        guard row > 0, let caption = exactCaption(position.block), row < caption.rows.count
        else { return 0 }
        let start = caption.rows[row].lowerBound
        let offset = caption.shown.utf8.distance(from: caption.shown.startIndex, to: start)
        return max(0, offset - caption.text.wordsStart)
    }

    /// The row of a block in which the words at an offset are.
    func row(of words: Int, in block: Int) -> Int {
        guard words > 0, let caption = exactCaption(block) else { return 0 }
        let offset = words + caption.text.wordsStart
        let row = caption.rows.lastIndex { row in
            caption.shown.utf8.distance(from: caption.shown.startIndex, to: row.lowerBound)
                <= offset
        }
        return (row ?? 0) + rulesAbove(block)
    }

    private func exactCaption(_ block: Int) -> Caption? {
        guard block < blockCount, !document.blocks[block].isNotice else { return nil }
        let caption = caption(block)
        return caption.isExact ? caption : nil
    }
}
