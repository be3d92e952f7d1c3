import BeamscribeCore

/// What stands before the audio in a packet of the Real-time Transport Protocol (RFC 3550, section 5.1).
///
///     0                   1                   2                   3
///     |V=2|P|X|  CC   |M|     PT      |       sequence number         |
///     |                           timestamp                           |
///     |                             SSRC                              |
///     |           CSRC ...  |  extension ...  |  payload  |  padding  |
///
/// Contributing sources, extensions and padding are passed over; none is ever written.
public struct RTPHeader: Equatable, Sendable {
    /// What the payload is, 0 to 127.
    public var payloadType: UInt8
    /// Whether it is the first of a talk (RFC 3551, section 4.1).
    public var isMarked: Bool
    /// One more than that of the packet before, modulo 2^16.
    public var sequence: UInt16
    /// When its first sample was taken, in samples of 48 kHz, modulo 2^32.
    public var timestamp: UInt32
    /// Who talks: the synchronisation source.
    public var source: UInt32

    /// The length of a header without anything that may be left out, in bytes.
    public static let length = 12

    /// A header.
    public init(
        payloadType: UInt8, isMarked: Bool, sequence: UInt16, timestamp: UInt32, source: UInt32
    ) {
        (self.payloadType, self.isMarked, self.sequence) = (payloadType & 0x7F, isMarked, sequence)
        (self.timestamp, self.source) = (timestamp, source)
    }

    /// Reads a packet's fixed part, which is never encrypted (RFC 3711, section 3.1).
    ///
    /// - Throws: `tooShort` or `version`.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(PacketFault) {
        guard bytes.count >= Self.length else { throw .tooShort }
        guard bytes[0] >> 6 == 2 else { throw .version }
        self.init(
            payloadType: bytes[1], isMarked: bytes[1] & 0x80 != 0,
            sequence: bytes.bigEndian(UInt16.self, at: 2),
            timestamp: bytes.bigEndian(UInt32.self, at: 4),
            source: bytes.bigEndian(UInt32.self, at: 8))
    }

    /// Where the payload of a packet is, in bytes of it.
    ///
    /// - Throws: what is wrong with it.
    public static func payload(of bytes: UnsafeRawBufferPointer) throws(PacketFault) -> Range<Int> {
        guard bytes.count >= length else { throw .tooShort }
        let (isPadded, isExtended) = (bytes[0] & 0x20 != 0, bytes[0] & 0x10 != 0)
        var start = length + 4 * Int(bytes[0] & 0x0F)
        if isExtended {
            guard start + 4 <= bytes.count else { throw .bounds }
            start += 4 + 4 * Int(bytes.bigEndian(UInt16.self, at: start + 2))
        }
        var end = bytes.count
        if isPadded {
            let padding = Int(bytes[end - 1])
            guard padding > 0 else { throw .bounds }
            end -= padding
        }
        guard start <= end else { throw .bounds }
        return start..<end
    }

    /// It as bytes.
    public var bytes: [UInt8] {
        var bytes: [UInt8] = [0x80, (isMarked ? 0x80 : 0) | payloadType]
        bytes.append(bigEndian: sequence)
        bytes.append(bigEndian: timestamp)
        bytes.append(bigEndian: source)
        return bytes
    }
}
