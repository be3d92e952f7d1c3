internal import BeamscribeCore

/// The event's logs as a list from which a reader chooses, for a screen of any size.
struct LogList {
    let logs: ReaderLogs
    let selected: Int
    let columns: Int
    let style: TerminalStyle
    let widths: CharacterWidths

    private static let title = "Logs of this event: [x] is shown"
    /// Longer names are not waited for by what stands behind them.
    private static let longestColumn = 24
    /// With fewer rows the logs need them all, unless these are fewer still.
    private static let leastWithTitle = 5

    /// The rows, `height` at most; the selected log is among them.
    func rows(height: Int) -> [String] {
        let hasTitle = height >= Self.leastWithTitle || height > logs.count
        let room = max(1, height - (hasTitle ? 1 : 0))
        let first = max(0, min(selected - room / 2, logs.count - room))
        let listed = (first..<min(first + room, logs.count)).map(row)
        return (hasTitle ? [widths.truncated(Self.title, columns: columns)] : []) + listed
    }

    /// `> [x] Room 2  live · captions in es · annas-laptop`
    private func row(_ number: Int) -> String {
        let log = logs.listed(number)
        let cursor = number == selected ? ">" : " "
        let name = widths.padded(log.label, to: nameColumns)
        let text = "\(cursor) [\(log.sign)] \(name)  \(log.details.joined(separator: " · "))"
        let row = widths.truncated(ComposedText.line(SafeText.line(text)), columns: columns)
        return number == selected ? style.bold(row) : row
    }

    private var nameColumns: Int {
        let labels = (0..<logs.count).map { widths.columns(of: logs.listed($0).label) }
        return min(labels.max() ?? 0, Self.longestColumn, columns / 3)
    }
}
