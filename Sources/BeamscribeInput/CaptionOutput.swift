import BeamscribeCore

/// What a parser has found in a batch, made safe, cut to the limits, and each line's partials
/// reduced to the newest.
///
/// Invariant: `open` has the state in which each line's partial is.
struct CaptionOutput {
    private var events: [InputEvent] = []
    private var partials = PartialBatch()
    private var open = OpenLines<String?, Caption>()

    /// A caption is done. One without text withdraws what was shown of it.
    mutating func final(_ caption: Caption) {
        add(caption, as: InputEvent.final)
    }

    /// The newest final of `caption.line` has a new wording.
    mutating func correction(_ caption: Caption) {
        add(caption, as: InputEvent.correction)
    }

    /// A line has changed. Of one over the limit the newest words are what a reader waits for.
    mutating func partial(_ caption: Caption) {
        var caption = safe(caption)
        caption.text = LineText.pieces(of: caption.text, trimmingStart: true).last ?? ""
        guard !caption.text.isEmpty else { return withdraw(line: caption.line) }
        open.renew(caption.line, caption)
        partials.add(caption)
    }

    /// What was shown of a line is no more.
    mutating func withdraw(line: String?) {
        open.close(line)
        partials.add(Caption(text: "", line: line))
    }

    /// Nothing that was shown of open lines counts any more.
    mutating func withdrawAll() {
        for line in open.entries { withdraw(line: line.id) }
    }

    /// A part of the input could not be used.
    mutating func warn(line: Int, _ reason: String) {
        events.append(.warning("line \(line) of the input is not usable: \(reason)"))
    }

    /// Makes finals of the lines that are still open.
    mutating func closeAll() {
        for line in open.entries { final(line.value) }
    }

    /// Ends the batch.
    mutating func take() -> [InputEvent] {
        for partial in partials.take() { events.append(.partial(partial)) }
        defer { events = [] }
        return events
    }

    /// What does not fit into the event becomes finals of its own.
    private mutating func add(_ caption: Caption, as event: (Caption) -> InputEvent) {
        var caption = safe(caption)
        let pieces = LineText.pieces(of: caption.text, trimmingStart: true)
        guard !pieces.isEmpty else { return withdraw(line: caption.line) }
        open.close(caption.line)
        partials.close(line: caption.line)
        for (index, piece) in pieces.enumerated() {
            caption.text = piece
            events.append(index == 0 ? event(caption) : .final(caption))
        }
    }

    private func safe(_ caption: Caption) -> Caption {
        var caption = caption
        caption.line = SpeakerLabel.safe(caption.line)
        caption.speaker = SpeakerLabel.safe(caption.speaker)
        caption.lang = SpeakerLabel.safe(caption.lang)
        caption.start = caption.start.flatMap(usable)
        caption.end = caption.end.flatMap(usable)
        return caption
    }

    private func usable(_ time: Double) -> Double? {
        time.isFinite && abs(time) <= Limits.seconds ? time : nil
    }
}
