internal import Synchronization

/// Work that may block for longer than anybody wants to wait.
public enum BlockingCall {
    /// Runs `work` on a thread of its own, so that it holds up no other.
    ///
    /// - Returns: what `work` gave, or nil once `limit` has passed. The thread cannot be ended and
    ///   is left to itself then: for a program that ends soon.
    public static func run<Value: Sendable>(
        within limit: Duration, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await withCheckedContinuation { continuation in
            let answer = Answer<Value>(continuation)
            do throws(SystemError) {
                try SystemThread.start(named: "blocking call") { answer.give(work()) }
            } catch {
                answer.give(nil)
            }
            Task {
                try? await Task.sleep(for: limit)
                answer.give(nil)
            }
        }
    }

    /// Invariant: the continuation is there until it is resumed, which happens once.
    private final class Answer<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Value?, Never>?>

        init(_ continuation: CheckedContinuation<Value?, Never>) {
            self.continuation = Mutex(continuation)
        }

        func give(_ value: Value?) {
            continuation.withLock { $0.take() }?.resume(returning: value)
        }
    }
}
