import Synchronization

/// Gives everything that is sent to everybody who listens at that time.
final class Broadcast<Element: Sendable>: Sendable {
    private let state = Mutex(State())
    private let repeatsLast: Bool

    private struct State {
        var listeners: [AsyncStream<Element>.Continuation] = []
        var last: Element?
    }

    /// - Parameter repeatsLast: whether who comes later gets the last element at once.
    init(repeatsLast: Bool = false) {
        self.repeatsLast = repeatsLast
    }

    /// A sequence of what is sent from now on. It ends when its reader's task is cancelled.
    func listen() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(64))
        state.withLock { state in
            state.listeners.append(continuation)
            if repeatsLast, let last = state.last { continuation.yield(last) }
        }
        return stream
    }

    func send(_ element: Element) {
        state.withLock { state in
            state.last = element
            state.listeners.removeAll { listener in
                if case .terminated = listener.yield(element) { return true }
                return false
            }
        }
    }
}
