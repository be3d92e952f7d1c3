/// Something that a ``Loop`` does once, later.
public final class LoopTimer {
    package let deadline: Duration
    private var handler: (() -> Void)?

    package init(deadline: Duration, handler: @escaping () -> Void) {
        self.deadline = deadline
        self.handler = handler
    }

    /// Forgets it. Harmless when it is done already.
    public func cancel() {
        handler = nil
    }

    package var isCancelled: Bool { handler == nil }

    package func fire() {
        let handler = self.handler
        self.handler = nil
        handler?()
    }
}

/// A timer that goes with its owner: it is cancelled when another, or none, takes its place, and when
/// nobody has this any more.
@propertyWrapper
public final class OwnedTimer {
    public var wrappedValue: LoopTimer? {
        didSet { oldValue?.cancel() }
    }

    public init(wrappedValue: LoopTimer?) {
        self.wrappedValue = wrappedValue
    }

    deinit {
        wrappedValue?.cancel()
    }
}

/// Timers by deadline.
///
/// Invariant: `heap` is a binary heap with the earliest deadline first. Cancelled timers leave
/// when they come to the top.
struct TimerQueue {
    private var heap: [LoopTimer] = []

    /// The earliest deadline of a timer that was not cancelled.
    var earliest: Duration? {
        mutating get {
            while let first = heap.first, first.isCancelled { removeFirst() }
            return heap.first?.deadline
        }
    }

    mutating func insert(_ timer: LoopTimer) {
        heap.append(timer)
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// The timers whose time has come at `now`, by deadline.
    mutating func takeDue(at now: Duration) -> [LoopTimer] {
        var due: [LoopTimer] = []
        while let earliest, earliest <= now { due.append(removeFirst()) }
        return due
    }

    @discardableResult
    private mutating func removeFirst() -> LoopTimer {
        heap.swapAt(0, heap.count - 1)
        let first = heap.removeLast()
        var parent = 0
        while true {
            let children = [2 * parent + 1, 2 * parent + 2].filter { $0 < heap.count }
            guard let least = children.min(by: { heap[$0].deadline < heap[$1].deadline }),
                heap[least].deadline < heap[parent].deadline
            else { return first }
            heap.swapAt(least, parent)
            parent = least
        }
    }
}
