import FoundationEssentials

/// Reads packets out of frames' payloads.
public struct PacketDecoder {
    private let json = JSONDecoder()

    /// Makes a decoder; one serves for any number of payloads.
    public init() {}

    /// The packet that `payload` holds. The bytes are parsed where they lie.
    ///
    /// - Throws: ``PacketError`` saying what is wrong, in words for a log.
    public func packet(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> Packet {
        guard let start = payload.baseAddress else { throw .notJSON }
        if let packet = QuickPacketReader.packet(in: payload) { return packet }
        let data = Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start), count: payload.count,
            deallocator: .none)
        do {
            return try json.decode(Packet.self, from: data)
        } catch let error as DecodingError {
            throw PacketError(error)
        } catch {
            throw .notJSON
        }
    }
}
