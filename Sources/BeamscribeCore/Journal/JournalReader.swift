/// Reads a session's log: the finals' frames exactly as they are on the wire, one behind the other.
///
///     +--------+---------------------+--------+---------------------+ - - -
///     | length | liveChunk, seq 1    | length | liveChunk, seq 2    |
///     +--------+---------------------+--------+---------------------+ - - -
///
/// What does not belong there, a frame that is cut short by a loss of power, zeros of a file
/// system, and everything behind it, is damage: `intact` says where it begins.
///
/// Invariant: the first `intact` bytes are whole frames of finals with rising numbers, and
/// `lastSeq` is the number of the last.
public struct JournalReader {
    /// The bytes that hold whole lines, from the start.
    public private(set) var intact: UInt64 = 0
    /// The bytes read so far.
    public private(set) var size: UInt64 = 0
    /// The newest line; 0 for none.
    public private(set) var lastSeq = 0
    /// Lines so far.
    public private(set) var count = 0
    /// Rows of numbers that are missing: lines that could never be written.
    public private(set) var gaps: [ClosedRange<Int>] = []
    /// Whether a frame was met that does not belong in a log.
    public private(set) var isBroken = false

    private let start: UInt64
    private let boundaries: RunBoundaries
    private var decoder = FrameDecoder(limit: Limits.journalFramePayload)
    private let packets = PacketDecoder()

    /// A reader at the start of a log, or at that of the frame behind line `seq`.
    ///
    /// - Parameters:
    ///   - start: the offset of its first byte in the log.
    ///   - boundaries: which lines may stand where.
    public init(
        after seq: Int = 0, at start: UInt64 = 0, within boundaries: RunBoundaries = .init()
    ) {
        lastSeq = seq
        self.start = start
        self.boundaries = boundaries
    }

    /// The bytes at the end that hold no whole line.
    public var damaged: UInt64 { size - intact }

    /// Takes in the next bytes of the log, in pieces of any size, and hands over its lines. The
    /// payloads are valid during the call.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        _ line: (_ payload: UnsafeRawBufferPointer, _ chunk: LiveChunk, _ seq: Int) -> Void
    ) {
        size += UInt64(clamping: bytes.count)
        guard !isBroken else { return }
        do throws(FrameError) {
            // Taken out, since the frames' handler changes this reader.
            var decoder = self.decoder
            self.decoder = FrameDecoder()
            defer { self.decoder = decoder }
            try decoder.decode(bytes) { payload in
                isBroken = !take(payload, line)
                return !isBroken
            }
        } catch {
            isBroken = true
        }
    }

    private mutating func take(
        _ payload: UnsafeRawBufferPointer,
        _ line: (UnsafeRawBufferPointer, LiveChunk, Int) -> Void
    ) -> Bool {
        guard case .liveChunk(let chunk)? = try? packets.packet(payload), chunk.isFinal,
            let seq = chunk.seq, seq > lastSeq, seq <= Limits.lineNumber,
            boundaries.allow(seq, at: start + intact)
        else { return false }
        if seq > lastSeq + 1 { gaps.append(lastSeq + 1...seq - 1) }
        lastSeq = seq
        count += 1
        intact += UInt64(clamping: FrameDecoder.prefixLength + payload.count)
        line(payload, chunk, seq)
        return true
    }
}
