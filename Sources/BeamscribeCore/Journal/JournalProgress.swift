/// How far a transcript has been stored in its session's log.
///
/// The journal is one more reader of the transcript: a cursor that must be at the end before any
/// guest may read. When the disk is full it stays behind and catches up later, and what it has
/// not yet written waits where it lies, in the transcript.
///
/// Invariant: the file holds the frames up to `written`, the disk those up to `synchronized`, and
/// a byte of the transcript lies `skipped` bytes earlier in the file.
struct JournalProgress {
    private(set) var written: TranscriptCursor
    private(set) var synchronized: TranscriptCursor
    /// The last line that the transcript let go before it could be written, and the first in that
    /// row; nil when there is none or once it was told.
    private(set) var untoldGap: ClosedRange<Int>?
    /// Why nothing is written at the moment.
    var failure: String?
    private var skipped: UInt64

    /// A journal that holds everything up to `end`.
    init(holding end: TranscriptCursor, skipped: UInt64 = 0) {
        written = end
        synchronized = end
        self.skipped = skipped
    }

    /// Where in the file the next byte belongs.
    var fileOffset: UInt64 { written.offset - skipped }

    /// `count` bytes at ``fileOffset`` were written.
    mutating func advance(_ count: Int, in transcript: Transcript) {
        transcript.advance(&written, by: count)
    }

    /// The disk has what had been written when `cursor` was ``written``.
    mutating func synchronize(to cursor: TranscriptCursor) {
        synchronized = max(synchronized, cursor)
    }

    /// The disk may have lost what it did not confirm: it is to be written again. (A failed
    /// fdatasync marks pages as clean that were never written; a second one would say all is well.)
    mutating func rewind() {
        written = min(written, synchronized)
    }

    /// The transcript lets go of what lies before `survivor`. Lines that were not written go with
    /// it, and the next ones take the place of the first of them.
    mutating func skip(to survivor: TranscriptCursor) {
        if written.boundary < survivor.boundary {
            untoldGap = (untoldGap?.lowerBound ?? written.seq)...(survivor.seq - 1)
            skipped += survivor.boundary - written.boundary
            written = survivor
        }
        synchronized = max(synchronized, min(survivor, written))
    }

    /// The gap that is to be told, once.
    mutating func takeGap() -> ClosedRange<Int>? {
        defer { untoldGap = nil }
        return untoldGap
    }
}
