/// Finds what is whole in a session's log, also behind damage: where a ``JournalReader`` stops for
/// ever, this looks for the next frame.
///
/// It is given bytes and says which ones it wants next, because it has to go back where a damaged
/// length made it take good frames for one long bad one.
///
/// A line whose number is not the next one is held back until another one goes on behind it: where
/// that has a number below, the number of the first is what is damaged, and those between are not
/// missing.
///
/// Invariant: `stretches` are apart, in order, and hold whole frames of finals with rising numbers.
public struct JournalSurvey {
    /// Frames that lie one behind the other.
    public struct Stretch: Equatable, Sendable {
        /// The bytes of the log that hold them.
        public var bytes: Range<UInt64>
        /// The newest line before them.
        public var after: Int
    }

    /// Where a line's frame is in the log.
    public struct LinePlace: Equatable, Sendable {
        /// The offset of its payload in the file, in bytes.
        public var offset: UInt64
        /// The payload's length in bytes.
        public var length: Int
    }

    /// What has been found so far.
    public private(set) var stretches: [Stretch] = []
    /// The bytes seen so far.
    public private(set) var size: UInt64 = 0
    /// Lines so far.
    public private(set) var count = 0
    /// The newest line; 0 for none.
    public private(set) var lastSeq = 0
    /// Rows of numbers that are missing.
    public private(set) var gaps: [ClosedRange<Int>] = []
    /// The host's clock when the first line came, in seconds since 1970.
    public private(set) var firstSent: Double?
    /// The host's clock when the newest line came.
    public private(set) var lastSent: Double?
    /// Which lines correct which.
    public private(set) var corrections = CorrectionIndex<LinePlace>()
    /// Where the words are of lines of another log, which this one translates: the newest of each.
    public private(set) var translations: [Int: LinePlace] = [:]
    /// What its other lines, which name none, stand for.
    public private(set) var interpreted = InterpretedPlaces()

    /// What is done with a line that was found: its payload is valid during the call.
    public typealias Take = (_ payload: UnsafeRawBufferPointer, _ seq: Int) -> Void

    /// A line that was found.
    struct Found {
        /// Valid during the call that gives it.
        let payload: UnsafeRawBufferPointer
        let chunk: LiveChunk
        let seq: Int
        /// The bytes of its frame in the log.
        let frame: Range<UInt64>
    }

    /// A line that leaves others out, and whose number is not yet believed.
    private struct Jump {
        var payload: [UInt8]
        var chunk: LiveChunk
        var seq: Int
        /// The bytes of its frame.
        var bytes: Range<UInt64>
    }

    private var places = LinePlaces()
    /// The places in the event's order of lines whose writer says others than ``LinePlaces``
    /// allows, by their numbers.
    public private(set) var correctedPlaces: [Int: Int] = [:]
    /// The line that is held back; nil for none.
    private var jump: Jump?
    /// The reader of the stretch that is on; nil while a frame is looked for.
    private var reader: JournalReader?
    private let boundaries: RunBoundaries
    /// Whether the lines are those of another log in another language.
    private let isTranslation: Bool
    /// Where that stretch began.
    private var start: UInt64 = 0

    /// What every frame begins with behind its length.
    private static let mark = Array(#"{"type":"liveChunk""#.utf8)

    /// A survey that wants the first bytes of a log.
    ///
    /// - Parameters:
    ///   - boundaries: which lines may stand where, as the session's record knows it.
    ///   - isTranslation: whether the lines are those of another log in another language.
    public init(within boundaries: RunBoundaries = .init(), isTranslation: Bool = false) {
        (self.boundaries, self.isTranslation) = (boundaries, isTranslation)
        reader = JournalReader(within: boundaries)
    }

    /// A survey of the bytes from `offset` on, where the frame behind line `seq` is due.
    init(after seq: Int, at offset: UInt64) {
        (boundaries, isTranslation, lastSeq, start, size) = (.init(), false, seq, offset, offset)
        reader = JournalReader(after: seq, at: offset)
    }

    /// The bytes that hold no whole line: where each row of them is.
    public var damage: [Range<UInt64>] {
        let ends = [0] + stretches.map(\.bytes.upperBound)
        let starts = stretches.map(\.bytes.lowerBound) + [size]
        return zip(ends, starts).filter { $0 < $1 }.map { $0..<$1 }
    }

    /// Takes in bytes of the log, which lie at `offset`; none at its end.
    ///
    /// - Parameter take: gets each line once, in order.
    /// - Returns: the offset of the bytes wanted next; nil at the end.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ take: Take = { _, _ in }
    ) -> UInt64? {
        find(in: bytes, at: offset) { take($0.payload, $0.seq) }
    }

    /// The same, to find where lines end.
    ///
    /// - Parameter end: gets where each line through `seq` ends in the log.
    package mutating func read(
        _ bytes: UnsafeRawBufferPointer, at offset: UInt64, through seq: Int,
        _ end: (UInt64) -> Void
    ) -> UInt64? {
        find(in: bytes, at: offset) { if $0.seq <= seq { end($0.frame.upperBound) } }
    }

    /// The same, with all that is known of each line.
    mutating func find(
        in bytes: UnsafeRawBufferPointer, at offset: UInt64, _ take: (Found) -> Void
    ) -> UInt64? {
        size = max(size, offset + UInt64(clamping: bytes.count))
        if bytes.isEmpty {
            let next = endOfStretch()
            if next == nil { believeJump(take) }
            return next
        }
        var position = 0
        while true {
            guard reader != nil else {
                guard let found = Self.frame(in: bytes, from: position) else {
                    return offset + UInt64(clamping: Self.searched(bytes.count, from: position))
                }
                position = found
                start = offset + UInt64(clamping: found)
                reader = JournalReader(after: lastSeq, at: start, within: boundaries)
                continue
            }
            readLines(UnsafeRawBufferPointer(rebasing: bytes[position...]), take)
            guard reader?.isBroken == true else { return offset + UInt64(clamping: bytes.count) }
            guard let next = endOfStretch() else { return nil }
            // The damage may have begun in bytes that are no longer at hand.
            guard next >= offset, next < offset + UInt64(clamping: bytes.count) else { return next }
            position = Int(clamping: next - offset)
        }
    }

    private mutating func readLines(_ bytes: UnsafeRawBufferPointer, _ take: (Found) -> Void) {
        guard var reader else { return }
        self.reader = nil
        var end = start + reader.intact
        reader.read(bytes) { payload, chunk, seq in
            let frame = end..<end + UInt64(clamping: FrameDecoder.prefixLength + payload.count)
            end = frame.upperBound
            if let jump, jump.seq < seq { believeJump(take) } else { jump = nil }
            if seq == lastSeq + 1 {
                note(payload, chunk, seq, at: frame, take)
            } else {
                jump = Jump(payload: Array(payload), chunk: chunk, seq: seq, bytes: frame)
            }
        }
        self.reader = reader
    }

    /// The line that was held back has its right number: others really are missing before it.
    private mutating func believeJump(_ take: (Found) -> Void) {
        guard let jump else { return }
        self.jump = nil
        gaps.append(lastSeq + 1...jump.seq - 1)
        jump.payload.withUnsafeBytes { note($0, jump.chunk, jump.seq, at: jump.bytes, take) }
    }

    private mutating func note(
        _ payload: UnsafeRawBufferPointer, _ chunk: LiveChunk, _ seq: Int,
        at frame: Range<UInt64>, _ take: (Found) -> Void
    ) {
        if let last = stretches.last, last.bytes.upperBound == frame.lowerBound {
            stretches[stretches.count - 1].bytes = last.bytes.lowerBound..<frame.upperBound
        } else {
            stretches.append(Stretch(bytes: frame, after: lastSeq))
        }
        count += 1
        firstSent = firstSent ?? chunk.sentTimestamp
        lastSent = chunk.sentTimestamp
        lastSeq = seq
        take(Found(payload: payload, chunk: chunk, seq: seq, frame: frame))
        let ordered = places.place(of: seq, said: chunk.at)
        if ordered != chunk.at ?? seq { correctedPlaces[seq] = ordered }
        let place = LinePlace(
            offset: frame.upperBound - UInt64(clamping: payload.count), length: payload.count)
        corrections.add(seq, replacing: chunk.replaces, at: place)
        guard isTranslation, chunk.replaces == nil else { return }
        if let of = chunk.of {
            translations[of] = place
        } else {
            interpreted.speak(at: ordered)
        }
    }

    /// The reader has come to damage, or to the end.
    ///
    /// - Returns: where to look for the next frame; nil where nothing lies behind.
    private mutating func endOfStretch() -> UInt64? {
        guard let reader else { return nil }
        self.reader = nil
        guard reader.damaged > 0 else { return nil }
        let end = start + reader.intact
        // What was refused for its number may be right, and the line that is held back be wrong.
        return jump?.bytes.upperBound == end && reader.intact > 0 ? end : end + 1
    }

    // MARK: Looking for a frame

    /// Whether a log may begin with `bytes`, or a file that was cut off within its first line.
    public static func isBeginning(_ bytes: [UInt8]) -> Bool {
        let length = bytes.prefix(FrameDecoder.prefixLength)
        let whole = length.reduce(0) { $0 << 8 | Int($1) }
        let isLength =
            length.count < FrameDecoder.prefixLength
            ? length[0] == 0
            : (1...Limits.journalFramePayload).contains(whole)
        return isLength && mark.starts(with: bytes.dropFirst(length.count).prefix(mark.count))
    }

    /// Where the first thing that looks like a frame begins.
    private static func frame(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int? {
        var position = start
        while position + FrameDecoder.prefixLength + mark.count <= bytes.count {
            let length = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self).bigEndian
            let text = position + FrameDecoder.prefixLength
            if (1...Limits.journalFramePayload).contains(Int(length)),
                bytes[text..<text + mark.count].elementsEqual(mark)
            {
                return position
            }
            position += 1
        }
        return nil
    }

    /// How many of `count` bytes need not be looked at again: a frame may begin in the last ones.
    private static func searched(_ count: Int, from position: Int) -> Int {
        let kept = FrameDecoder.prefixLength + mark.count - 1
        if count - position > kept { return count - kept }
        return position > 0 ? position : count
    }
}
