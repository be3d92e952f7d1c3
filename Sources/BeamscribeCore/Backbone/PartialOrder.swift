/// Tells the newest partials of a log from older ones that somebody says again.
///
/// Partials, finals and heads have a time by their writer's clock, and are signed. A partial counts
/// if nothing later has come. If the clock was set back, the newest final counts instead of later
/// times.
///
/// Invariant: `revisions` are those of the lines that were told at the time `newest`.
struct PartialOrder {
    /// The seconds that a partial may be older than the newest head.
    private static let headTolerance = 1.0
    /// The seconds that a partial may be later than a final that comes behind it.
    private static let lateFinal = 60.0
    private static let mostLines = 64

    /// The time of the newest partial or final.
    private var newest = -Double.infinity
    private var final: Double?
    private var revisions: [String: Int] = [:]
    /// The newest head, and the newest of fewer lines before it.
    private var head: (seq: Int, time: Double)?
    private var earlierHead: (seq: Int, time: Double)?
    /// Whether the heads' times, which rise always, are ahead of the writer's clock.
    private var isClockBehind = false

    /// The log's writer says how it stands.
    mutating func take(_ head: LogHead) {
        if let old = self.head, old.seq < head.seq { earlierHead = old }
        self.head = (head.seq, head.time)
    }

    /// A line is done.
    mutating func take(final chunk: LiveChunk) {
        let (seq, sent) = (chunk.seq ?? 0, chunk.sentTimestamp)
        // A line that a head does not count was said behind it.
        if let before = [head, earlierHead].compactMap(\.self).first(where: { $0.seq < seq }) {
            isClockBehind = sent + Self.headTolerance < before.time
        }
        if sent > newest || sent < final ?? newest - Self.lateFinal {
            (newest, revisions) = (sent, [:])
        }
        final = sent
        if sent == newest { revisions[chunk.line] = .max }
    }

    /// Whether a partial is not older than what has come of its log.
    func admits(_ partial: LiveChunk) -> Bool {
        let sent = partial.sentTimestamp
        guard sent >= newest else { return false }
        if !isClockBehind, let head, sent + Self.headTolerance < head.time { return false }
        guard sent == newest else { return true }
        return revisions.count < Self.mostLines
            && partial.revision ?? 0 > revisions[partial.line] ?? .min
    }

    /// A partial counts that its log's writer has signed, or has withdrawn a line with.
    mutating func take(partial chunk: LiveChunk) {
        guard admits(chunk) else { return }
        if chunk.sentTimestamp > newest { (newest, revisions) = (chunk.sentTimestamp, [:]) }
        revisions[chunk.line] = chunk.revision ?? 0
    }
}
