import BeamscribeCore
import BeamscribeTerminal

/// What the screen must show, kept in the simplest way there is: the view without colour.
struct LiveViewModel {
    private var waiting: [(text: String, isNotice: Bool)] = []
    private var open: [(id: String, text: String)] = []
    private var left = ""
    private var right = ""
    /// The rows that were written to stay.
    private(set) var history: [String] = []

    mutating func add(line: String) { waiting.append((line, false)) }

    mutating func add(notice: String) { waiting.append((notice, true)) }

    mutating func setPartial(_ text: String?, line: String) {
        if let index = open.firstIndex(where: { $0.id == line }) {
            if let text { open[index].text = text } else { open.remove(at: index) }
        } else if let text {
            open.append((line, text))
            open = open.suffix(Limits.openLines)
        }
    }

    mutating func setStatus(left: String, right: String) { (self.left, self.right) = (left, right) }

    mutating func write(size: TerminalSize) {
        let columns = max(1, size.columns - 1)
        for entry in waiting {
            history +=
                entry.isNotice
                ? Self.marked(entry.text, "*** ", columns: columns)
                : Self.caption(entry.text, columns: columns)
        }
        waiting = []
    }

    func footer(size: TerminalSize) -> [String] {
        let columns = max(1, size.columns - 1)
        let rows = open.filter { $0.text != "" }
            .flatMap { Self.marked($0.text, "… ", columns: columns) }
            .suffix(max(1, size.rows / 3))
        if left + right == "" || rows.count == size.rows { return Array(rows) }
        return rows + [status(columns: columns)]
    }

    /// Only for a right part of ASCII that fits, as the tests use it.
    private func status(columns: Int) -> String {
        if columns <= 2 {
            return DisplayWidth.truncated(right.isEmpty ? left : right, columns: columns)
        }
        let right = DisplayWidth.truncated(right, columns: columns - 2)
        let separator = right.isEmpty ? 0 : 1
        let left = DisplayWidth.truncated(left, columns: columns - 2 - right.count - separator)
        let gap = columns - 2 - DisplayWidth.columns(of: left) - right.count
        return "[" + left + String(repeating: " ", count: gap) + right + "]"
    }

    private static func caption(_ text: String, columns: Int) -> [String] {
        let rows = LineWrap.rows(text, columns: columns)
        if !rows.contains(where: { $0.starts(with: "***") }) { return rows }
        return LineWrap.rows(text, columns: columns - 1).map { " " + $0 }
    }

    private static func marked(_ text: String, _ mark: String, columns: Int) -> [String] {
        if columns - mark.count < 4 { return LineWrap.rows(mark + text, columns: columns) }
        return LineWrap.rows(text, columns: columns - mark.count).map { mark + $0 }
    }
}
