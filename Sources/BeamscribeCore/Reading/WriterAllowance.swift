/// What one writer may bring, in all of their logs together.
///
/// Invariant: each limit counts what came of all logs of the writer's key.
final class WriterAllowance {
    /// Finals: a minute's worth at once.
    var lines = RateLimit(perSecond: Limits.linesPerSecond, atOnce: 60 * Limits.linesPerSecond)
    /// Partials whose signatures are checked.
    var partials = RateLimit(
        perSecond: Limits.partialsPerSecond, atOnce: 2 * Limits.partialsPerSecond)
    /// Partials, checked or not, that come before the writer's logs rest.
    var partialFlood = RateLimit(
        perSecond: 10 * Limits.partialsPerSecond, atOnce: 40 * Limits.partialsPerSecond)
    /// How many lines of history there are yet that count nothing; nil where all lines count.
    fileprivate var freeLines: Int?

    /// - Parameter freeLines: how many lines of history there are that count nothing.
    init(freeLines: Int? = nil) { self.freeLines = freeLines }

    /// Whether nothing more is let in for now.
    var isSpent: Bool { lines.isSpent || partialFlood.isSpent }

    /// Whether half of what may come at once may come again, so that there is a reason to go on.
    func hasRecovered(now: Duration) -> Bool {
        let (hasLines, hasPartials) = (
            lines.hasRecovered(now: now), partialFlood.hasRecovered(now: now)
        )
        return hasLines && hasPartials
    }
}

/// Which lines of one log count against its writer's allowance.
///
/// What was said before it was asked for need not wait, up to a line: whoever comes late, or was
/// cut off, has all of it at once.
struct LineAllowance {
    let writer: WriterAllowance
    private var historyEnd = 0

    init(of writer: WriterAllowance) { self.writer = writer }

    /// All behind `seq` is asked for of a log that has lines through `end`.
    mutating func begin(after seq: Int, through end: Int) {
        guard let left = writer.freeLines else { return }
        historyEnd = max(historyEnd, min(end, seq + left))
    }

    /// Whether a line counts.
    mutating func counts(_ seq: Int) -> Bool {
        guard let left = writer.freeLines, seq <= historyEnd, left > 0 else { return true }
        writer.freeLines = left - 1
        return false
    }
}
