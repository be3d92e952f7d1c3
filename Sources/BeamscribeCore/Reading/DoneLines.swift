/// When the newest lines were done, by their writer's clock.
///
/// Invariant: `times` has the newest ``Limits/linesDone`` lines, each with its place in `ring`, of which
/// `next` is the oldest.
struct DoneLines {
    private struct Done {
        let time: Double
        let place: Int
    }

    private var times: [String: Done] = [:]
    private var ring: [String] = []
    private var next = 0

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
    }

    /// Whether a partial was said before its line was done. Where a line of the same name is begun anew its
    /// writer says so later.
    func isOld(_ partial: LiveChunk) -> Bool {
        times[partial.line].map { partial.sentTimestamp < $0.time } ?? false
    }
}
