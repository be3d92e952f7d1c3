import BeamscribeCore

/// Lets through what an input brings while it is its captioner's turn, and after that what is still to come
/// of a line that was open then. All else is thrown away, after a while: others say it. What was heard since
/// the last word of somebody who is heard no more is said when the turn begins.
///
/// A line that is open when the turn begins comes out whole, as its next partial has it.
///
/// Invariant: a line that readers see open is said to its end, or taken back; what is `held` came while
/// others had the turn, the oldest first.
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
    /// What came of late and was not let through.
    private var held: [(event: InputEvent, at: Duration)] = []
    /// What comes before this is not held: it may be words that are not meant for anybody.
    private var holdsFrom: Duration?

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
    ///
    /// - Parameter lastWord: when somebody who is heard no more has said his last; nil where whoever had the
    ///   turn has said all.
    /// - Returns: what was heard since.
    package mutating func begin(after lastWord: Duration?) -> [InputEvent] {
        stage = .on
        defer { held = [] }
        guard let lastWord else { return [] }
        return held.filter { $0.at > lastWord }.map(\.event)
    }

    /// The turn is over, behind the lines that are open.
    package mutating func end(now: Duration) {
        guard case .on = stage else { return }
        stage = open.entries.isEmpty ? .off : .ending(until: now + Limits.airLastLine)
    }

    /// What is let through of what comes.
    package mutating func pass(_ events: [InputEvent], now: Duration) -> [InputEvent] {
        events.filter { event in
            let passes = passes(event)
            if !passes { hold(event, now) }
            return passes
        }
    }

    /// Whoever has the turn lets nothing out: what was heard is forgotten, and what comes until then, too.
    package mutating func forget(until time: Duration) { (held, holdsFrom) = ([], time) }

    private mutating func hold(_ event: InputEvent, _ now: Duration) {
        guard case .final = event, now >= holdsFrom ?? now else { return }
        held.append((event, now))
        while held.count > Limits.airMemoryLines || now - held[0].at > Limits.airMemory {
            held.removeFirst()
        }
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
