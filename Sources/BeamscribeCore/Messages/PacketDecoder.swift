import FoundationEssentials

/// Reads packets out of frames' payloads.
public struct PacketDecoder {
    private let json = OutsideJSON()

    /// Makes a decoder; one serves for any number of payloads.
    public init() {}

    /// The packet that `payload` holds. The bytes are parsed where they lie.
    ///
    /// - Throws: ``PacketError`` saying what is wrong, in words for a log.
    public func packet(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> Packet {
        guard let start = payload.baseAddress else { throw .notJSON }
        if let packet = QuickPacketReader.packet(in: payload) { return packet }
        guard payload.count <= Limits.packetPayload else { return try large(payload) }
        guard JSONGrammar.accepts(payload) else { throw .notJSON }
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

    /// A packet that is too large to be read: of a type that is not known, it need not be.
    private func large(_ payload: UnsafeRawBufferPointer) throws(PacketError) -> Packet {
        guard let type = PacketType.find(in: payload) else { throw .notJSON }
        guard !Packet.TypeName.all.contains(type) else { throw .tooLarge(bytes: payload.count) }
        return .unknown(type)
    }
}
