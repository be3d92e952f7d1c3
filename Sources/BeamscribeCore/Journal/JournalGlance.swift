/// What a list of sessions says of a log.
public struct JournalSummary: Equatable, Sendable {
    /// Whole lines.
    public var lines = 0
    /// The newest line's number; 0 for none.
    public var lastSeq = 0
    /// The host's clock when the first line came, in seconds since 1970.
    public var firstSent: Double?
    /// The host's clock when the newest line came.
    public var lastSent: Double?

    init() {}

    /// What a thorough reading found.
    public init(_ survey: JournalSurvey) {
        lines = survey.count
        lastSeq = survey.lastSeq
        firstSent = survey.firstSent
        lastSent = survey.lastSent
    }
}

/// Counts a log's lines by their frames' lengths, and reads only the first and the last: a list of
/// many long sessions must not take seconds.
public struct JournalGlance {
    private var decoder = FrameDecoder(limit: Limits.journalFramePayload)
    private var count = 0
    private var first: [UInt8] = []
    private var last: [UInt8] = []
    private var isBroken = false

    /// A glance at the start of a log.
    public init() {}

    /// Takes in the next bytes of the log, in pieces of any size.
    public mutating func read(_ bytes: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        do throws(FrameError) {
            try decoder.decode(bytes) { payload in
                count += 1
                if count == 1 { first = Array(payload) }
                last.removeAll(keepingCapacity: true)
                last.append(contentsOf: payload)
                return true
            }
        } catch {
            isBroken = true
        }
    }

    /// What was seen; nil where the numbers of the first and the last line do not fit the count,
    /// so that the log has gaps or damage and must be really read.
    public var summary: JournalSummary? {
        guard !isBroken else { return nil }
        var summary = JournalSummary()
        guard count > 0 else { return summary }
        guard let first = Self.line(in: first), let last = Self.line(in: last),
            first.seq == 1, last.seq == count
        else { return nil }
        summary.lines = count
        summary.lastSeq = count
        summary.firstSent = first.sentTimestamp
        summary.lastSent = last.sentTimestamp
        return summary
    }

    private static func line(in payload: [UInt8]) -> LiveChunk? {
        let packet = payload.withUnsafeBytes { try? PacketDecoder().packet($0) }
        guard case .liveChunk(let chunk)? = packet, chunk.isFinal else { return nil }
        return chunk
    }
}
