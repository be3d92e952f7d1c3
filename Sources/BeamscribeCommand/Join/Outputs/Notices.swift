import BeamscribeCore
import Synchronization

/// What the outputs of a guest have to say. Where lines are printed it is said at once; beside the
/// live view it waits until something is shown, since anything else would disturb the screen.
final class Notices: Sendable {
    private let isLive: Bool
    private let waiting = Mutex<[String]>([])

    init(isLive: Bool) {
        self.isLive = isLive
    }

    /// Tells the reader of something, which usually went wrong.
    func tell(_ sentence: String, isWarning: Bool = true) {
        guard isLive else { return say((isWarning ? "warning: " : "") + sentence) }
        waiting.withLock { $0.append((isWarning ? "Warning: " : "") + sentence) }
    }

    /// What waits, as events that are shown.
    func take() -> [GuestEvent] {
        drain().map { .alert(kind: "output", message: $0) }
    }

    /// The view is gone: says what still waits.
    func close() {
        for sentence in drain() { say(sentence) }
    }

    private func drain() -> [String] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
