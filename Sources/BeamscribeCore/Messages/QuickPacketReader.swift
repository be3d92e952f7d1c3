/// Reads flat packets in their usual shape, captions and keep-alives above all, which come in numbers.
///
/// A late guest reads a hundred thousand captions at once, a host the keep-alives of a thousand
/// guests, and the general decoder takes ten microseconds for each.
enum QuickPacketReader {
    /// The packet in `payload`; nil leaves it to the general decoder.
    static func packet(in payload: UnsafeRawBufferPointer) -> Packet? {
        if let chunk = caption(in: payload) { return .liveChunk(chunk) }
        let keepAlive = read(
            "keep_alive", KeepAlive(timestamp: 0), KeepAlive.requiredFields, payload)
        if let keepAlive { return .keepAlive(keepAlive) }
        return read(
            "fullHistory", FullHistory(session: "", from: 1, through: 0),
            FullHistory.requiredFields, payload
        ).map { .fullHistory($0) }
    }

    private static func caption(in payload: UnsafeRawBufferPointer) -> LiveChunk? {
        var blank = LiveChunk(final: 0, line: "", text: "", sentTimestamp: 0)
        blank.seq = nil
        return read("liveChunk", blank, LiveChunk.requiredFields, payload)
    }

    /// - Parameter blank: has none of the values that need not be there.
    @inline(__always)
    private static func read<Body: FlatPacket>(
        _ type: StaticString, _ blank: Body, _ required: UInt32, _ payload: UnsafeRawBufferPointer
    ) -> Body? {
        var isOfType: Bool?
        var body = blank
        var reader = FlatObjectReader(payload)
        let isRead = reader.readObject { reader, key in
            guard key.spell("type") else { return reader.readField(key, of: &body) }
            guard isOfType == nil else { return false }
            isOfType = reader.readRawString()?.spell(type)
            return isOfType == true
        }
        guard isRead, isOfType == true, reader.seen & required == required else { return nil }
        return body
    }
}
