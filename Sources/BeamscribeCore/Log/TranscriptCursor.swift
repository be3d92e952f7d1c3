/// How far a reader of the transcript has got, to the byte.
///
/// Invariant: `boundary` is where the frame of line `seq` begins (or will), and
/// `boundary <= offset < boundary + that frame's size`.
public struct TranscriptCursor: Hashable, Sendable {
    /// The next byte to be read, counted in bytes of frames from the transcript's start.
    public internal(set) var offset: UInt64
    /// Where the frame that `offset` lies in begins.
    public internal(set) var boundary: UInt64
    /// The line whose frame begins at `boundary`.
    public internal(set) var seq: Int

    init(offset: UInt64, boundary: UInt64, seq: Int) {
        self.offset = offset
        self.boundary = boundary
        self.seq = seq
    }

    /// A reader at the first line of `chunk`.
    init(beginning chunk: TranscriptChunk) {
        self.init(offset: chunk.startOffset, boundary: chunk.startOffset, seq: chunk.firstSeq)
    }

    /// Whether the reader stands between two frames.
    public var isAtBoundary: Bool { offset == boundary }
}

extension TranscriptCursor: Comparable {
    /// The cursor that has read less comes first.
    public static func < (one: TranscriptCursor, other: TranscriptCursor) -> Bool {
        one.offset < other.offset
    }
}
