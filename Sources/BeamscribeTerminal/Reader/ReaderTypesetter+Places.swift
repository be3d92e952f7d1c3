extension ReaderTypesetter {
    /// The first of a caption's own words in a row, as an offset in their UTF-8.
    func words(at position: RowPosition) -> Int {
        guard position.row > 0, let caption = exactCaption(position.block),
            position.row < caption.rows.count
        else { return 0 }
        let start = caption.rows[position.row].lowerBound
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
        return row ?? 0
    }

    private func exactCaption(_ block: Int) -> Caption? {
        guard block < blockCount, !document.blocks[block].isNotice else { return nil }
        let caption = caption(block)
        return caption.isExact ? caption : nil
    }
}
