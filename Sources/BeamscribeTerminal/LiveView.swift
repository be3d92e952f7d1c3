import BeamscribeCore

/// Captions as they come: finals scroll away into the terminal's own scrollback, and below them a
/// footer shows the lines that are still open and the state of things.
///
/// The view only says what to write. It begins at the start of a row and uses the normal screen,
/// so that captions stay there, to be scrolled, searched and copied, after the program has ended.
///
/// Invariant: what was rendered so far is each added line once, in order, and then one footer; of
/// the footer at most a third of the screen, but always one row, is open lines.
public struct LiveView: Sendable {
    private enum Entry {
        case line(String)
        case notice(String)
    }

    private struct OpenLine {
        let id: String
        var text: String
    }

    private let style: TerminalStyle
    private var size: TerminalSize
    private var block = Block()
    private var waiting: [Entry] = []
    private var openLines: [OpenLine] = []
    private var status = StatusRow()

    /// A view that has nothing to show yet.
    public init(size: TerminalSize, style: TerminalStyle) {
        self.size = size
        self.style = style
    }

    /// Adds a final caption, as it is to be read: `Speaker: text`.
    public mutating func add(line: String) {
        waiting.append(.line(SafeText.line(line)))
    }

    /// Adds an alert. Its rows begin with `***`, which no row of a caption does.
    public mutating func add(notice: String) {
        waiting.append(.notice(SafeText.line(notice)))
    }

    /// Sets the text of the open line with the id `line`; nil if it is open no more. Open lines
    /// stand in the order in which they were first set; with too many of them the oldest goes.
    public mutating func setPartial(_ text: String?, line: String) {
        let index = openLines.firstIndex { $0.id == line }
        switch (text.map(SafeText.line), index) {
        case (let text?, let index?): openLines[index].text = text
        case (let text?, nil): open(OpenLine(id: line, text: text))
        case (nil, let index?): openLines.remove(at: index)
        case (nil, nil): break
        }
    }

    /// Sets the status row. Where there is no room for both, `left` is cut and `right` is not.
    public mutating func setStatus(left: String, right: String) {
        status = StatusRow(left: left, right: right)
    }

    /// The screen has another size now. What was written before is the terminal's to wrap anew;
    /// the footer is drawn again for the new size.
    public mutating func resize(_ size: TerminalSize) {
        guard size != self.size else { return }
        self.size = size
        block.damage()
    }

    /// All that is to be written now, in one piece; empty if the screen is up to date.
    public mutating func render() -> String {
        let above = takeWaiting()
        return block.update(footer(), above: above)
    }

    /// What to write at the end, or before the program is suspended: what waits, no footer, and a
    /// cursor that can be seen at the start of a free row. The next ``render()`` begins anew.
    public mutating func finish() -> String {
        block.finish(above: takeWaiting())
    }

    private mutating func open(_ line: OpenLine) {
        if openLines.count >= Limits.openLines { openLines.removeFirst() }
        openLines.append(line)
    }

    private var rows: CaptionRows { CaptionRows(columns: size.usableColumns, style: style) }

    private mutating func takeWaiting() -> String {
        let rows = rows
        var text = ""
        for entry in waiting {
            for row in Self.rows(of: entry, rows) {
                text += row
                text += Control.newRow
            }
        }
        waiting = []
        return text
    }

    private static func rows(of entry: Entry, _ rows: CaptionRows) -> [String] {
        switch entry {
        case .line(let text): rows.final(text)
        case .notice(let text): rows.notice(text)
        }
    }

    /// The end of what is open, because it is the newest, and the status if there is a row for it.
    private func footer() -> [String] {
        let rows = rows
        let open = openLines.filter { !$0.text.isEmpty }.flatMap { rows.open($0.text) }
        let shown = open.suffix(max(1, size.rows / 3))
        guard !status.isEmpty, shown.count < size.rows else { return Array(shown) }
        return shown + [status.text(columns: size.usableColumns, style: style)]
    }
}
