import BeamscribeCore

/// A packet of the Real-time Transport Protocol (RFC 3550): a piece of what somebody says.
public struct RTPPacket: Equatable, Sendable {
    /// Who says it, when.
    public var header: RTPHeader
    /// What is said, coded.
    public var payload: [UInt8]

    /// A packet.
    public init(_ header: RTPHeader, payload: [UInt8]) {
        (self.header, self.payload) = (header, payload)
    }

    /// Reads a packet.
    ///
    /// - Throws: what is wrong with it.
    public init(parsing bytes: UnsafeRawBufferPointer) throws(PacketFault) {
        header = try RTPHeader(parsing: bytes)
        let range = try RTPHeader.payload(of: bytes)
        payload = Array(UnsafeRawBufferPointer(rebasing: bytes[range]))
    }

    /// It as bytes.
    public var bytes: [UInt8] { header.bytes + payload }
}
