/// When the newest lines were done, by their writer's clock.
///
/// Invariant: `order` has the labels of `times`, the oldest first, and at most ``Limits/linesDone``.
struct DoneLines {
    private var times: [String: Double] = [:]
    private var order: [String] = []

    /// A line is done.
    mutating func note(_ final: LiveChunk) {
        if times.updateValue(final.sentTimestamp, forKey: final.line) != nil {
            order.removeAll { $0 == final.line }
        }
        order.append(final.line)
        if order.count > Limits.linesDone { times[order.removeFirst()] = nil }
    }

    /// Whether a partial was said before its line was done. Where a line of the same name is begun anew its
    /// writer says so later.
    func isOld(_ partial: LiveChunk) -> Bool {
        times[partial.line].map { partial.sentTimestamp < $0 } ?? false
    }
}
