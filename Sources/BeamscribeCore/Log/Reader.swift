/// How far somebody has read an event: a guest of the wire, or a browser.
///
/// It is a value that its owner keeps. The log knows nothing of its readers, so that any number of
/// them costs it nothing. What a reader gets is the finals behind its cursor, and whenever it has all
/// of them the newest partials; alerts as its owner asks for them; and in the end the last word.
///
/// Invariant: it gets each final once and in order, or is told of the gap; and each partial and each
/// alert at most once.
public struct Reader: Hashable, Sendable {
    /// The next final.
    private(set) var cursor: TranscriptCursor
    /// The newest partial that was given.
    private var partialStamp: UInt64 = 0
    /// The newest alert that was given; nil before the first look, which gives what holds then.
    private var alertStamp: UInt64?
    /// Whether the last word was given.
    private var hasFarewell = false

    init(at cursor: TranscriptCursor) {
        self.cursor = cursor
    }

    /// The number of the next final.
    public var seq: Int { cursor.seq }
    /// Whether it stands between two frames.
    var isBetweenFrames: Bool { cursor.isAtBoundary }

    /// Whether there may be something for it before the next final.
    func hasNews(in log: EventLog) -> Bool {
        alertStamp != log.newestAlert || log.mayHaveGap(at: cursor)
    }

    /// Whether there may be something for it behind the finals.
    func isOwedMore(in log: EventLog) -> Bool { partialStamp < log.newestPartial || log.isOver }

    /// Whether there are partials for it, where it has all finals.
    func isOwedPartials(in log: EventLog) -> Bool {
        partialStamp < log.newestPartial && log.isDrained(by: cursor)
    }

    /// `count` bytes of the frames at the cursor were read.
    mutating func advance(_ count: Int, in log: EventLog) {
        log.advance(&cursor, by: count)
    }

    /// The finals that are missing where it stands, once: it goes on behind them.
    mutating func gap(in log: EventLog) -> ClosedRange<Int>? {
        guard let gap = log.skipGap(&cursor) else { return nil }
        // At a gap a reader drops its partials, for their finals may be gone.
        partialStamp = 0
        return gap
    }

    /// The alerts that it has not been given, as frames.
    mutating func alerts(in log: EventLog) -> [[UInt8]] {
        guard alertStamp != log.newestAlert else { return [] }
        defer { alertStamp = log.newestAlert }
        return log.alerts(after: alertStamp)
    }

    /// The newest partials that it has not been given, as frames; none while there are finals.
    mutating func partials(in log: EventLog) -> [[UInt8]] {
        guard partialStamp < log.newestPartial, log.isDrained(by: cursor) else { return [] }
        defer { partialStamp = log.newestPartial }
        return log.partials(after: partialStamp)
    }

    /// The last word, as a frame, once; nil while there is something before it.
    mutating func lastWord(in log: EventLog) -> [UInt8]? {
        guard !hasFarewell, let lastWord = log.lastWord, log.isDrained(by: cursor) else {
            return nil
        }
        hasFarewell = true
        return lastWord
    }
}

// MARK: Reading packet by packet

extension Reader {
    /// Something of the event. Payloads are packets as on the wire, one JSON object each, without a
    /// line break; they are valid during the call that gives them.
    public enum Item {
        /// A final, by its number.
        case final(seq: Int, UnsafeRawBufferPointer)
        /// The newest text of an open line.
        case partial(UnsafeRawBufferPointer)
        /// Something that everybody should know.
        case alert(UnsafeRawBufferPointer)
        /// These finals are gone from memory, or were lost.
        case gap(ClosedRange<Int>)
    }

    /// Where a reader is after a look at the event.
    public enum Outcome: Equatable, Sendable {
        /// There is more to read.
        case more
        /// It has everything.
        case drained
        /// It has everything, and nothing will follow.
        case over
    }

    /// Hands over what follows: finals, and once there are none left alerts and the newest partials,
    /// and in the end the last word.
    ///
    /// - Parameters:
    ///   - limit: about how many bytes of finals to give.
    ///   - take: gets the items; their payloads are valid during the call.
    public mutating func read(
        _ log: EventLog, limit: Int, _ take: (Item) -> Void
    ) -> Outcome {
        guard readFinals(log, limit: limit, take) else { return .more }
        for frame in alerts(in: log) { Self.withPayload(of: frame) { take(.alert($0)) } }
        for frame in partials(in: log) { Self.withPayload(of: frame) { take(.partial($0)) } }
        guard log.isOver else { return .drained }
        if let lastWord = lastWord(in: log) {
            Self.withPayload(of: lastWord) { take(.alert($0)) }
        }
        return .over
    }

    /// Whether it got all of them.
    private mutating func readFinals(
        _ log: EventLog, limit: Int, _ take: (Item) -> Void
    ) -> Bool {
        var left = limit
        while true {
            if let gap = gap(in: log) { take(.gap(gap)) }
            let frames = log.frames(at: cursor)
            if frames.isEmpty { return true }
            guard left > 0 else { return false }
            var (count, seq) = (0, cursor.seq)
            var walk = FrameWalk(frames)
            while count < left, let payload = walk.next() {
                take(.final(seq: seq, payload))
                count += FrameDecoder.prefixLength + payload.count
                seq += 1
            }
            advance(count, in: log)
            left -= count
        }
    }

    private static func withPayload(
        of frame: [UInt8], _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        frame.withUnsafeBytes { bytes in
            body(UnsafeRawBufferPointer(rebasing: bytes[FrameDecoder.prefixLength...]))
        }
    }
}
