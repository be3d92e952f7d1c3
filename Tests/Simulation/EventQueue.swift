/// What is to happen, soonest first; of two things due at the same time the one that was added
/// first.
///
/// Invariant: `heap` is a binary heap: no entry is due before the one at half its index. Each entry
/// has its action at its `place`; the other places are `free`.
struct EventQueue {
    /// Has no reference, so that moving it counts none: every event is moved several times.
    private struct Entry {
        let time: Int
        let order: Int
        let place: Int

        func isBefore(_ other: Entry) -> Bool {
            time != other.time ? time < other.time : order < other.order
        }
    }

    private var heap: [Entry] = []
    private var actions: [() -> Void] = []
    private var free: [Int] = []
    private var order = 0

    mutating func add(at time: Int, _ action: @escaping () -> Void) {
        order += 1
        let entry = Entry(time: time, order: order, place: free.popLast() ?? actions.count)
        if entry.place == actions.count {
            actions.append(action)
        } else {
            actions[entry.place] = action
        }
        heap.append(entry)
        var child = heap.count - 1
        while child > 0, entry.isBefore(heap[(child - 1) / 2]) {
            heap[child] = heap[(child - 1) / 2]
            child = (child - 1) / 2
        }
        heap[child] = entry
    }

    /// Takes the next thing out; nil when nothing is left.
    mutating func next() -> (time: Int, action: () -> Void)? {
        guard let first = heap.first, let last = heap.popLast() else { return nil }
        let action = actions[first.place]
        actions[first.place] = {}
        free.append(first.place)
        if !heap.isEmpty { sink(last) }
        return (first.time, action)
    }

    /// Puts an entry where it belongs, from the top on.
    private mutating func sink(_ entry: Entry) {
        var parent = 0
        while 2 * parent + 1 < heap.count {
            var child = 2 * parent + 1
            if child + 1 < heap.count, heap[child + 1].isBefore(heap[child]) { child += 1 }
            guard heap[child].isBefore(entry) else { break }
            heap[parent] = heap[child]
            parent = child
        }
        heap[parent] = entry
    }

    mutating func removeAll() { (heap, actions, free) = ([], [], []) }
}
