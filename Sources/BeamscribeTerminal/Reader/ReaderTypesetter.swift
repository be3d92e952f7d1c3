internal import BeamscribeCore

/// Breaks blocks into rows.
struct ReaderTypesetter {
    let document: ReaderDocument
    let layout: ReaderLayout
    let showsPartials: Bool
    /// A time of day, from seconds since 1970.
    let clock: @Sendable (Double) -> String

    /// A block's text, and its rows as ranges of it.
    struct Caption {
        var text: ReaderText
        /// What `text` says, or that with `?` for characters that are wider than a row.
        var shown: String
        var rows: [Range<String.Index>]
        /// Whether `shown` is the text itself, so that offsets in one are offsets in the other.
        var isExact = true
    }

    /// How many rows a block takes; 0 if it is not shown.
    func rowCount(of block: Int) -> Int {
        guard isShown(block) else { return 0 }
        if document.blocks[block].isNotice { return noticeRows(of: block).count }
        return caption(block).rows.count
    }

    func isShown(_ block: Int) -> Bool {
        let block = document.blocks[block]
        return !block.isGone && (showsPartials || !block.isOpen)
    }

    func caption(_ block: Int) -> Caption {
        let time = layout.timeColumns == 0 ? time(of: block) : nil
        let text = ReaderText(
            document.blocks[block], speakers: document.speakers,
            settledEnd: document.settledEnd(of: block), time: time)
        if let rows = LineWrap.ranges(text.text, columns: layout.columns) {
            return Caption(text: text, shown: text.text, rows: rows)
        }
        let shown = LineWrap.replacingTooWide(text.text, columns: layout.columns)
        let rows = LineWrap.ranges(shown, columns: layout.columns) ?? []
        return Caption(text: text, shown: shown, rows: rows, isExact: false)
    }

    func noticeRows(of block: Int) -> [String] {
        CaptionRows(columns: layout.allColumns, style: TerminalStyle(colour: false))
            .notice(document.blocks[block].text)
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
}

extension ReaderTypesetter: RowCounting {
    var blockCount: Int { document.blocks.count }
}
