import BeamscribeCore

/// The row that tells the state of things: `left`, which gives way, and `right`, which stays.
struct StatusRow: Equatable, Sendable {
    let left: String
    let right: String

    init(left: String = "", right: String = "") {
        self.left = ComposedText.line(SafeText.line(left))
        self.right = ComposedText.line(SafeText.line(right))
    }

    var isEmpty: Bool { left.isEmpty && right.isEmpty }

    /// The row, `columns` wide: a reversed bar, or in brackets where attributes are not written.
    func text(columns: Int, style: TerminalStyle, _ widths: CharacterWidths) -> String {
        let hasBrackets = !style.colour && columns > 2
        return hasBrackets
            ? "[" + filled(columns - 2, widths) + "]" : style.reverse(filled(columns, widths))
    }

    private func filled(_ columns: Int, _ widths: CharacterWidths) -> String {
        let right = widths.truncated(right, columns: columns)
        let room = columns - widths.columns(of: right)
        let left = widths.truncated(left, columns: right.isEmpty ? room : room - 1)
        return widths.padded(left, to: room) + right
    }
}
