/// The payloads of whole frames that lie one behind another in memory.
struct FrameWalk {
    private let frames: UnsafeRawBufferPointer
    private var offset = 0

    /// - Parameter frames: whole frames; valid as long as this is used.
    init(_ frames: UnsafeRawBufferPointer) {
        self.frames = frames
    }

    /// The next frame's payload; nil behind the last.
    mutating func next() -> UnsafeRawBufferPointer? {
        let start = offset + FrameDecoder.prefixLength
        guard start <= frames.count else { return nil }
        let length = frames.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        offset = start + Int(UInt32(bigEndian: length))
        return UnsafeRawBufferPointer(rebasing: frames[start..<offset])
    }
}
