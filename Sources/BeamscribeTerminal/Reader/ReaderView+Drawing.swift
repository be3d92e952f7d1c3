import BeamscribeCore

extension ReaderView {
    /// Screens with fewer rows have none to spare for hints.
    private static let spaciousRows = 8

    /// A status that has fewer columns for the event and its host than that goes without.
    private static let leastLeft = 8

    /// All that is to be written now, in one piece; empty if the screen is up to date.
    public mutating func render() -> String {
        painter.update(frame().map(\.text), columns: size.columns)
    }

    /// What to write before somebody else gets the terminal: the usual screen is back as it was.
    /// The next ``render()`` takes it again.
    public mutating func suspend() -> String {
        leave()
        return painter.leave()
    }

    /// Somebody else has had the terminal, whatever state it is in now.
    public mutating func takeBack() {
        painter.forget()
    }

    /// What to write at the end: the usual screen, with the last captions on it and `farewell` as
    /// a notice below them. Empty if nothing was ever drawn.
    public mutating func finish(farewell: String?) -> String {
        let rows = CaptionRows(columns: size.usableColumns, style: style)
        let last = farewell.map { rows.notice(SafeText.line($0)) } ?? []
        let wasActive = painter.isActive
        let text = painter.leave()
        guard wasActive, !document.blocks.isEmpty || farewell != nil else { return text }
        let kept = lastCaptions(rows, room: size.rows - 1 - last.count) + last
        return text + kept.map { $0 + Control.newRow }.joined()
    }

    /// The rows of the screen, one for each that it has.
    mutating func frame() -> [ReaderRow] {
        let typesetter = typesetter
        let height = captionHeight
        let captions = captionRows(typesetter, height)
        let body =
            if case .help(let first) = mode {
                helpRows(from: first)
            } else {
                captions
            }
        var rows = Array(body.prefix(height))
        rows += Array(repeating: ReaderRow(), count: height - rows.count)
        let new = newLines(typesetter)
        if hasInformation { rows.append(informationRow(new)) }
        if hasStatus { rows.append(statusRow) }
        return rows
    }

    // MARK: How the screen is shared out

    /// The rows for captions; at least 1.
    var captionHeight: Int {
        max(1, size.rows - (hasInformation ? 1 : 0) - (hasStatus ? 1 : 0))
    }

    private var needsInformation: Bool {
        !viewport.isFollowing || mode != .reading || message != nil
    }

    /// On a large screen the row is always there, so that nothing moves when it has something to
    /// say.
    private var hasInformation: Bool {
        size.rows >= Self.spaciousRows || (size.rows >= 2 && needsInformation)
    }

    private var hasStatus: Bool {
        size.rows >= 3 || (size.rows == 2 && !hasInformation)
    }

    // MARK: Rows

    private mutating func captionRows(
        _ typesetter: ReaderTypesetter, _ height: Int
    ) -> [ReaderRow] {
        let first = viewport.first(in: typesetter, height: height)
        let painter = RowPainter(
            typesetter: typesetter, style: style, term: term, match: match, mark: mark)
        var rows: [ReaderRow] = []
        var shown: [(block: Int, y: Int)] = []
        var block = first.block
        while rows.count < height, block < typesetter.blockCount {
            let blockRows = painter.rows(of: block)
            let hidden = block == first.block ? first.row : 0
            if !blockRows.isEmpty { shown.append((block, rows.count - hidden)) }
            rows += blockRows.dropFirst(hidden)
            block += 1
        }
        viewport.wasShown(shown)
        return rows
    }

    private func helpRows(from first: Int) -> [ReaderRow] {
        ReaderHelp.rows(columns: size.usableColumns).dropFirst(first).map { ReaderRow(text: $0) }
    }

    /// How many captions have come that were never on the screen.
    private mutating func newLines(_ typesetter: ReaderTypesetter) -> Int {
        let shown = viewport.lastBlock.map { $0 + 1 } ?? 0
        let seen = viewport.isFollowing ? typesetter.blockCount : shown
        return unread.update(typesetter, seen: seen)
    }

    private func informationRow(_ new: Int) -> ReaderRow {
        let text = information(new)
        return ReaderRow(text: viewport.isFollowing ? style.dim(text) : style.bold(text))
    }

    private func information(_ new: Int) -> String {
        let columns = size.usableColumns
        switch mode {
        case .typing(let text): return Self.prompt(text, columns: columns)
        case .help(let first):
            let count = ReaderHelp.rows(columns: columns).count
            return ReaderMessages.inHelp(
                hasMore: count > first + captionHeight, columns: columns)
        case .reading: break
        }
        if let message { return DisplayWidth.truncated(message.text, columns: columns) }
        if isOver { return ReaderMessages.over(columns: columns) }
        if viewport.isFollowing { return ReaderMessages.help(columns: columns) }
        return ReaderMessages.newLines(new, columns: columns)
    }

    /// What is typed, its end at least, with a sign for the cursor.
    private static func prompt(_ text: String, columns: Int) -> String {
        var shown = Substring(text)
        while DisplayWidth.columns(of: shown) > max(0, columns - 2) { shown = shown.dropFirst() }
        return DisplayWidth.truncated("/" + shown + "_", columns: columns)
    }

    private var statusRow: ReaderRow {
        let columns = size.usableColumns
        let room = style.colour || columns <= 2 ? columns : columns - 2
        var parts = statusRight
        while parts.count > 1,
            DisplayWidth.columns(of: parts.joined(separator: " · ")) > room
        {
            parts.removeLast()
        }
        let right = parts.joined(separator: " · ")
        // A letter or two of a name say nothing.
        let hasRoom = room - DisplayWidth.columns(of: right) > Self.leastLeft
        let row = hasRoom ? StatusRow(left: statusLeft, right: right) : StatusRow(left: right)
        return ReaderRow(text: row.text(columns: columns, style: style))
    }

    // MARK: The end

    /// The last blocks that fit into `room` rows, one at least. What is still open was never said
    /// for good, and is left out.
    private func lastCaptions(_ rows: CaptionRows, room: Int) -> [String] {
        var kept: [[String]] = []
        var count = 0
        for block in document.blocks.indices.reversed() where !document.blocks[block].isOpen {
            let blockRows = lastRows(of: block, rows)
            guard count + blockRows.count <= room || kept.isEmpty else { break }
            kept.append(blockRows)
            count += blockRows.count
        }
        return kept.reversed().flatMap(\.self)
    }

    private func lastRows(of block: Int, _ rows: CaptionRows) -> [String] {
        let content = document.blocks[block]
        if content.isGone { return [] }
        if content.isNotice { return rows.notice(content.text) }
        let text = ReaderText(
            content, speakers: document.speakers, settledEnd: nil, time: typesetter.time(of: block))
        return rows.final(text.text)
    }
}
