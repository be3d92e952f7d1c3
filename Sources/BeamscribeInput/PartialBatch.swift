import BeamscribeCore

/// The partials of one batch, reduced to the newest of each line.
///
/// Invariant: `shown` has what the reader was told last of each line that it takes for open.
struct PartialBatch {
    private var waiting = OpenLines<String?, Caption>()
    private var shown = OpenLines<String?, Caption>()

    /// Whether no partial waits and none is shown.
    var isEmpty: Bool { waiting.entries.isEmpty && shown.entries.isEmpty }

    /// The batch's partials as they came, also those that say nothing new.
    var waitingEvents: [InputEvent] { waiting.entries.map { .partial($0.value) } }

    /// A partial came; an empty text withdraws the line's partial.
    mutating func add(_ partial: Caption) {
        waiting.renew(partial.line, partial)
    }

    /// The final of `line` came: its partial is over without being withdrawn.
    mutating func close(line: String?) {
        waiting.close(line)
        shown.close(line)
    }

    /// Ends the batch: the partials that tell the reader something new.
    mutating func take() -> [Caption] {
        let fresh = waiting.entries.map(\.value).filter(isNew)
        waiting.closeAll()
        for partial in fresh { remember(partial) }
        return fresh
    }

    private func isNew(_ partial: Caption) -> Bool {
        guard let old = shown[partial.line] else { return !partial.text.isEmpty }
        // The times of a growing line change with each partial and are not worth a message.
        return old.text != partial.text || old.speaker != partial.speaker
            || old.lang != partial.lang
    }

    private mutating func remember(_ partial: Caption) {
        if partial.text.isEmpty {
            shown.close(partial.line)
        } else {
            shown.renew(partial.line, partial)
        }
    }
}
