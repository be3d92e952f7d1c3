public import BeamscribeCore

/// The captions of an event on a whole screen, for somebody who reads them as they come, scrolls
/// back, searches, and comes back to the newest.
///
/// The view only says what to write. It knows no clock: it is told the time.
///
/// Invariant: no row is wider than the screen; a word that is shown stays in its row and column of
/// its line while the words before it in that line stay the same.
public struct ReaderView: Sendable {
    /// What keys mean.
    enum Mode: Equatable, Sendable {
        case reading
        /// A search is typed.
        case typing(String)
        /// The help is shown from a row on.
        case help(Int)
        /// The event's logs are shown to choose from; this one is selected.
        case logs(Int)
    }

    /// Seconds for which a message is shown, unless a key is pressed.
    static let messageTime = 10.0

    /// How captions are shown now.
    public private(set) var settings: ReaderSettings
    private let ownStyle: TerminalStyle
    private let clock: @Sendable (Double) -> String
    private var size: TerminalSize
    private(set) var document: ReaderDocument
    private(set) var viewport = Viewport()
    private var painter = ScreenPainter()
    private var unread = UnreadCount()
    private(set) var mode = Mode.reading
    private var term: SearchTerm?
    /// The block of the match that was found last.
    private var match: Int?
    /// The block that the reader has marked.
    private var mark: Int?
    /// The first block that came after the reader had left, whether by scrolling or by looking
    /// somewhere else.
    private var left: Int?
    /// The block above which the lines end that the reader had, when he asked last.
    private var ruled: Int?
    /// Whether the terminal is not the one that is typed in.
    private var isElsewhere = false
    private(set) var now = 0.0
    private var message: (text: String, until: Double)?
    private var ending: ReaderEnding?
    private var statusLeft = ""
    private var statusRight: [String] = []

    /// A view that has nothing to show yet.
    ///
    /// - Parameters:
    ///   - style: what the terminal allows; the settings can ask for less.
    ///   - choice: which of the event's logs are shown until the reader chooses others.
    ///   - clock: a time of day in five columns, such as `14:05`, from seconds since 1970.
    public init(
        size: TerminalSize, style: TerminalStyle, settings: ReaderSettings = ReaderSettings(),
        showing choice: LogChoice = LogChoice(), clock: @escaping @Sendable (Double) -> String
    ) {
        (self.size, ownStyle, self.settings, self.clock) = (size, style, settings, clock)
        document = ReaderDocument(showing: choice)
    }

    // MARK: What comes

    /// The event is known, and which log is its main one, of whose machine.
    public mutating func join(_ session: String, on device: String = "") {
        document.join(session, on: device)
    }

    /// A log stands in a new way; nil for the main one.
    public mutating func note(_ standing: LogStanding, of log: LogTitle? = nil) {
        document.note(standing, of: log)
    }

    /// Adds a final caption, or puts a correction in its place. It is there whether or not the reader
    /// wants to see it now.
    ///
    /// - Parameters:
    ///   - log: the log that it is of; nil for the main one.
    ///   - isForeign: whether it is in none of the languages that the reader wants.
    public mutating func add(
        _ line: TranscriptLine, of log: LogTitle? = nil, isForeign: Bool = false
    ) {
        document.add(line, of: log, isForeign: isForeign)
        for index in document.takeInsertions() { inserted(at: index) }
    }

    /// A block has come between others: those that are known by their indexes are behind it, or not.
    private mutating func inserted(at index: Int) {
        viewport.inserted(at: index)
        unread.inserted(at: index, isShown: document.isShown(index))
        for place in [\ReaderView.match, \.mark] {
            if let block = self[keyPath: place], index <= block { self[keyPath: place] = block + 1 }
        }
        // What comes just there is new.
        for place in [\ReaderView.left, \.ruled] {
            if let block = self[keyPath: place], index < block { self[keyPath: place] = block + 1 }
        }
    }

    /// Shows an open line as it is now; one without text is withdrawn.
    public mutating func show(
        _ partial: PartialLine, of log: LogTitle? = nil, isForeign: Bool = false
    ) {
        document.set(partial, of: log, isForeign: isForeign, at: now)
    }

    /// Adds what the program has to say. Its rows begin with `***` where no caption can have it.
    public mutating func add(notice: String) { document.add(notice: notice, at: now) }

    /// Adds what the program has to say of a log, to who sees that; nil for the main one.
    public mutating func add(notice: String, of log: LogTitle?) {
        document.add(notice: notice, of: log, at: now)
    }

    /// Marks lines that the host has lost.
    public mutating func withdraw(
        from first: Int, through last: Int, of log: LogTitle? = nil
    ) {
        document.withdraw(from: first, through: last, of: log)
    }

    /// Lines of another session follow: they correct none of those that are here.
    public mutating func beginAnew() { document.beginAnew() }

    /// - Parameter now: seconds since 1970.
    public mutating func advance(to now: Double) {
        self.now = now
        document.pass(to: now)
        if let message, now >= message.until { self.message = nil }
    }

    /// Sets the last row. Where there is no room, `left` goes first, then `right` from its end.
    public mutating func setStatus(left: String, right: [String]) {
        (statusLeft, statusRight) = (left, right)
    }

    /// Shows something above the status for a while.
    private mutating func hint(_ text: String) {
        message = (SafeText.line(text), now + Self.messageTime)
    }

    /// Tells the reader what has become of something that he asked for, above the status. What is
    /// too long for that becomes a notice as well.
    public mutating func tell(_ text: String) {
        hint(text)
        if widths.columns(of: text) > size.usableColumns { add(notice: text) }
    }

    /// Nothing follows, and the reader goes when he likes.
    public mutating func end(_ ending: ReaderEnding) { self.ending = ending }

    /// Puts questions to the terminal with what is written next (``WidthInquiry``).
    public mutating func ask(_ questions: String) { painter.ask(questions) }

    /// The screen has another size now, or counts columns in another way. What is read stays on it.
    public mutating func resize(_ size: TerminalSize) {
        painter.damage()
        guard size != self.size else { return }
        rearrange { $0.size = size }
    }

    // MARK: What is there

    /// How many final lines are shown.
    public var lineCount: Int { document.lineCount }
    /// `1 of 2 logs`, where the reader has chosen fewer than there are; else nil.
    public var chosenLogs: String? { document.logs.summary }
    /// The final lines that are shown, one a row, with their corrections.
    public var transcript: String { document.transcript }
    /// Whether colours are possible at all.
    public var canUseColours: Bool { ownStyle.colour }

    private var widths: CharacterWidths { size.widths }

    private var style: TerminalStyle {
        TerminalStyle(colour: ownStyle.colour && settings.usesColours)
    }

    var layout: ReaderLayout { ReaderLayout(size, settings) }

    var typesetter: ReaderTypesetter {
        ReaderTypesetter(
            document: document, layout: layout, showsPartials: settings.showsPartials,
            logs: document.logs.shown, clock: clock, ruled: ruled)
    }

    // MARK: Changing how it looks

    /// Makes a change after which lines take other rows. What is at the top of the screen of a
    /// reader who has scrolled back stays there.
    private mutating func rearrange(_ change: (inout ReaderView) -> Void) {
        let words = viewport.top.map { typesetter.words(at: $0) }
        change(&self)
        viewport.forgetRows()
        guard let top = viewport.top, let words else { return }
        let row = typesetter.row(of: words, in: top.block)
        viewport.hold(at: RowPosition(block: top.block, row: row))
    }

    // MARK: Keys

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
            case .logs(let selected): browseLogs(key, at: selected)
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
        case "l": openLogs()
        case "t", "p", "c", "<", ">", "-", "+": return changeSettings(character)
        default: break
        }
        return nil
    }

    // MARK: Moving

    /// A screenful less the row that shows where one comes from.
    private var page: Int { max(1, captionHeight - 1) }

    private mutating func scroll(up rows: Int) {
        let typesetter = typesetter
        let top = viewport.first(in: typesetter, height: captionHeight)
        let above = typesetter.position(rows, above: top)
        guard above != top || !viewport.isFollowing else { return }
        leave()
        viewport.hold(at: above)
    }

    private mutating func scroll(down rows: Int) {
        guard let top = viewport.top else { return }
        let typesetter = typesetter
        let below = typesetter.position(rows, below: top)
        let left = typesetter.position(captionHeight, below: below)
        if left == typesetter.end { viewport.follow() } else { viewport.hold(at: below) }
    }

    /// Stops following and shows the screenful from `position` on.
    private mutating func jump(to position: RowPosition) {
        leave()
        viewport.hold(at: position)
        // Whether there is a row less for captions is settled only now.
        viewport.hold(at: position, in: typesetter, height: captionHeight)
    }

    // MARK: Leaving and coming back

    /// The reader does not see what comes from now on, if he did.
    private mutating func leave() {
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
        // What is gone has no row for it.
        let first = (left..<document.blocks.count).first { document.isShown($0) } ?? left
        rearrange { $0.ruled = first }
        jump(to: RowPosition(block: left, row: 0))
        // The same lines again, if he asks again.
        self.left = left
    }

    private func captions(from block: Int) -> Int {
        (min(block, document.blocks.count)..<document.blocks.count).count {
            !document.blocks[$0].isNotice && document.isShown($0)
        }
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

    // MARK: Searching

    /// Where to look from the last match.
    private enum SearchDirection {
        case older, newer
    }

    /// The longest text that can be looked for, in characters.
    private static let longestTerm = 200

    private mutating func type(_ key: Key, after text: String) {
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
    private mutating func find(_ direction: SearchDirection) {
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
        guard document.isShown(block), settings.showsPartials || !content.isOpen else {
            return false
        }
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
        hint(
            ReaderMessages.fitting(
                ReaderMessages.found(term.text), columns: size.usableColumns, widths))
    }

    private mutating func browseHelp(_ key: Key, from first: Int) {
        let last = max(
            0, ReaderHelp.rows(columns: size.usableColumns, widths).count - captionHeight)
        switch key {
        case .up, .character("k"): mode = .help(max(0, first - 1))
        case .down, .character("j"): mode = .help(min(last, first + 1))
        case .pageUp: mode = .help(max(0, first - captionHeight))
        case .pageDown, .character(" "): mode = .help(min(last, first + captionHeight))
        default: mode = .reading
        }
    }

    // MARK: Choosing logs

    private mutating func openLogs() {
        guard document.logs.count > 1 else {
            return hint("All captions of this event are in one log: there is nothing to choose.")
        }
        mode = .logs(0)
    }

    private mutating func browseLogs(_ key: Key, at selected: Int) {
        let last = document.logs.count - 1
        switch key {
        case .up, .character("k"): mode = .logs(max(0, selected - 1))
        case .down, .character("j"): mode = .logs(min(last, selected + 1))
        case .pageUp, .home: mode = .logs(0)
        case .pageDown, .end: mode = .logs(last)
        case .enter, .character(" "): choose { $0.toggle(selected) }
        case .character("a"): choose { $0.showAllCaptions() }
        case .escape, .character("l"), .character("q"): mode = .reading
        default: break
        }
    }

    /// Shows other logs at once: all of their lines are here.
    private mutating func choose(_ change: (inout ReaderLogs) -> Void) {
        rearrange { $0.document.choose(change) }
        unread.countAnew()
    }

    // MARK: Settings

    /// How many columns a key makes lines wider or narrower.
    private static let step = 4

    private mutating func changeSettings(_ key: Character) -> ReaderAction? {
        switch key {
        case "t": changeTimestamps()
        case "p": togglePartials()
        case "c": return toggleColours()
        case "<", "-": return narrow()
        default: return widen()
        }
        return .keep(settings)
    }

    private mutating func changeTimestamps() {
        let (next, words): (ReaderSettings.Timestamps, String) =
            switch settings.timestamps {
            case .off: (.clock, "of day")
            case .clock: (.elapsed, "since the first line")
            case .elapsed: (.off, "off")
            }
        rearrange { $0.settings.timestamps = next }
        hint("Times: \(words)")
    }

    private mutating func togglePartials() {
        rearrange { $0.settings.showsPartials.toggle() }
        hint("Unfinished lines: \(settings.showsPartials ? "shown" : "hidden")")
    }

    private mutating func toggleColours() -> ReaderAction? {
        guard canUseColours else {
            hint("Colours are off for this terminal (NO_COLOR or TERM).")
            return nil
        }
        settings.usesColours.toggle()
        hint("Colours: \(settings.usesColours ? "on" : "off")")
        return .keep(settings)
    }

    private mutating func narrow() -> ReaderAction? {
        let least = ReaderSettings.widths.lowerBound
        guard layout.columns > least else {
            hint("Narrower than \(least) columns is hard to read.")
            return nil
        }
        return setWidth(max(least, layout.columns - Self.step))
    }

    private mutating func widen() -> ReaderAction? {
        guard settings.width != nil else {
            hint("Lines have all of the terminal.")
            return nil
        }
        let wider = layout.columns + Self.step
        rearrange { $0.settings.width = nil }
        return setWidth(wider < layout.columns ? wider : nil)
    }

    private mutating func setWidth(_ width: Int?) -> ReaderAction? {
        rearrange { $0.settings.width = width }
        hint(width.map { "Width: \($0) columns" } ?? "Width: all of the terminal")
        return .keep(settings)
    }

    // MARK: Drawing

    /// Screens with fewer rows have none to spare for hints.
    private static let spaciousRows = 8

    /// A status that has fewer columns for the event and its host than that goes without.
    private static let leastLeft = 8

    /// All that is to be written now, in one piece; empty if the screen is up to date.
    public mutating func render() -> String {
        painter.update(frame().map(\.text), captions: captionHeight, size)
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
        let rows = CaptionRows(columns: size.usableColumns, style: style, widths: widths)
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
        var rows = captionRows(typesetter, height)
        if case .help(let first) = mode {
            let help = ReaderHelp.rows(columns: size.usableColumns, widths).dropFirst(first)
            rows = help.map { ReaderRow(text: $0) }
        }
        if case .logs(let selected) = mode { rows = withLogs(selected, above: rows, height) }
        rows = Array(rows.prefix(height))
        rows += Array(repeating: ReaderRow(), count: height - rows.count)
        let new = newLines(typesetter)
        if hasInformation { rows.append(informationRow(new)) }
        if hasStatus { rows.append(statusRow) }
        return rows
    }

    /// With fewer rows of captions below the list there are none.
    private static let leastBelowLogs = 4

    /// The list of logs, with the newest rows of captions below it where there is room.
    private func withLogs(
        _ selected: Int, above captions: [ReaderRow], _ height: Int
    ) -> [ReaderRow] {
        let list = LogList(
            logs: document.logs, selected: selected, columns: size.usableColumns, style: style,
            widths: widths)
        let rows = list.rows(height: height).map { ReaderRow(text: $0) }
        let room = height - rows.count - 1
        guard room >= Self.leastBelowLogs else { return rows }
        let rule = widths.rule(size.usableColumns)
        return rows + [ReaderRow(text: style.dim(rule))] + captions.suffix(room)
    }

    // MARK: How the screen is shared out

    /// The rows for captions; at least 1.
    var captionHeight: Int {
        max(1, size.rows - (hasInformation ? 1 : 0) - (hasStatus ? 1 : 0))
    }

    private var needsInformation: Bool {
        !viewport.isFollowing || mode != .reading || message != nil || ending != nil
            || document.logs.isNothingShown
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
            block = typesetter.block(after: block)
        }
        viewport.wasShown(shown)
        return rows
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
        if case .typing(let text) = mode { return prompt(text, columns: columns) }
        return ReaderMessages.fitting(wordings(new), columns: columns, widths)
    }

    private func wordings(_ new: Int) -> [String] {
        if case .help(let first) = mode {
            let count = ReaderHelp.rows(columns: size.usableColumns, widths).count
            return ReaderMessages.inHelp(hasMore: count > first + captionHeight)
        }
        if case .logs = mode { return ReaderMessages.inLogs }
        if let message { return [message.text] }
        if let ending { return ReaderMessages.over(ending) }
        if document.logs.isNothingShown { return ReaderMessages.noLog }
        guard viewport.isFollowing else { return ReaderMessages.newLines(new) }
        return document.logs.count > 1 ? ReaderMessages.helpWithLogs : ReaderMessages.help
    }

    /// What is typed, its end at least, with a sign for the cursor.
    private func prompt(_ text: String, columns: Int) -> String {
        var shown = Substring(ComposedText.line(text))
        while widths.columns(of: shown) > max(0, columns - 2) { shown = shown.dropFirst() }
        return widths.truncated("/" + shown + "_", columns: columns)
    }

    private var statusRow: ReaderRow {
        let columns = size.usableColumns
        let room = style.colour || columns <= 2 ? columns : columns - 2
        var parts = statusRight
        while parts.count > 1,
            widths.columns(of: parts.joined(separator: " · ")) > room
        {
            parts.removeLast()
        }
        let right = parts.joined(separator: " · ")
        // A letter or two of a name say nothing.
        let hasRoom = room - widths.columns(of: right) > Self.leastLeft
        let row = hasRoom ? StatusRow(left: statusLeft, right: right) : StatusRow(left: right)
        return ReaderRow(text: row.text(columns: columns, style: style, widths))
    }

    // MARK: The end

    /// The last blocks that fit into `room` rows, one at least. What is still open was never said
    /// for good, and is left out.
    private func lastCaptions(_ rows: CaptionRows, room: Int) -> [String] {
        var kept: [[String]] = []
        var count = 0
        for block in document.blocks.indices.reversed()
        where !document.blocks[block].isOpen && document.isShown(block) {
            let blockRows = lastRows(of: block, rows)
            guard count + blockRows.count <= room || kept.isEmpty else { break }
            kept.append(blockRows)
            count += blockRows.count
        }
        return kept.reversed().flatMap(\.self)
    }

    private func lastRows(of block: Int, _ rows: CaptionRows) -> [String] {
        let content = document.blocks[block]
        if content.isNotice { return rows.notice(content.text) }
        let text = ReaderText(
            content, speakers: document.speakers, settledEnd: nil, time: typesetter.time(of: block))
        return rows.final(text.text)
    }
}
