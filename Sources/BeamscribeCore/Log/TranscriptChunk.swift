/// A stretch of the transcript's memory. Frames never straddle two chunks.
final class TranscriptChunk {
    /// The offset of the chunk's first byte in the whole transcript, counted in bytes of frames.
    let startOffset: UInt64
    /// The number of the chunk's first line.
    let firstSeq: Int
    /// What the lines before that hash to; nil where nobody has asked for a chain.
    let hash: LogHash?

    private var memory: UnsafeMutableRawBufferPointer
    private(set) var count = 0

    init(startOffset: UInt64, firstSeq: Int, hash: LogHash?, capacity: Int) {
        self.hash = hash
        self.startOffset = startOffset
        self.firstSeq = firstSeq
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        memory.deallocate()
    }

    var endOffset: UInt64 { startOffset + UInt64(clamping: count) }
    var available: Int { memory.count - count }
    /// The bytes of its memory.
    var capacity: Int { memory.count }

    /// The bytes from `offset` (in the whole transcript) to the chunk's end. Valid as long as the
    /// chunk is held.
    func bytes(from offset: UInt64) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: memory[Int(clamping: offset - startOffset)..<count])
    }

    /// Gives back the memory that nothing will be appended to.
    ///
    /// - Returns: how many bytes these were.
    func seal() -> Int {
        let full = memory
        memory = .allocate(byteCount: count, alignment: 16)
        memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: full[..<count]))
        full.deallocate()
        return full.count - count
    }

    /// Puts a frame in the place of the newest, which begins at `offset` (in the whole transcript).
    func replace(from offset: UInt64, by frame: some Collection<UInt8>) {
        count = Int(clamping: offset - startOffset)
        append(frame)
    }

    func append(_ frame: some Collection<UInt8>) {
        precondition(frame.count <= available)
        UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyBytes(from: frame)
        count += frame.count
    }
}
