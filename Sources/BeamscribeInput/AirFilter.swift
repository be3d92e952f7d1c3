import BeamscribeCore

/// Lets through what an input brings while it is its captioner's turn, and after that what is still to come
/// of a line that was open then. All else is thrown away: others say it.
///
/// A line that is open when the turn begins comes out whole, as its next partial has it.
///
/// Invariant: a line that readers see open is said to its end, or taken back.
package struct AirFilter: Sendable {
    private enum Stage {
        case on
        /// Until then the lines that are open may be ended.
        case ending(until: Duration)
        case off
    }

    private var stage: Stage
    /// The lines that readers see open, by their ids; one without an id has an empty one.
    private var open = OpenLines<String, Void>()

    package init(isOn: Bool) { stage = isOn ? .on : .off }

    /// Whether it is its captioner's turn.
    package var isOn: Bool { if case .on = stage { true } else { false } }
    /// Whether nothing is let through.
    package var isOff: Bool { if case .off = stage { true } else { false } }

    /// When ``tick(now:)`` has something to do; nil for never.
    package var nextDeadline: Duration? {
        if case .ending(let until) = stage { until } else { nil }
    }

    /// The turn begins.
    package mutating func begin() { stage = .on }

    /// The turn is over, behind the lines that are open.
    package mutating func end(now: Duration) {
        guard case .on = stage else { return }
        stage = open.entries.isEmpty ? .off : .ending(until: now + Limits.airLastLine)
    }

    /// What is let through of what comes.
    package mutating func pass(_ events: [InputEvent]) -> [InputEvent] {
        events.filter { passes($0) }
    }

    private mutating func passes(_ event: InputEvent) -> Bool {
        guard let caption = event.caption else { return true }
        let id = caption.line ?? ""
        switch stage {
        case .off: return false
        case .ending where !open.contains(id): return false
        case .on, .ending: break
        }
        if event.isPartial, !caption.text.isEmpty {
            open.renew(id, ())
        } else {
            open.close(id)
        }
        if case .ending = stage, open.entries.isEmpty { stage = .off }
        return true
    }

    /// Time has passed: takes back what was not ended in time.
    package mutating func tick(now: Duration) -> [InputEvent] {
        guard case .ending(let until) = stage, until <= now else { return [] }
        defer { (stage, open) = (.off, OpenLines()) }
        return open.entries.map {
            .partial(Caption(text: "", line: $0.id.isEmpty ? nil : $0.id))
        }
    }
}
