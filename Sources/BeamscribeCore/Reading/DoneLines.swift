/// The times when the newest lines were done, by their writer's clock, and the last words of those
/// that are not.
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
    private var open: [String: Said] = [:]

    private struct Said {
        let time: Double
        let revision: Int
        /// Whether it does not hold any more.
        var isTakenBack = false
        /// Whether nobody may say it again then.
        var isOver = false
    }

    /// A line is not done, and this is said of it.
    mutating func note(open partial: LiveChunk) {
        if open.count >= Limits.linesDone, open[partial.line] == nil,
            let oldest = open.min(by: { $0.value.time < $1.value.time })
        {
            open[oldest.key] = nil
        }
        open[partial.line] = Said(
            time: partial.sentTimestamp, revision: partial.revision ?? 0)
    }

    /// The last words of a line do not hold any more. Nobody has signed that, so the next connection
    /// may bring them again.
    mutating func takeBack(_ line: String) { open[line]?.isTakenBack = true }

    /// Another connection begins.
    mutating func forgetWhatWasTakenBack() {
        for (line, said) in open where said.isTakenBack {
            open[line]?.isTakenBack = said.isOver
        }
    }

    /// The writer has signed that nothing is open.
    mutating func endOpenLines() {
        for line in open.keys {
            open[line]?.isTakenBack = true
            open[line]?.isOver = true
        }
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

    /// Whether a partial was said before its line was done, or before the line's last words. A line of
    /// the same name that is begun anew has later words.
    func isOld(_ partial: LiveChunk) -> Bool {
        let said = (partial.sentTimestamp, partial.revision ?? 0)
        if let done = times[partial.line], said.0 < done.time { return true }
        guard let newest = open[partial.line] else { return false }
        let limit = (newest.time, newest.revision)
        return newest.isTakenBack ? said <= limit : said < limit
    }
}
