/// Lines that a session's log has lost, in words.
struct MissingLines {
    private let gaps: [ClosedRange<Int>]

    /// Rows of lines that are told one by one.
    private static let told = 5

    /// - Parameter gaps: their rows, at least one.
    init(_ gaps: [ClosedRange<Int>]) {
        self.gaps = gaps
    }

    /// A sentence without its full stop.
    func text(_ log: String) -> String {
        let isOne = gaps.count == 1 && gaps[0].count == 1
        return "line\(isOne ? "" : "s") \(list) of \(log) \(isOne ? "is" : "are") missing"
    }

    private var list: String {
        var parts = gaps.prefix(Self.told).map { gap in
            gap.count == 1 ? "\(gap.lowerBound)" : "\(gap.lowerBound) to \(gap.upperBound)"
        }
        if gaps.count > Self.told {
            let count = gaps.dropFirst(Self.told).reduce(0) { $0 + $1.count }
            parts.append("\(count) others")
        }
        guard parts.count > 1, let last = parts.popLast() else { return parts[0] }
        return parts.joined(separator: ", ") + " and " + last
    }
}
