/// Lines that a session's log has lost, in words.
enum MissingLines {
    /// Rows of lines that are told one by one.
    private static let told = 5

    /// A sentence without its full stop.
    ///
    /// - Parameter gaps: rows of lines, at least one.
    static func words(_ gaps: [ClosedRange<Int>], of log: String) -> String {
        let (list, verb) = list(gaps)
        return "\(list) of \(log) \(verb) missing"
    }

    /// "lines 3 and 7 to 9", "are"; or "line 3", "is".
    static func list(_ gaps: [ClosedRange<Int>]) -> (list: String, verb: String) {
        var parts = gaps.prefix(told).map { gap in
            gap.count == 1 ? "\(gap.lowerBound)" : "\(gap.lowerBound) to \(gap.upperBound)"
        }
        let others = gaps.dropFirst(told).reduce(0) { $0 + $1.count }
        if others > 0 { parts.append("\(others) others") }
        let isOne = gaps.count == 1 && gaps[0].count == 1
        return (
            "line\(isOne ? "" : "s") \(WordList.of(parts, limit: told + 1))", isOne ? "is" : "are"
        )
    }
}
