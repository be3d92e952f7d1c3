/// How far a reader is who takes the captions elsewhere than over the wire: a browser, say.
///
/// It is a value that its reader keeps. The session knows nothing of such readers, so that any
/// number of them costs it nothing.
public struct FeedPosition: Hashable, Sendable {
    /// The next final.
    var cursor: TranscriptCursor
    /// The newest partial that was given.
    var partialStamp: UInt64 = 0
    /// The newest alert that was given; nil before the first look, which gives what holds then.
    var alertStamp: UInt64?
    /// Whether the last word was given.
    var hasFarewell = false

    /// The number of the next final.
    public var seq: Int { cursor.seq }
}

/// Something of the event that a reader gets. Payloads are packets as on the wire, one JSON object
/// each, without a line break; they are valid during the call that gives them.
public enum FeedItem {
    /// A final, by its number.
    case final(seq: Int, UnsafeRawBufferPointer)
    /// The newest text of an open line.
    case partial(UnsafeRawBufferPointer)
    /// Something that everybody should know.
    case alert(UnsafeRawBufferPointer)
    /// These finals are gone from memory.
    case gap(ClosedRange<Int>)
}

/// Where a reader is after a look at the event.
public enum FeedOutcome: Equatable, Sendable {
    /// There is more to read.
    case more
    /// It has everything.
    case drained
    /// It has everything, and nothing will follow.
    case over
}
