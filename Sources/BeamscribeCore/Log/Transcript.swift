/// The event's finals, as the frames that go over the wire, in memory.
///
/// One log, many cursors: history for a late joiner, a resumed guest, live text and a lagging
/// guest are the same thing, a ``TranscriptCursor`` at another place. Nothing is copied or queued
/// for a reader.
///
/// Invariant: the chunks hold the frames of the lines `firstSeq...lastSeq`, each whole and once,
/// in order; `lastSeq == firstSeq - 1` says that there is none. Lines are missing between two
/// chunks only, where the log that was read back has lost them.
public final class Transcript {
    /// The first line that is still in memory (1 until memory's limit is reached).
    public var firstSeq: Int { chunks.first?.firstSeq ?? lastSeq + 1 }
    /// The newest line; 0 while there is none.
    public private(set) var lastSeq = 0
    /// Bytes of the log that it was read back from which are in no line.
    public internal(set) var unreadable: UInt64 = 0

    /// The lines' chain through ``lastSeq``; nil where nobody has asked for it, and once lines are
    /// missing: what follows them hashes to nobody knows what.
    private(set) var chain: LineChain?

    /// Where hashed lines go on behind a gap, as far as there are not too many.
    private(set) var joints: [LineJoint] = []

    /// The places in the event's order of lines whose writer says others that the rule of
    /// ``LinePlaces`` does not allow, by their numbers.
    private(set) var correctedPlaces: [Int: Int] = [:]

    /// The chain of lines that may come behind a gap.
    private var chainBehindGap: LineChain?

    private var chunks: [TranscriptChunk] = []
    private let limit: Int
    private let chunkSize: Int
    /// No line is missing before one that is this or newer.
    private var gapsEnd = 1
    /// The memory of all chunks, in bytes.
    private var reserved = 0
    /// Where the newest frame begins.
    private var newestOffset: UInt64 = 0
    /// Where the first chunk begins while there is none.
    private var emptyOffset: UInt64 = 0

    /// - Parameters:
    ///   - limit: the most bytes to keep in memory; the oldest chunks should go beyond it.
    ///   - chunkSize: the bytes of a chunk; must hold the largest frame.
    ///   - chain: that of the log before its first line, where its lines are to be hashed.
    public init(
        limit: Int = Limits.history, chunkSize: Int = Limits.chunk, hashing chain: LineChain? = nil
    ) {
        self.chain = chain
        self.chunkSize = chunkSize
        self.limit = max(limit, 2 * chunkSize)
    }

    /// Where the next frame will begin.
    public var endOffset: UInt64 { chunks.last?.endOffset ?? emptyOffset }
    /// Where the oldest frame in memory begins.
    public var startOffset: UInt64 { chunks.first?.startOffset ?? emptyOffset }

    /// A line has another place than its writer says.
    func correct(placeOf seq: Int, to place: Int) { correctedPlaces[seq] = place }

    /// Whether there is more in memory than there should be, and more than the newest chunk.
    public var isOverLimit: Bool {
        reserved > limit || chunks.count > limit / chunkSize + Limits.rememberedGaps
    }

    /// The first line that stays when the oldest chunk goes.
    public var firstSurvivor: TranscriptCursor {
        guard chunks.count > 1 else { return cursor(before: lastSeq + 1) }
        let start = chunks[1].startOffset
        return TranscriptCursor(offset: start, boundary: start, seq: chunks[1].firstSeq)
    }

    /// Whether it is known what its lines hash to.
    public var isHashed: Bool { chain != nil }

    /// Lets the oldest chunk go. Cursors in it must have been moved to ``firstSurvivor`` before.
    public func evictOldest() {
        emptyOffset = endOffset
        reserved -= chunks.removeFirst().capacity
        gapsEnd = max(gapsEnd, firstSeq)
    }

    /// Appends the frame of line `lastSeq + 1`.
    public func append(frame: some Collection<UInt8>) {
        let chunk = chunk(for: frame.count)
        newestOffset = chunk.endOffset
        chunk.append(frame)
        noteNewest(in: chunk)
    }

    private func noteNewest(in chunk: TranscriptChunk) {
        lastSeq += 1
        chain?.append(SignedPayload(newestPayload(in: chunk)))
    }

    private func newestPayload(in chunk: TranscriptChunk) -> UnsafeRawBufferPointer {
        let frame = chunk.bytes(from: newestOffset)
        return UnsafeRawBufferPointer(rebasing: frame[FrameDecoder.prefixLength...])
    }

    /// The next line follows the end of `chain`, and is hashed on from there.
    func goOn(from chain: LineChain) { chainBehindGap = chain }

    /// Puts its writer's signature behind the newest line, which nobody may have read yet. What the
    /// line hashes to stays the same.
    func sign(_ signature: LogSignature) {
        guard let chunk = chunks.last, chain != nil else { return }
        let signed = SignedPayload.signed(newestPayload(in: chunk), by: signature)
        chunk.replace(from: newestOffset, by: FrameEncoder.frame(signed))
    }

    /// The first lines that are missing between two chunks; nil for none.
    var firstGap: ClosedRange<Int>? {
        for (chunk, next) in zip(chunks, chunks.dropFirst()) {
            var (count, walk) = (0, FrameWalk(chunk.bytes(from: chunk.startOffset)))
            while walk.next() != nil { count += 1 }
            let due = chunk.firstSeq + count
            if next.firstSeq > due { return due...next.firstSeq - 1 }
        }
        guard let first = chunks.first, first.firstSeq > 1, first.startOffset == 0 else {
            return nil
        }
        return 1...first.firstSeq - 1
    }

    /// The chain before line `seq`; nil where that is not known.
    func chain(before seq: Int) -> LineChain? {
        hash(before: seq).flatMap { chain?.from(seq - 1, $0) }
    }

    /// What the lines before line `seq` hash to; nil where that is not known.
    package func hash(before seq: Int) -> LogHash? {
        guard let chain, seq <= lastSeq else { return seq == lastSeq + 1 ? chain?.hash : nil }
        guard let oldest = chunks.first, seq >= oldest.firstSeq else { return nil }
        let chunk = chunks[chunks.partitioningIndex { $0.firstSeq > seq } - 1]
        guard let hash = chunk.hash else { return nil }
        var here = chain.from(chunk.firstSeq - 1, hash)
        var walk = FrameWalk(chunk.bytes(from: chunk.startOffset))
        while here.seq < seq - 1, let payload = walk.next() { here.append(SignedPayload(payload)) }
        return here.hash
    }

    /// Appends line `seq` as it was read from a log. Lines that are missing before it are a gap,
    /// of which readers are told where they come to it.
    public func restore(payload: UnsafeRawBufferPointer, seq: Int) {
        if seq != lastSeq + 1 {
            // Many small chunks must not have the memory of large ones.
            if let last = chunks.last { reserved -= last.seal() }
            lastSeq = seq - 1
            gapsEnd = seq
            chain = chainBehindGap?.seq == seq - 1 ? chainBehindGap : nil
            if let chain, joints.count < Limits.keptJoints {
                joints.append(LineJoint(after: chain.seq, hash: chain.hash.hex))
            }
        }
        let chunk = chunk(for: FrameDecoder.prefixLength + payload.count)
        newestOffset = chunk.endOffset
        withUnsafeBytes(of: UInt32(clamping: payload.count).bigEndian) { chunk.append($0) }
        chunk.append(payload)
        noteNewest(in: chunk)
    }

    private func chunk(for size: Int) -> TranscriptChunk {
        // A line that is hashed may get a signature.
        let size = size + (chain == nil ? 0 : SignedPayload.tailBytes)
        precondition(size <= chunkSize, "a frame must fit a chunk")
        if let last = chunks.last, last.available >= size { return last }
        let chunk = TranscriptChunk(
            startOffset: endOffset, firstSeq: lastSeq + 1, hash: chain?.hash, capacity: chunkSize)
        chunks.append(chunk)
        reserved += chunkSize
        return chunk
    }

    /// A cursor before line `seq`; before the next one that there is if that line is missing, and
    /// at the end if `seq` is beyond it.
    public func cursor(before seq: Int) -> TranscriptCursor {
        guard seq <= lastSeq, let oldest = chunks.first else {
            return TranscriptCursor(offset: endOffset, boundary: endOffset, seq: lastSeq + 1)
        }
        let wanted = max(seq, oldest.firstSeq)
        let chunk = chunks[chunks.partitioningIndex { $0.firstSeq > wanted } - 1]
        var cursor = TranscriptCursor(beginning: chunk)
        while cursor.seq < wanted, cursor.boundary < chunk.endOffset {
            cursor.boundary += UInt64(clamping: Self.frameSize(at: cursor.boundary, in: chunk))
            cursor.seq += 1
        }
        cursor.offset = cursor.boundary
        _ = skipGap(&cursor)
        return cursor
    }

    /// The bytes from `cursor` to the end of its chunk: empty when it has read everything, and
    /// before a gap. Valid until the next change of the transcript.
    public func bytes(at cursor: TranscriptCursor) -> UnsafeRawBufferPointer {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        guard cursor.offset < endOffset else { return nothing }
        let chunk = chunk(at: cursor.offset)
        return cursor.seq < chunk.firstSeq ? nothing : chunk.bytes(from: cursor.offset)
    }

    /// Moves `cursor` over lines that are missing where it stands: the log has lost them, or memory
    /// has let them go.
    ///
    /// - Returns: their numbers; nil where the next line is there, or is yet to come.
    public func skipGap(_ cursor: inout TranscriptCursor) -> ClosedRange<Int>? {
        guard mayHaveGap(at: cursor), cursor.offset < endOffset else { return nil }
        let chunk = cursor.offset < startOffset ? chunks[0] : chunk(at: cursor.offset)
        guard cursor.seq < chunk.firstSeq else { return nil }
        defer { cursor = TranscriptCursor(beginning: chunk) }
        return cursor.seq...chunk.firstSeq - 1
    }

    /// Whether lines can be missing where `cursor` stands. This is asked for every line and reader.
    func mayHaveGap(at cursor: TranscriptCursor) -> Bool { cursor.seq < gapsEnd }

    /// The rest of the frame that `cursor` has begun to read; empty between two frames.
    public func restOfFrame(at cursor: TranscriptCursor) -> UnsafeRawBufferPointer {
        guard !cursor.isAtBoundary else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let chunk = chunk(at: cursor.boundary)
        let end = cursor.boundary + UInt64(clamping: Self.frameSize(at: cursor.boundary, in: chunk))
        let rest = chunk.bytes(from: cursor.offset)
        return UnsafeRawBufferPointer(rebasing: rest[..<Int(clamping: end - cursor.offset)])
    }

    /// Moves `cursor` over `count` bytes that ``bytes(at:)`` gave.
    public func advance(_ cursor: inout TranscriptCursor, by count: Int) {
        guard count > 0 else { return }
        cursor.offset += UInt64(clamping: count)
        if cursor.offset == endOffset {
            cursor.boundary = endOffset
            cursor.seq = lastSeq + 1
            return
        }
        let chunk = chunk(at: cursor.boundary)
        while cursor.boundary < cursor.offset {
            let size = UInt64(clamping: Self.frameSize(at: cursor.boundary, in: chunk))
            guard cursor.boundary + size <= cursor.offset else { return }
            cursor.boundary += size
            cursor.seq += 1
        }
    }

    private func chunk(at offset: UInt64) -> TranscriptChunk {
        // Most readers are at the end, so the last chunk is tried before searching.
        if let last = chunks.last, offset >= last.startOffset { return last }
        return chunks[chunks.partitioningIndex { $0.startOffset > offset } - 1]
    }

    /// What is wrong with the chunks; nil where nothing is. Costs a look at every frame: for tests.
    package var brokenInvariant: String? {
        var (seq, offset) = (firstSeq, startOffset)
        for chunk in chunks {
            guard chunk.startOffset == offset, chunk.firstSeq >= seq, chunk.count > 0 else {
                return "a chunk does not go on where the one before it ends"
            }
            if chunk.firstSeq > seq || offset == startOffset, chunk.firstSeq > gapsEnd {
                return "lines are missing before \(chunk.firstSeq), and nobody is told"
            }
            seq = chunk.firstSeq
            while offset < chunk.endOffset {
                offset += UInt64(clamping: Self.frameSize(at: offset, in: chunk))
                seq += 1
            }
            guard offset == chunk.endOffset else { return "a frame is torn over two chunks" }
        }
        guard reserved == chunks.reduce(0, { $0 + $1.capacity }) else {
            return "the chunks' memory was miscounted"
        }
        return seq == lastSeq + 1 ? nil : "there are lines up to \(seq - 1), not \(lastSeq)"
    }

    private static func frameSize(at offset: UInt64, in chunk: TranscriptChunk) -> Int {
        let field = chunk.bytes(from: offset).loadUnaligned(as: UInt32.self)
        return FrameDecoder.prefixLength + Int(UInt32(bigEndian: field))
    }
}

extension Array {
    /// The first index whose element satisfies `belongsInSecond`, which must be false for all
    /// elements before some index and true from there on (binary search).
    fileprivate func partitioningIndex(where belongsInSecond: (Element) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if belongsInSecond(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
