internal import Glibc
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
            if !startThread({ answer.give(work()) }) { answer.give(nil) }
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

    private final class Job {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }
    }

    private static func startThread(_ body: @escaping @Sendable () -> Void) -> Bool {
        var thread = pthread_t()
        let context = Unmanaged.passRetained(Job(body)).toOpaque()
        let start: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = {
            guard let context = $0 else { return nil }
            Unmanaged<Job>.fromOpaque(context).takeRetainedValue().body()
            return nil
        }
        guard pthread_create(&thread, nil, start, context) == 0 else {
            Unmanaged<Job>.fromOpaque(context).release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}
