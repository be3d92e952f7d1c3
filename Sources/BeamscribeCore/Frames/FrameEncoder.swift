import FoundationEssentials

/// Writes packets as frames: a 4-byte big-endian length and that many bytes of JSON.
public struct FrameEncoder {
    private let json = JSONEncoder()

    /// Makes an encoder; one serves for any number of packets.
    public init() {
        json.outputFormatting = .withoutEscapingSlashes
    }

    /// The frame of `packet`, length and payload.
    ///
    /// - Throws: `EncodingError` where a number is not finite, which JSON cannot say.
    public func frame(_ packet: Packet) throws -> [UInt8] {
        let quick: [UInt8]? =
            switch packet {
            case .liveChunk(let chunk): frame(chunk, chunk.text.utf8.count, of: packet)
            case .keepAlive(let body): frame(body, of: packet)
            case .fullHistory(let body): frame(body, of: packet)
            default: nil
            }
        return try quick ?? Self.frame(try json.encode(packet))
    }

    /// The frame of a packet that is encoded.
    package static func frame(_ payload: some Collection<UInt8>) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: FrameDecoder.prefixLength)
        frame.append(contentsOf: payload)
        fillInLength(of: &frame)
        return frame
    }

    /// The frame of a packet whose keys stand in a table; nil where JSON cannot say it.
    @inline(__always)
    private func frame(_ body: some FlatPacket, _ textBytes: Int = 0, of packet: Packet) -> [UInt8]?
    {
        var (body, writer) = (body, JSONObjectWriter(reservingCapacity: textBytes + 192))
        writer.begin(prefix: FrameDecoder.prefixLength)
        writer.write("type", packet.typeName)
        _ = body.visit(&writer)
        writer.end()
        guard writer.isWhole else { return nil }
        var frame = writer.bytes
        Self.fillInLength(of: &frame)
        return frame
    }

    private static func fillInLength(of frame: inout [UInt8]) {
        let length = frame.count - FrameDecoder.prefixLength
        precondition((1...Limits.framePayload).contains(length))
        withUnsafeBytes(of: UInt32(clamping: length).bigEndian) { field in
            for index in field.indices { frame[index] = field[index] }
        }
    }
}
