import Synchronization

/// Carries events from a loop to a reader that may be slower, in batches.
///
/// Unlike an AsyncStream it tells the writer when the reader is behind, so that the writer can
/// stop reading its own source: what waits is bounded by ``limit`` and one batch.
///
/// Invariant: events come out in the order in which they went in, each once.
public final class EventBuffer<Element: Sendable>: AsyncSequence, Sendable {
    /// Events that may wait before ``push(_:)`` says that it is enough.
    public let limit: Int

    private let state = Mutex(State())

    private typealias Reader = CheckedContinuation<[Element]?, Never>

    private struct State {
        var waiting: [Element] = []
        var reader: Reader?
        var isFinished = false
        var isFull = false
        var drained: (@Sendable () -> Void)?

        /// Adds events. Returns the reader who waits for them, if one does, and all of them.
        mutating func add(_ events: [Element], limit: Int) -> (reader: Reader, batch: [Element])? {
            waiting += events
            guard let reader else {
                isFull = waiting.count >= limit
                return nil
            }
            self.reader = nil
            defer { waiting = [] }
            return (reader, waiting)
        }

        /// All that waits, and who is to be told that a full buffer was read empty.
        mutating func takeBatch() -> (batch: [Element], drained: (@Sendable () -> Void)?) {
            defer { (waiting, isFull) = ([], false) }
            return (waiting, isFull ? drained : nil)
        }

        mutating func takeReader() -> Reader? {
            defer { reader = nil }
            return reader
        }
    }

    /// - Parameter limit: see ``limit``.
    public init(limit: Int) {
        self.limit = limit
    }

    /// Sets what is called when a full buffer has been read empty.
    func whenDrained(_ drained: @escaping @Sendable () -> Void) {
        state.withLock { $0.drained = drained }
    }

    /// Whether ``limit`` events wait.
    private var isFull: Bool { state.withLock { $0.isFull } }

    /// Adds events. False when the writer should pause until the buffer was drained.
    @discardableResult
    func push(_ events: [Element]) -> Bool {
        guard !events.isEmpty else { return true }
        let delivery = state.withLock { $0.add(events, limit: limit) }
        delivery?.reader.resume(returning: delivery?.batch)
        return delivery != nil || !isFull
    }

    /// Adds events that can be spared, where it is not full.
    func offer(_ events: @autoclosure () -> [Element]) {
        if !isFull { push(events()) }
    }

    /// Ends the sequence after what waits.
    func finish() {
        let reader = state.withLock { state in
            state.isFinished = true
            state.drained = nil
            return state.takeReader()
        }
        reader?.resume(returning: nil)
    }

    /// Everything that waits, once something does; nil at the end, and for a task that was
    /// cancelled, which leaves what waits for whoever reads next.
    func next() async -> [Element]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { take(for: $0) }
        } onCancel: {
            state.withLock { $0.takeReader() }?.resume(returning: nil)
        }
    }

    /// Everything that waits now, for a reader who does not.
    func takeWaiting() -> [Element] {
        let (batch, drained) = state.withLock { $0.takeBatch() }
        drained?()
        return batch
    }

    /// To be called by the reader's task.
    private func take(for reader: Reader) {
        var drained: (@Sendable () -> Void)?
        let ready: [Element]?? = state.withLock { state in
            // Looked at within the lock: cancelled later, the task finds its reader there.
            if Task.isCancelled { return .some(nil) }
            guard state.waiting.isEmpty else {
                let batch: [Element]
                (batch, drained) = state.takeBatch()
                return .some(batch)
            }
            if state.isFinished { return .some(nil) }
            state.reader = reader
            return nil
        }
        drained?()
        if let ready { reader.resume(returning: ready) }
    }

    /// Reads the buffer batch by batch. One reader at a time.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let buffer: EventBuffer

        public mutating func next() async -> [Element]? { await buffer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(buffer: self) }
}
