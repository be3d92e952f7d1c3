import BeamscribeCore
internal import CLinux

/// When a key of an input device is pressed and released, of what the kernel tells of it (evdev,
/// Documentation/input/input.rst): records of `struct input_event`, as many as there are.
///
/// Invariant: less than a record is kept.
struct KeyEvents {
    private let code: UInt16
    private var rest: [UInt8] = []
    private(set) var isDown = false

    private static let size = MemoryLayout<input_event>.size

    /// - Parameter code: the key's.
    init(of code: UInt16) { self.code = code }

    /// Reads what came next.
    ///
    /// - Returns: whether it is down, each time that this has changed.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [Bool] {
        rest += bytes
        let count = rest.count / Self.size
        let changes = rest.withUnsafeBytes { bytes in
            (0..<count).compactMap { index in
                change(bytes.loadUnaligned(fromByteOffset: index * Self.size, as: input_event.self))
            }
        }
        rest.removeFirst(count * Self.size)
        return changes
    }

    /// Nothing more comes: a key that is not there is not pressed.
    ///
    /// - Returns: whether it was.
    mutating func end() -> Bool {
        defer { (rest, isDown) = ([], false) }
        return isDown
    }

    private mutating func change(_ event: input_event) -> Bool? {
        // What was lost may have been its release.
        let isLost = event.type == EV_SYN && event.code == SYN_DROPPED
        guard isLost || event.type == EV_KEY && event.code == code else { return nil }
        // 2: it is held, and repeats itself.
        let isDown = !isLost && event.value != 0
        defer { self.isDown = isDown }
        return isDown == self.isDown ? nil : isDown
    }
}
