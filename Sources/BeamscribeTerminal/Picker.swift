import BeamscribeCore

/// One row of a ``Picker``.
public struct PickerItem: Equatable, Sendable {
    /// What the item is known by when the list changes.
    public let id: String
    /// What is read first.
    public let title: String
    /// What is shown behind the title if there is room.
    public let detail: String
    /// Whether it can be chosen. One that cannot is still shown; its detail says why.
    public let enabled: Bool

    public init(id: String, title: String, detail: String = "", enabled: Bool = true) {
        self.id = id
        self.title = title
        self.detail = detail
        self.enabled = enabled
    }
}

/// What a key in a ``Picker`` asks for.
public enum PickerOutcome: Equatable, Sendable {
    /// This item is wanted.
    case chosen(id: String)
    /// The list is to be made again.
    case refresh
    /// Nothing is wanted.
    case cancelled
}

/// A list to choose from, drawn in place below what the terminal shows already.
///
/// Invariant: `selected` is the index of an item, or 0 while there is none.
public struct Picker: Sendable {
    private let style: TerminalStyle
    private var size: TerminalSize
    private var block = Block()
    private var items: [PickerItem] = []
    private var selected = 0
    private var status = ""
    private var questions = ""

    public init(size: TerminalSize, style: TerminalStyle) {
        self.size = size
        self.style = style
    }

    /// Replaces the list. The selection stays on the same item; if that is gone, at its place.
    public mutating func update(items: [PickerItem]) {
        let id = selectedItem?.id
        self.items = items
        if let index = items.firstIndex(where: { $0.id == id }) {
            selected = index
        } else {
            select(selected)
        }
    }

    /// What `key` asks for; nil if it only moves the selection, or means nothing.
    public mutating func handle(_ key: Key) -> PickerOutcome? {
        switch key {
        case .up, .character("k"): select(selected - 1)
        case .down, .character("j"): select(selected + 1)
        case .pageUp: select(selected - shownCount)
        case .pageDown: select(selected + shownCount)
        case .home: select(0)
        case .end: select(items.count - 1)
        case .enter: return chosen()
        case .character("r"): return .refresh
        case .character("q"), .escape, .interrupt: return .cancelled
        case .character(let character): return choose(digit: character)
        default: break
        }
        return nil
    }

    public mutating func setStatus(_ status: String) {
        self.status = status
    }

    /// Puts questions to the terminal with what is written next (``WidthInquiry``).
    public mutating func ask(_ questions: String) { self.questions += questions }

    /// The screen has another size now, or counts columns in another way.
    public mutating func resize(_ size: TerminalSize) {
        guard size != self.size else { return }
        self.size = size
        block.damage()
    }

    /// All that is to be written now, in one piece; empty if the screen is up to date.
    public mutating func render() -> String {
        defer { questions = "" }
        let first = max(0, min(selected - shownCount / 2, items.count - shownCount))
        let rows = items.indices[first...].prefix(shownCount).map(row)
        let status = statusRow
        guard showsStatus, !status.isEmpty else {
            return block.update(rows, asking: questions)
        }
        let last = status.text(columns: size.usableColumns, style: style, size.widths)
        return block.update(rows + [last], asking: questions)
    }

    /// What to write at the end: no list, and a cursor that can be seen at the start of a free row.
    public mutating func finish() -> String {
        block.finish()
    }

    private var selectedItem: PickerItem? {
        items.indices.contains(selected) ? items[selected] : nil
    }

    private mutating func select(_ index: Int) {
        selected = max(0, min(index, items.count - 1))
    }

    private func chosen() -> PickerOutcome? {
        guard let item = selectedItem, item.enabled else { return nil }
        return .chosen(id: item.id)
    }

    private mutating func choose(digit: Character) -> PickerOutcome? {
        guard digit.isASCII, let number = digit.wholeNumberValue,
            items.indices.contains(number - 1)
        else { return nil }
        select(number - 1)
        return chosen()
    }

    /// One row of the screen stays free for what stands above the list.
    private var height: Int { max(1, size.rows - 1) }

    private var showsStatus: Bool {
        height > 1 && (!status.isEmpty || items.count > height)
    }

    private var shownCount: Int {
        min(items.count, showsStatus ? height - 1 : height)
    }

    private var statusRow: StatusRow {
        let isCut = shownCount < items.count
        return StatusRow(left: status, right: isCut ? "\(selected + 1) of \(items.count)" : "")
    }

    /// `> 1 title  detail`; an item that cannot be chosen has `-` in place of its digit.
    private func row(_ index: Int) -> String {
        let item = items[index]
        let digit = !item.enabled ? "-" : index < 9 ? "\(index + 1)" : " "
        let detail = item.detail.isEmpty ? "" : "  " + item.detail
        let text = "\(index == selected ? ">" : " ") \(digit) \(item.title)\(detail)"
        let row = size.widths.cautious.truncated(
            ComposedText.line(SafeText.line(text)), columns: size.usableColumns)
        if index == selected { return style.bold(row) }
        return item.enabled ? row : style.dim(row)
    }
}
