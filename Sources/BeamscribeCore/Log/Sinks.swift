/// What a sink is called.
public struct SinkName: Hashable, Sendable {
    let name: String

    public init(_ name: String) {
        self.name = name
    }

    /// The session's log on the disk.
    public static let disk = SinkName("disk")
}

/// The readers of a transcript that have to have a line before anybody else may see it, and that
/// confirm later that they have it for good: the log on the disk is one.
///
/// One that fails stays behind and is waited for no longer: the event goes on from memory, and what
/// is missing waits where it lies, in the transcript, until the sink takes it.
///
/// Invariant: each sink holds the frames up to `written` (less those of told gaps, and with the damage
/// that was found in it), for good those up to `confirmed`; ``front(of:)`` is never beyond a sink that takes what it is given.
struct Sinks {
    private var sinks: [SinkName: SinkProgress] = [:]

    subscript(name: SinkName) -> SinkProgress? { sinks[name] }

    /// A sink that holds everything of `transcript`, for good.
    mutating func add(_ name: SinkName, holding transcript: Transcript) {
        sinks[name] = SinkProgress(holding: transcript)
    }

    /// One that holds the lines through `seq`, and whose next one belongs at `fileOffset`.
    mutating func add(
        _ name: SinkName, holding transcript: Transcript, through seq: Int, at fileOffset: UInt64
    ) {
        sinks[name] = SinkProgress(
            at: SinkPlace(cursor: transcript.cursor(before: seq + 1), at: fileOffset))
    }

    /// Nobody waits for a sink any more.
    mutating func remove(_ name: SinkName) { sinks[name] = nil }

    /// How far others may read in a transcript that ends at `end`.
    func front(of end: UInt64) -> UInt64 {
        var front = end
        for sink in sinks.values where sink.failure == nil {
            front = min(front, sink.written.cursor.boundary)
        }
        return front
    }

    /// Hands a sink what it does not have, up to `end`, where a frame ends.
    mutating func feed<Failure: Error>(
        _ name: SinkName, from transcript: Transcript, through end: UInt64,
        _ write: (UnsafeRawBufferPointer, UInt64) throws(Failure) -> Int
    ) -> [HostEvent] {
        change(name) { sink in
            do throws(Failure) {
                while true {
                    _ = transcript.skipGap(&sink.written.cursor)
                    let bytes = transcript.bytes(at: sink.written.cursor)
                    let left = end - min(end, sink.written.cursor.offset)
                    let due = UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(clamping: left)))
                    if due.isEmpty { break }
                    let count = try write(due, sink.written.fileOffset)
                    transcript.advance(&sink.written.cursor, by: count)
                }
                sink.failure = nil
            } catch {
                sink.failure = "\(error)"
            }
        }
    }

    /// A sink may have lost what it did not confirm: it is to be given that again. (A failed
    /// fdatasync marks pages as clean that were never written; a second one would say all is well.)
    mutating func fail(
        _ name: SinkName, _ why: String, in transcript: Transcript
    ) -> [HostEvent] {
        change(name) { sink in
            sink.rewind(in: transcript)
            sink.failure = why
        }
    }

    /// A sink has for good what it had when `place` was where it stood.
    mutating func confirm(_ name: SinkName, _ place: SinkPlace) {
        guard let sink = sinks[name], place.fileOffset > sink.confirmed.fileOffset else { return }
        sinks[name]?.confirmed = place
    }

    /// The transcript lets go of what lies before `survivor`.
    mutating func skip(to survivor: TranscriptCursor) -> [HostEvent] {
        sinks.keys.flatMap { change($0) { $0.skip(to: survivor) } }
    }

    /// Changes a sink, and says what is to be told of that.
    private mutating func change(
        _ name: SinkName, _ body: (inout SinkProgress) -> Void
    ) -> [HostEvent] {
        guard var sink = sinks[name] else { return [] }
        let before = sink.failure
        body(&sink)
        defer { sinks[name] = sink }
        var events: [HostEvent] = []
        switch (before, sink.failure) {
        case (nil, let why?): events.append(.storageFailed(why))
        case (_?, nil): events.append(.storageRestored(through: sink.written.lastSeq))
        default: break
        }
        if let gap = sink.takeGap() {
            events.append(.storageGap(from: gap.lowerBound, through: gap.upperBound))
        }
        return events
    }

    func brokenInvariant(in transcript: Transcript) -> String? {
        sinks.values.lazy.compactMap { $0.brokenInvariant(in: transcript) }.first
    }
}

/// How far a sink is.
struct SinkProgress {
    fileprivate(set) var written: SinkPlace
    fileprivate(set) var confirmed: SinkPlace
    /// Lines that it lacks and that the transcript has let go; nil when there are none or once they
    /// were told.
    private var untoldGap: ClosedRange<Int>?
    /// Why it takes nothing at the moment.
    fileprivate(set) var failure: String?

    fileprivate init(holding transcript: Transcript) {
        self.init(
            at: SinkPlace(
                cursor: transcript.cursor(before: transcript.lastSeq + 1),
                unreadable: transcript.unreadable))
    }

    fileprivate init(at place: SinkPlace) { (written, confirmed) = (place, place) }

    /// Where it stands; nil where it has confirmed that.
    var unconfirmed: SinkPlace? { confirmed == written ? nil : written }

    /// What is no longer in memory can't be given again, and is a gap.
    fileprivate mutating func rewind(in transcript: Transcript) {
        guard confirmed.fileOffset < written.fileOffset else { return }
        written = confirmed
        skip(to: transcript.cursor(before: transcript.firstSeq))
    }

    /// Lines that it was not given go with what lies before `survivor`, and the next ones take the
    /// place of the first of them.
    fileprivate mutating func skip(to survivor: TranscriptCursor) {
        guard written.cursor.boundary < survivor.boundary else { return }
        untoldGap = (untoldGap?.lowerBound ?? written.cursor.seq)...(survivor.seq - 1)
        written.skipped += survivor.boundary - written.cursor.boundary
        written.cursor = survivor
    }

    fileprivate mutating func takeGap() -> ClosedRange<Int>? {
        defer { untoldGap = nil }
        return untoldGap
    }

    fileprivate func brokenInvariant(in transcript: Transcript) -> String? {
        let cursor = written.cursor
        guard cursor.offset <= transcript.endOffset else {
            return "a sink is beyond the transcript"
        }
        guard confirmed.fileOffset <= written.fileOffset else {
            return "a sink has confirmed what it was not given"
        }
        return cursor.boundary <= cursor.offset ? nil : "a sink stands outside of its frame"
    }
}

/// A place in a sink, and in the transcript that it is given.
public struct SinkPlace: Equatable, Sendable {
    /// The next byte of the transcript.
    fileprivate(set) var cursor: TranscriptCursor
    /// Bytes of the transcript before it that the sink never got.
    fileprivate(set) var skipped: UInt64 = 0
    /// Bytes of the sink's file before it that are in no line.
    let unreadable: UInt64

    fileprivate init(cursor: TranscriptCursor, unreadable: UInt64) {
        (self.cursor, self.unreadable) = (cursor, unreadable)
    }

    /// A place in a file that may have more than the transcript, or less.
    fileprivate init(cursor: TranscriptCursor, at fileOffset: UInt64) {
        self.init(cursor: cursor, unreadable: fileOffset - min(fileOffset, cursor.offset))
        skipped = cursor.offset - min(fileOffset, cursor.offset)
    }

    /// Where in the sink's file the frame begins that is written there next, or goes on.
    package var frameOffset: UInt64 { fileOffset - (cursor.offset - cursor.boundary) }

    /// Where in the sink's file the next byte belongs. After a gap there may be remains of older lines
    /// behind it.
    public var fileOffset: UInt64 { cursor.offset + unreadable - skipped }

    /// The newest line that lies whole before it; 0 for none.
    public var lastSeq: Int { cursor.seq - 1 }
}
