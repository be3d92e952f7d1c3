import BeamscribeCore
import BeamscribeInput

/// What a program has heard of a talker while the event is paused: said when that goes on, or thrown away.
///
/// Each event is of a line with an id, as ``TalkerLines`` gives them.
///
/// Invariant: what is finished is in the order in which it came; of each other line there is its newest partial.
struct WaitingWords {
    private var finished: [InputEvent] = []
    private var begun: [Caption] = []

    /// Whether the program is to wait, too.
    var areFull: Bool { finished.count + begun.count >= Limits.waitingWords }

    mutating func add(_ events: [InputEvent]) {
        for event in events {
            if let line = event.caption?.line { begun.removeAll { $0.line == line } }
            if case .partial(let caption) = event {
                begun.append(caption)
            } else {
                finished.append(event)
            }
        }
    }

    /// All of it, which does not wait any more.
    mutating func take() -> [InputEvent] {
        defer { self = WaitingWords() }
        return finished + begun.map { .partial($0) }
    }
}
