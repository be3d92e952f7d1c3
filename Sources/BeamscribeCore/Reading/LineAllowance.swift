/// How many lines a writer may bring: ``Limits/linesPerSecond`` on average, and a minute's worth at once.
///
/// Invariant: `level` is at most a minute's worth; below nothing, it is paid back before it lets anything in.
struct LineAllowance {
    private var level = Double(Self.most)
    private var updated: Duration?

    /// What was said before it was asked for need not wait, up to this line: whoever comes late, or was cut off,
    /// has all of it at once. Nil where nobody is ever behind by more than a minute's worth.
    private var history: (end: Int, left: Int)?

    private static let most = 60 * Limits.linesPerSecond

    /// - Parameter freeLines: how many lines of history there are that count nothing.
    init(freeLines: Int? = nil) { history = freeLines.map { (0, $0) } }

    /// All behind `seq` is asked for of a log that has lines through `end`.
    mutating func begin(after seq: Int, through end: Int) {
        guard let old = history else { return }
        history?.end = max(old.end, min(end, seq + old.left))
    }

    /// Whether a line counts.
    mutating func counts(_ seq: Int) -> Bool {
        guard let old = history, seq <= old.end, old.left > 0 else { return true }
        history?.left -= 1
        return false
    }

    /// Whether nothing more is let in for now.
    var isSpent: Bool { level < 0 }

    /// Lines came.
    mutating func take(_ count: Int, now: Duration) {
        fill(now)
        level -= Double(count)
    }

    /// Whether it has been filled up again by half, so that there is a reason to go on.
    mutating func hasRecovered(now: Duration) -> Bool {
        fill(now)
        return level >= Double(Self.most / 2)
    }

    private mutating func fill(_ now: Duration) {
        let time = updated.map { max(now - $0, .zero) } ?? .zero
        updated = now
        level = min(level + time.seconds * Double(Limits.linesPerSecond), Double(Self.most))
    }
}
