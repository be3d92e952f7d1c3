/// What is to happen, soonest first; of two things due at the same time the one that was added
/// first.
///
/// Invariant: `heap` is a binary heap: no entry is due before the one at half its index.
struct EventQueue {
    private struct Entry {
        let time: Int
        let order: Int
        let action: () -> Void

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    private var heap: [Entry] = []
    private var order = 0

    mutating func add(at time: Int, _ action: @escaping () -> Void) {
        order += 1
        heap.append(Entry(time: time, order: order, action: action))
        var child = heap.count - 1
        while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    /// Takes the next thing out; nil when nothing is left.
    mutating func next() -> (time: Int, action: () -> Void)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        if !heap.isEmpty {
            heap[0] = last
            sink()
        }
        return (first.time, first.action)
    }

    private mutating func sink() {
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].isBefore(heap[least]) { least = child }
            }
            guard least != parent else { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }

    mutating func removeAll() { heap = [] }
}
