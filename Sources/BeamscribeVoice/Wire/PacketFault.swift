/// Why a packet is dropped. What is dropped is counted by this, and answered by nothing.
public enum PacketFault: String, Error, CaseIterable, Sendable {
    /// It has no whole header.
    case tooShort
    /// It is of another version of RTP.
    case version
    /// Something in it reaches beyond its end.
    case bounds
    /// A payload of a type that was not agreed on.
    case payloadType
    /// Nobody was given that source, or somebody else was.
    case source
    /// It was not made with the key of who should have sent it, or came before.
    case protection
    /// Audio that is longer than may be, in bytes or in time, or no audio at all.
    case audio
    /// A sequence number or a time far from those before.
    case leap
    /// More than one guest may send.
    case flood
}

/// How many packets were dropped, and why. One of these is told, never a packet.
public struct PacketFaults: Equatable, Sendable {
    private var counts: [PacketFault: Int] = [:]

    /// None so far.
    public init() {}

    /// One more was dropped.
    public mutating func count(_ fault: PacketFault) {
        counts[fault, default: 0] += 1
    }

    /// How many were dropped for one reason.
    public subscript(_ fault: PacketFault) -> Int { counts[fault, default: 0] }

    /// How many were dropped in all.
    public var total: Int { counts.values.reduce(0, +) }
}
