/// What a host's operator sees: the log scrolls away above, and below it a block shows what readers
/// see, what is being typed, and how things stand.
///
/// Only says what to write.
public struct OperatorScreen: Sendable {
    private let style: TerminalStyle
    private var size: TerminalSize
    private var block = Block()
    private var content = OperatorContent()
    private var questions = ""

    public init(size: TerminalSize, style: TerminalStyle) {
        self.size = size
        self.style = style
    }

    /// What to write so that `content` is shown; empty where it is.
    public mutating func show(_ content: OperatorContent) -> String {
        self.content = content
        return update()
    }

    /// What to write so that `text`, whole lines that are safe to show, stands above the block.
    public mutating func print(_ text: String) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return update(above: lines.map { $0 + Control.newRow }.joined())
    }

    /// The bytes for a screen of another size, or one that others have written on, or that
    /// counts columns in another way.
    public mutating func redraw(_ size: TerminalSize) -> String {
        self.size = size
        block.damage()
        return update()
    }

    /// Puts questions to the terminal with what is written next (``WidthInquiry``).
    public mutating func ask(_ questions: String) { self.questions += questions }

    private mutating func update(above: String = "") -> String {
        defer { questions = "" }
        return block.update(rows, above: above, asking: questions)
    }

    /// What to write before anything is shown.
    public var begin: String { Control.markPastes }

    /// What to write at the end, or before others write: no block, and a cursor that can be seen.
    public mutating func finish() -> String { block.finish() + Control.pastesAsKeys }

    private var rows: [String] { OperatorRows(size: size, style: style).rows(of: content) }
}
