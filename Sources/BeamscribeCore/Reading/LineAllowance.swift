/// How many lines a writer may bring: ``Limits/linesPerSecond`` on average, and a minute's worth at once.
///
/// Invariant: `level` is at most a minute's worth; below nothing, it is paid back before it lets anything in.
struct LineAllowance {
    private var level = Double(Self.most)
    private var updated: Duration?

    private static let most = 60 * Limits.linesPerSecond

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
