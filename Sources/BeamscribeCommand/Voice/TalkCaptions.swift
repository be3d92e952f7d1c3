import BeamscribeCore

/// The captions beside voices: finals, each once, and what is being said now.
///
/// Invariant: at most ``limit`` lines are open, the newest last.
struct TalkCaptions {
    private struct Open {
        let key: String
        let text: String
    }

    private var writer = EventWriter(.text)
    private var open: [Open] = []

    private static let limit = 8

    /// What is being said now, as far as anybody knows; nil for nothing.
    var newest: String? { open.last?.text }

    /// Takes what has happened in the event.
    ///
    /// - Returns: the finals in it, as lines for people.
    mutating func take(_ events: [GuestEvent]) -> [String] {
        for event in events { follow(event, in: "") }
        return writer.text(for: events).split(separator: "\n").map(String.init)
    }

    private mutating func follow(_ event: GuestEvent, in log: String) {
        switch event {
        case .inLog(let title, let event): follow(event, in: title.session)
        case .line(let line): close("\(log) \(line.line)")
        case .partial(let partial): note(partial, "\(log) \(partial.line)")
        // What was begun is gone on with, or is said again.
        case .joined, .begunAnew, .stillLost: open = []
        default: break
        }
    }

    private mutating func note(_ partial: PartialLine, _ key: String) {
        close(key)
        guard !partial.text.isEmpty else { return }
        open = open.suffix(Self.limit - 1) + [Open(key: key, text: partial.spokenText)]
    }

    private mutating func close(_ key: String) { open.removeAll { $0.key == key } }
}
