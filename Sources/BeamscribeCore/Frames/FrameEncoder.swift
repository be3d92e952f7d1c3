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
        let payload = try json.encode(packet)
        precondition((1...Limits.framePayload).contains(payload.count))
        return [UInt8](unsafeUninitializedCapacity: FrameDecoder.prefixLength + payload.count) {
            buffer, count in
            let raw = UnsafeMutableRawBufferPointer(buffer)
            raw.storeBytes(of: UInt32(payload.count).bigEndian, as: UInt32.self)
            payload.copyBytes(
                to: UnsafeMutableRawBufferPointer(
                    rebasing: raw[FrameDecoder.prefixLength...]))
            count = FrameDecoder.prefixLength + payload.count
        }
    }
}
