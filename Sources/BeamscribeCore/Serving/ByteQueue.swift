/// Bytes that wait to be sent, taken from the front in any pieces.
///
/// Invariant: `0 <= sent <= bytes.count`, and the queue is empty rather than fully sent.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var sent = 0

    var isEmpty: Bool { bytes.isEmpty }
    var count: Int { bytes.count - sent }
    /// Whether some of it was sent, and some not.
    var isBegun: Bool { sent > 0 }

    mutating func append(_ more: some Collection<UInt8>) {
        bytes.append(contentsOf: more)
    }

    /// Puts bytes before those that wait; none of these may have been sent yet.
    mutating func prepend(_ more: UnsafeRawBufferPointer) {
        guard !more.isEmpty else { return }
        precondition(sent == 0)
        bytes.insert(contentsOf: more, at: 0)
    }

    /// The bytes that wait. Valid until the queue changes.
    func pending() -> UnsafeRawBufferPointer {
        // An array's storage stays where it is while the array is neither changed nor released.
        bytes.withUnsafeBytes { UnsafeRawBufferPointer(rebasing: $0[sent...]) }
    }

    mutating func removeFirst(_ count: Int) {
        sent += count
        precondition(sent <= bytes.count)
        if sent == bytes.count {
            bytes.removeAll(keepingCapacity: bytes.capacity <= 65_536)
            sent = 0
        }
    }
}
