/// When the newest lines were done, by their writer's clock, and what was said last of those that are not.
///
/// Invariant: `times` has the newest ``Limits/linesDone`` lines, each with its place in `ring`, of which
/// `next` is the oldest; `open` has as many at most.
struct DoneLines {
    private struct Done {
        let time: Double
        let place: Int
    }

    private var times: [String: Done] = [:]
    private var ring: [String] = []
    private var next = 0
    private var open: [String: (time: Double, revision: Int)] = [:]

    /// A line is not done, and this is said of it.
    mutating func note(open partial: LiveChunk) {
        if open.count >= Limits.linesDone, open[partial.line] == nil,
            let oldest = open.min(by: { $0.value.time < $1.value.time })
        {
            open[oldest.key] = nil
        }
        open[partial.line] = (partial.sentTimestamp, partial.revision ?? 0)
    }

    /// A line is done.
    mutating func note(_ final: LiveChunk) {
        if ring.count < Limits.linesDone {
            ring.append(final.line)
        } else {
            // A line of the same name may be in a newer place.
            if times[ring[next]]?.place == next { times[ring[next]] = nil }
            ring[next] = final.line
        }
        times[final.line] = Done(time: final.sentTimestamp, place: next)
        next = (next + 1) % Limits.linesDone
        open[final.line] = nil
    }

    /// Whether a partial was said before its line was done, or before what was said of it last. Where a line
    /// of the same name is begun anew its writer says so later.
    func isOld(_ partial: LiveChunk) -> Bool {
        let (sent, revision) = (partial.sentTimestamp, partial.revision ?? 0)
        if let done = times[partial.line], sent < done.time { return true }
        return open[partial.line].map { (sent, revision) < $0 } ?? false
    }
}
