/// Reads the two packets that come in numbers, captions and keep-alives, in their usual shape.
///
/// A late guest reads a hundred thousand captions at once, a host the keep-alives of a thousand
/// guests, and the general decoder takes ten microseconds for each.
enum QuickPacketReader {
    /// The packet in `payload`; nil leaves it to the general decoder.
    static func packet(in payload: UnsafeRawBufferPointer) -> Packet? {
        caption(in: payload).map { .liveChunk($0) }
            ?? keepAlive(in: payload).map { .keepAlive($0) }
    }

    static func caption(in payload: UnsafeRawBufferPointer) -> LiveChunk? {
        var isCaption: Bool?
        var chunk = LiveChunk(final: 0, line: "", text: "", sentTimestamp: 0)
        chunk.seq = nil
        var reader = FlatObjectReader(payload)
        let isRead = reader.readObject { reader, key in
            guard key.spell("type") else {
                return reader.readField(key, of: &chunk)
            }
            guard isCaption == nil else { return false }
            isCaption = reader.readRawString()?.spell("liveChunk")
            return isCaption == true
        }
        let required = LiveChunk.requiredFields
        guard isRead, isCaption == true, reader.seen & required == required else { return nil }
        return chunk
    }

    static func keepAlive(in payload: UnsafeRawBufferPointer) -> KeepAlive? {
        var isKeepAlive: Bool?
        var timestamp: Double?
        var packet = KeepAlive(timestamp: 0)
        var reader = FlatObjectReader(payload)
        let isRead = reader.readObject { reader, key in
            if key.spell("type") {
                guard isKeepAlive == nil else { return false }
                isKeepAlive = reader.readRawString()?.spell("keep_alive")
                return isKeepAlive == true
            }
            if key.spell("timestamp") { return reader.read(into: &timestamp) }
            if key.spell("deviceId") { return reader.read(into: &packet.deviceId) }
            if key.spell("inputAge") { return reader.read(into: &packet.inputAge) }
            if key.spell("echo") { return reader.read(into: &packet.echo) }
            if key.spell("received") { return reader.read(into: &packet.received) }
            if key.spell("applied") { return reader.read(into: &packet.applied) }
            if key.spell("latencyP50") { return reader.read(into: &packet.latencyP50) }
            return key.spell("latencyP95") && reader.read(into: &packet.latencyP95)
        }
        guard isRead, isKeepAlive == true, let timestamp else { return nil }
        packet.timestamp = timestamp
        return packet
    }
}
