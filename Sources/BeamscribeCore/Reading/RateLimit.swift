/// How often something may happen: so many times a second on average, and a number of times at once
/// (a token bucket).
///
/// Invariant: `level` is at most the number that may happen at once; below zero it is paid back
/// first.
struct RateLimit {
    private let perSecond: Double
    private let most: Double
    private var level: Double
    private var updated: Duration?

    /// - Parameters:
    ///   - perSecond: how often on average.
    ///   - most: how often at once.
    init(perSecond: Int, atOnce most: Int) {
        (self.perSecond, self.most, level) = (Double(perSecond), Double(most), Double(most))
    }

    /// Whether more has happened than may.
    var isSpent: Bool { level < 0 }

    /// It has happened, whether it might or not.
    mutating func take(_ count: Int, now: Duration) {
        fill(now)
        level -= Double(count)
    }

    /// Lets it happen once more, where it may.
    ///
    /// - Returns: whether it may.
    mutating func admits(now: Duration) -> Bool {
        fill(now)
        guard level >= 1 else { return false }
        level -= 1
        return true
    }

    /// Whether half of what may happen at once may happen again.
    mutating func hasRecovered(now: Duration) -> Bool {
        fill(now)
        return level >= most / 2
    }

    private mutating func fill(_ now: Duration) {
        let time = updated.map { max(now - $0, .zero) } ?? .zero
        updated = now
        level = min(level + time.seconds * perSecond, most)
    }
}
