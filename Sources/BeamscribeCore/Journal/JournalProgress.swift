/// How far a transcript has been stored in its session's log.
///
/// The journal is one more reader of the transcript: a cursor that must be at the end before any
/// guest may read. When the disk is full it stays behind and catches up later, and what it has
/// not yet written waits where it lies, in the transcript.
///
/// Invariant: the file holds the frames up to `written` (less those of told gaps), the disk those
/// up to `confirmed`.
struct JournalProgress {
    private(set) var written: JournalPlace
    private(set) var confirmed: JournalPlace
    /// Lines that are not in the log and that the transcript has let go; nil when there are none
    /// or once they were told.
    private var untoldGap: ClosedRange<Int>?
    /// Why nothing is written at the moment.
    var failure: String?

    /// A journal that holds everything up to `end`, confirmed by the disk.
    init(holding end: TranscriptCursor) {
        written = JournalPlace(cursor: end, skipped: 0)
        confirmed = written
    }

    /// `count` bytes at the place that is written next were written.
    mutating func advance(_ count: Int, in transcript: Transcript) {
        transcript.advance(&written.cursor, by: count)
    }

    /// The disk has what had been written when `place` was ``written``.
    mutating func confirm(_ place: JournalPlace) {
        if place.fileOffset > confirmed.fileOffset { confirmed = place }
    }

    /// The disk may have lost what it did not confirm: it is to be written again. (A failed
    /// fdatasync marks pages as clean that were never written; a second one would say all is well.)
    /// What is no longer in memory can't be, and is a gap.
    mutating func rewind(in transcript: Transcript) {
        guard confirmed.fileOffset < written.fileOffset else { return }
        written = confirmed
        skip(to: transcript.cursor(before: transcript.firstSeq))
    }

    /// The transcript lets go of what lies before `survivor`. Lines that were not written go with
    /// it, and the next ones take the place of the first of them.
    mutating func skip(to survivor: TranscriptCursor) {
        guard written.cursor.boundary < survivor.boundary else { return }
        untoldGap = (untoldGap?.lowerBound ?? written.cursor.seq)...(survivor.seq - 1)
        written.skipped += survivor.boundary - written.cursor.boundary
        written.cursor = survivor
    }

    /// The gap that is to be told, once.
    mutating func takeGap() -> ClosedRange<Int>? {
        defer { untoldGap = nil }
        return untoldGap
    }
}

/// A place in a session's log, and in the transcript that it is written from.
public struct JournalPlace: Equatable, Sendable {
    /// The next byte of the transcript.
    var cursor: TranscriptCursor
    /// Bytes of the transcript before it that never came into the file.
    var skipped: UInt64

    /// Where in the file the next byte belongs.
    var fileOffset: UInt64 { cursor.offset - skipped }

    /// The newest line that lies whole before it; 0 for none.
    public var lastSeq: Int { cursor.seq - 1 }
}
