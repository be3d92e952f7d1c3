public import BeamscribeCore
import BeamscribeIO

/// The event's figures at one moment, for whoever keeps an eye on many machines.
public struct HostMetrics: Sendable {
    /// How many guests there are, by how far they are.
    public var counts: GuestCounts
    /// Finals so far.
    public var lines: Int
    /// Bytes of finals in memory.
    public var transcriptBytes: Int
    /// Bytes that guests took, in all.
    public var sentBytes: Int
    /// How many lines the guest is behind that is farthest behind.
    public var guestLag: Int
    /// Seconds since the input last said something, or since the host's start.
    public var inputAge: Double

    /// Nobody is served.
    init(serving log: EventLog, now: Moment) {
        (counts, sentBytes, guestLag) = (GuestCounts(), 0, 0)
        lines = log.lastSeq
        transcriptBytes = log.byteCount
        inputAge = log.inputAge(now.uptime).seconds
    }

    init(of room: Room, serving log: EventLog, now: Moment) {
        counts = room.counts
        lines = log.lastSeq
        transcriptBytes = log.byteCount
        sentBytes = room.sentBytes
        guestLag = room.greatestLag
        inputAge = log.inputAge(now.uptime).seconds
    }

    /// Lines are said in one more log.
    mutating func add(_ log: EventLog) {
        lines += log.lastSeq
        transcriptBytes += log.byteCount
    }
}
