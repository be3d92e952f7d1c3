import BeamscribeCore

/// The row that tells the state of things: `left`, which gives way, and `right`, which stays.
struct StatusRow: Equatable, Sendable {
    let left: String
    let right: String

    init(left: String = "", right: String = "") {
        self.left = SafeText.line(left)
        self.right = SafeText.line(right)
    }

    var isEmpty: Bool { left.isEmpty && right.isEmpty }

    /// The row, `columns` wide: a reversed bar, or in brackets where attributes are not written.
    func text(columns: Int, style: TerminalStyle) -> String {
        let hasBrackets = !style.colour && columns > 2
        return hasBrackets ? "[" + filled(columns - 2) + "]" : style.reverse(filled(columns))
    }

    private func filled(_ columns: Int) -> String {
        let right = DisplayWidth.truncated(right, columns: columns)
        let room = columns - DisplayWidth.columns(of: right)
        let left = DisplayWidth.truncated(left, columns: right.isEmpty ? room : room - 1)
        return DisplayWidth.padded(left, to: room) + right
    }
}
