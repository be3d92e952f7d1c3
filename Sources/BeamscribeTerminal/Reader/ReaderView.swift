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
    }

    /// Seconds for which a message is shown, unless a key is pressed.
    static let messageTime = 10.0

    /// How captions are shown now.
    public internal(set) var settings: ReaderSettings
    private let ownStyle: TerminalStyle
    private let clock: @Sendable (Double) -> String
    var size: TerminalSize
    var document = ReaderDocument()
    var viewport = Viewport()
    var painter = ScreenPainter()
    var unread = UnreadCount()
    var mode = Mode.reading
    var term: SearchTerm?
    /// The block of the match that was found last.
    var match: Int?
    /// The block that the reader has marked.
    var mark: Int?
    /// The first block that came after the reader had left, whether by scrolling or by looking
    /// somewhere else.
    var left: Int?
    /// Whether the terminal is not the one that is typed in.
    var isElsewhere = false
    private(set) var now = 0.0
    var message: (text: String, until: Double)?
    private(set) var isOver = false
    private(set) var statusLeft = ""
    private(set) var statusRight: [String] = []

    /// A view that has nothing to show yet.
    ///
    /// - Parameters:
    ///   - style: what the terminal allows; the settings can ask for less.
    ///   - clock: a time of day in five columns, such as `14:05`, from seconds since 1970.
    public init(
        size: TerminalSize, style: TerminalStyle, settings: ReaderSettings = ReaderSettings(),
        clock: @escaping @Sendable (Double) -> String
    ) {
        (self.size, ownStyle, self.settings, self.clock) = (size, style, settings, clock)
    }

    // MARK: What comes

    /// Adds a final caption, or puts a correction in its place.
    public mutating func add(_ line: TranscriptLine) { document.add(line) }

    /// Shows an open line as it is now; one without text is withdrawn.
    public mutating func show(_ partial: PartialLine) { document.set(partial, at: now) }

    /// Adds what the program has to say. Its rows begin with `***` where no caption can have it.
    public mutating func add(notice: String) { document.add(notice: notice, at: now) }

    /// Marks lines that the host has lost.
    public mutating func withdraw(from first: Int, through last: Int) {
        document.withdraw(from: first, through: last)
    }

    /// Time passes.
    ///
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
    mutating func hint(_ text: String) {
        message = (SafeText.line(text), now + Self.messageTime)
    }

    /// Tells the reader what has become of something that he asked for, above the status. What is
    /// too long for that becomes a notice as well.
    public mutating func tell(_ text: String) {
        hint(text)
        if DisplayWidth.columns(of: text) > size.usableColumns { add(notice: text) }
    }

    /// The event is over, and a reader who is not at its end stays where he is.
    public mutating func end() { isOver = true }

    /// The screen has another size now. What is read stays on it.
    public mutating func resize(_ size: TerminalSize) {
        painter.damage()
        guard size != self.size else { return }
        rearrange { $0.size = size }
    }

    // MARK: What is there

    /// Whether the newest line is shown as it comes, and nothing is open over it.
    public var isFollowing: Bool { viewport.isFollowing && mode == .reading }
    /// How many final lines there are.
    public var lineCount: Int { document.lineCount }
    /// The final lines, one a row, with their corrections.
    public var transcript: String { document.transcript }
    /// Whether colours are possible at all.
    public var canUseColours: Bool { ownStyle.colour }

    var style: TerminalStyle {
        TerminalStyle(colour: ownStyle.colour && settings.usesColours)
    }

    var layout: ReaderLayout { ReaderLayout(size, settings) }

    var typesetter: ReaderTypesetter {
        ReaderTypesetter(
            document: document, layout: layout, showsPartials: settings.showsPartials, clock: clock)
    }

    // MARK: Changing how it looks

    /// Makes a change after which lines take other rows. What is at the top of the screen of a
    /// reader who has scrolled back stays there.
    mutating func rearrange(_ change: (inout ReaderView) -> Void) {
        let words = viewport.top.map { typesetter.words(at: $0) }
        change(&self)
        viewport.forgetRows()
        guard let top = viewport.top, let words else { return }
        let row = typesetter.row(of: words, in: top.block)
        viewport.hold(at: RowPosition(block: top.block, row: row))
    }
}
