import Synchronization

/// Gives everything that is sent to everybody who listens at that time.
final class Broadcast<Element: Sendable>: Sendable {
    private let state = Mutex(State())
    private let repeatsLast: Bool
    private let keepsUnheard: Bool
    private let limit: Int

    private struct State {
        var listeners: [AsyncStream<Element>.Continuation] = []
        var last: Element?
        /// Elements that were sent while nobody listened, the newest of them.
        var unheard: [Element] = []
    }

    /// - Parameters:
    ///   - repeatsLast: whether who comes later gets the last element at once.
    ///   - keepsUnheard: whether the first who listens gets what was sent while nobody did.
    ///   - limit: how many wait for each who listens; of more the oldest are lost.
    init(repeatsLast: Bool = false, keepsUnheard: Bool = false, limit: Int = 64) {
        (self.repeatsLast, self.keepsUnheard, self.limit) = (repeatsLast, keepsUnheard, limit)
    }

    /// A sequence of what is sent from now on. It ends when its reader's task is cancelled.
    func listen() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream(
            bufferingPolicy: .bufferingNewest(limit))
        state.withLock { state in
            state.listeners.append(continuation)
            if repeatsLast, let last = state.last { continuation.yield(last) }
            for element in state.unheard { continuation.yield(element) }
            state.unheard = []
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
            guard keepsUnheard, state.listeners.isEmpty else { return }
            state.unheard = (state.unheard + [element]).suffix(limit)
        }
    }
}
