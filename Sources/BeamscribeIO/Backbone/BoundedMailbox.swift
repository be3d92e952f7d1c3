internal import Glibc

/// Messages from any threads to a loop, of which only so much waits: who sends more is held up until the loop has
/// taken some.
///
/// Invariant: `waitingCost` is that of what waits; nobody waits for room once it is closed.
public final class BoundedMailbox<Message: Sendable>: @unchecked Sendable {
    // Unchecked: all of it is touched under `lock`.
    private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let room = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private let bell: Mailbox<Void>
    private let limit: Int
    private var waiting: [Message] = []
    private var waitingCost = 0
    private var isClosed = false

    /// - Parameter limit: the most that waits, in what `send` calls cost.
    public init(limit: Int) throws(SystemError) {
        bell = try Mailbox()
        self.limit = limit
        pthread_mutex_init(lock, nil)
        pthread_cond_init(room, nil)
    }

    deinit {
        pthread_cond_destroy(room)
        pthread_mutex_destroy(lock)
        lock.deallocate()
        room.deallocate()
    }

    /// Leaves a message, and waits for room where there is none. To be called on any thread but the loop's.
    public func send(_ message: Message, cost: Int) {
        pthread_mutex_lock(lock)
        while waitingCost >= limit, !isClosed { pthread_cond_wait(room, lock) }
        if !isClosed {
            waiting.append(message)
            waitingCost += cost
        }
        let isFirst = waiting.count == 1
        pthread_mutex_unlock(lock)
        if isFirst { bell.send(()) }
    }

    /// Calls `rung` on the loop whenever there are messages where there were none.
    public func open(
        on loop: EventLoop, _ rung: @escaping () -> Void
    ) throws(SystemError) -> Registration {
        try bell.open(on: loop) { [bell] in
            _ = bell.take()
            rung()
        }
    }

    /// Takes all that waits.
    public func take() -> [Message] {
        pthread_mutex_lock(lock)
        defer {
            pthread_cond_broadcast(room)
            pthread_mutex_unlock(lock)
        }
        defer { (waiting, waitingCost) = ([], 0) }
        return waiting
    }

    /// Nobody takes anything any more; nobody waits for that.
    public func close() {
        pthread_mutex_lock(lock)
        isClosed = true
        pthread_cond_broadcast(room)
        pthread_mutex_unlock(lock)
    }
}
