extension ReaderView {
    /// What a key does.
    ///
    /// - Returns: what it asks of the program; nil if it was for the view alone, or for nobody.
    public mutating func handle(_ key: Key) -> ReaderAction? {
        switch key {
        case .interrupt: return .leave
        case .control("z"): return .suspend
        case .focusLost: focusLost()
        case .focusGained: focusGained()
        default:
            message = nil
            switch mode {
            case .reading: return read(key)
            case .typing(let text): type(key, after: text)
            case .help(let first): browseHelp(key, from: first)
            }
        }
        return nil
    }

    private mutating func read(_ key: Key) -> ReaderAction? {
        switch key {
        case .up: scroll(up: 1)
        case .down: scroll(down: 1)
        case .pageUp: scroll(up: page)
        case .pageDown: scroll(down: page)
        case .home: jump(to: RowPosition(block: 0, row: 0))
        case .end: viewport.follow()
        case .escape: (term, match) = (nil, nil)
        case .control("l"): painter.damage()
        case .character(let character): return read(character)
        default: break
        }
        return nil
    }

    private mutating func read(_ character: Character) -> ReaderAction? {
        switch character {
        case "q": return .leave
        case "s": return .save
        case "k": scroll(up: 1)
        case "j": scroll(down: 1)
        case "G", " ": viewport.follow()
        case "/": mode = .typing("")
        case "n": find(.older)
        case "N": find(.newer)
        case "m": markPlace()
        case "'": jumpToMark()
        case "w": showMissed()
        case "?": mode = .help(0)
        case "t", "p", "c", "<", ">", "-", "+": return changeSettings(character)
        default: break
        }
        return nil
    }

    // MARK: Moving

    /// A screenful less the row that shows where one comes from.
    private var page: Int { max(1, captionHeight - 1) }

    mutating func scroll(up rows: Int) {
        let typesetter = typesetter
        let top = viewport.first(in: typesetter, height: captionHeight)
        let above = typesetter.position(rows, above: top)
        guard above != top || !viewport.isFollowing else { return }
        leave()
        viewport.hold(at: above)
    }

    mutating func scroll(down rows: Int) {
        guard let top = viewport.top else { return }
        let typesetter = typesetter
        let below = typesetter.position(rows, below: top)
        let left = typesetter.position(captionHeight, below: below)
        if left == typesetter.end { viewport.follow() } else { viewport.hold(at: below) }
    }

    /// Stops following and shows the screenful from `position` on.
    mutating func jump(to position: RowPosition) {
        leave()
        viewport.hold(at: position)
        // Whether there is a row less for captions is settled only now.
        viewport.hold(at: position, in: typesetter, height: captionHeight)
    }

    // MARK: Leaving and coming back

    /// The reader does not see what comes from now on, if he did.
    mutating func leave() {
        if viewport.isFollowing, !isElsewhere { left = document.blocks.count }
    }

    private mutating func focusLost() {
        leave()
        isElsewhere = true
    }

    private mutating func focusGained() {
        isElsewhere = false
        guard viewport.isFollowing, let left, viewport.firstBlock ?? 0 > left else { return }
        let count = captions(from: left)
        // On a small screen the row for it would push a row of captions away.
        if count > 0, size.rows >= 8 { hint(ReaderMessages.awayLines(count)) }
    }

    private mutating func showMissed() {
        guard let left else { return hint("You have not been away.") }
        guard captions(from: left) > 0 else { return hint("Nothing has come since you left.") }
        jump(to: RowPosition(block: left, row: 0))
        // The same lines again, if he asks again.
        self.left = left
    }

    private func captions(from block: Int) -> Int {
        document.blocks.dropFirst(block).count { !$0.isNotice && !$0.isGone }
    }

    // MARK: The mark

    /// The line at the top for who has scrolled back, or else the newest.
    private mutating func markPlace() {
        guard let place = viewport.isFollowing ? viewport.lastBlock : viewport.firstBlock else {
            return hint("There is no line to mark yet.")
        }
        mark = mark == place ? nil : place
        hint(mark == nil ? "The mark is gone." : "Marked with > · ' comes back here")
    }

    private mutating func jumpToMark() {
        guard let mark, mark < document.blocks.count else {
            return hint("Nothing is marked; m marks a place.")
        }
        jump(to: RowPosition(block: mark, row: 0))
    }
}
