import BeamscribeCore

/// The partials of one batch, reduced to the newest of each line.
///
/// Invariant: no two of `waiting` and no two of `shown` are of the same line, both are ordered by
/// age with the newest last, and neither holds more than `Limits.openLines`.
struct PartialBatch {
    private var waiting: [Caption] = []
    private var shown: [Caption] = []

    /// Whether no partial waits and none is shown.
    var isEmpty: Bool { waiting.isEmpty && shown.isEmpty }

    /// The batch's partials as they came, also those that say nothing new.
    var waitingEvents: [InputEvent] { waiting.map { .partial($0) } }

    /// A partial came; an empty text withdraws the line's partial.
    mutating func add(_ partial: Caption) {
        Self.put(partial, into: &waiting)
    }

    /// The final of `line` came: its partial is over without being withdrawn.
    mutating func close(line: String?) {
        waiting.removeAll { $0.line == line }
        shown.removeAll { $0.line == line }
    }

    /// Ends the batch: the partials that tell the reader something new.
    mutating func take() -> [Caption] {
        guard !waiting.isEmpty else { return [] }
        let fresh = waiting.filter(isNew)
        waiting = []
        for partial in fresh { remember(partial) }
        return fresh
    }

    private func isNew(_ partial: Caption) -> Bool {
        guard let old = shown.first(where: { $0.line == partial.line }) else {
            return !partial.text.isEmpty
        }
        // The times of a growing line change with each partial and are not worth a message.
        return old.text != partial.text || old.speaker != partial.speaker
            || old.lang != partial.lang
    }

    private mutating func remember(_ partial: Caption) {
        if partial.text.isEmpty {
            shown.removeAll { $0.line == partial.line }
        } else {
            Self.put(partial, into: &shown)
        }
    }

    private static func put(_ partial: Caption, into list: inout [Caption]) {
        list.removeAll { $0.line == partial.line }
        if list.count == Limits.openLines { list.removeFirst() }
        list.append(partial)
    }
}
