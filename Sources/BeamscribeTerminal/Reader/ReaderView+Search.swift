extension ReaderView {
    /// Where to look from the last match.
    enum SearchDirection {
        case older, newer
    }

    /// The longest text that can be looked for, in characters.
    private static let longestTerm = 200

    mutating func type(_ key: Key, after text: String) {
        switch key {
        case .enter: search(for: text)
        case .escape: mode = .reading
        case .backspace: mode = text.isEmpty ? .reading : .typing(String(text.dropLast()))
        case .character(let character) where text.count < Self.longestTerm:
            mode = .typing(text + String(character))
        default: break
        }
    }

    /// Nothing typed means the same words again.
    private mutating func search(for text: String) {
        mode = .reading
        if let new = SearchTerm(text) { (term, match) = (new, nil) }
        find(.older)
    }

    /// Shows the next match: the first time the newest that is not below the screen.
    mutating func find(_ direction: SearchDirection) {
        guard let term else { return hint("Nothing to look for yet; / asks for words.") }
        let from = match ?? (viewport.lastBlock.map { $0 + 1 } ?? 0)
        let count = document.blocks.count
        let found =
            switch direction {
            case .older: (0..<min(from, count)).last { isMatch($0, term) }
            case .newer: (min(from + 1, count)..<count).first { isMatch($0, term) }
            }
        guard let found else {
            let which = match == nil ? "" : direction == .older ? "older " : "newer "
            return hint(ReaderMessages.notFound(term.text, direction: which))
        }
        match = found
        show(found, term)
    }

    private func isMatch(_ block: Int, _ term: SearchTerm) -> Bool {
        let content = document.blocks[block]
        guard !content.isGone, settings.showsPartials || !content.isOpen else { return false }
        return term.isIn(content.text)
            || content.speaker.map { term.isIn(document.speakers[$0]) } ?? false
    }

    /// A third of the screen above the match shows what it follows.
    private mutating func show(_ block: Int, _ term: SearchTerm) {
        leave()
        viewport.hold(at: RowPosition(block: block, row: 0))
        let offset = term.ranges(in: document.blocks[block].text).first?.lowerBound ?? 0
        let row = typesetter.row(of: offset, in: block)
        let place = RowPosition(block: block, row: row)
        jump(to: typesetter.position(captionHeight / 3, above: place))
        hint(ReaderMessages.found(term.text, columns: size.usableColumns))
    }

    mutating func browseHelp(_ key: Key, from first: Int) {
        let last = max(0, ReaderHelp.rows(columns: size.usableColumns).count - captionHeight)
        switch key {
        case .up, .character("k"): mode = .help(max(0, first - 1))
        case .down, .character("j"): mode = .help(min(last, first + 1))
        case .pageUp: mode = .help(max(0, first - captionHeight))
        case .pageDown, .character(" "): mode = .help(min(last, first + captionHeight))
        default: mode = .reading
        }
    }
}
