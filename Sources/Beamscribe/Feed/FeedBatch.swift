public import BeamscribeCore

/// Turns what readers get into their bytes, once for all of them.
public protocol FeedEncoder: Sendable {
    /// Appends the bytes of an item, whose payload is valid during the call.
    func append(_ item: Reader.Item, to bytes: inout [UInt8])
}

extension FeedEncoder {
    /// An alert that is a frame.
    func bytes(ofAlert frame: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        frame.withUnsafeBytes { frame in
            let payload = frame[FrameDecoder.prefixLength...]
            append(.alert(UnsafeRawBufferPointer(rebasing: payload)), to: &bytes)
        }
        return bytes
    }
}

/// What lies between two positions of readers, encoded.
public struct FeedBatch: Sendable {
    /// Who gets this.
    public let start: FeedPlace
    /// Where they are then.
    public let end: FeedPlace
    /// What they get.
    public let bytes: [UInt8]
    /// Whether there is more.
    public let outcome: Reader.Outcome
}

extension EventLog {
    /// Gives an item with the place in the event's order that the line has: browsers believe the
    /// page's machine, and do not know the rule.
    func withPlace(_ item: Reader.Item, _ body: (Reader.Item) -> Void) {
        guard case .final(let seq, let payload) = item, let place = correctedPlace(of: seq),
            case .liveChunk(var chunk)? = try? PacketDecoder().packet(payload)
        else { return body(item) }
        chunk.at = place
        guard let frame = try? FrameEncoder().frame(.liveChunk(chunk)) else { return body(item) }
        frame.withUnsafeBytes { bytes in
            let payload = UnsafeRawBufferPointer(rebasing: bytes[FrameDecoder.prefixLength...])
            body(.final(seq: seq, payload))
        }
    }

    /// What follows `position`, at most about `limit` bytes of finals.
    func batch(
        from position: FeedPlace, by encoder: any FeedEncoder, limit: Int = Limits.feedBatch
    ) -> FeedBatch {
        var end = position.reader
        var bytes: [UInt8] = []
        let outcome = end.read(self, limit: limit) { item in
            withPlace(item) { encoder.append($0, to: &bytes) }
        }
        return FeedBatch(
            start: position, end: FeedPlace(end, epoch: position.epoch), bytes: bytes,
            outcome: outcome)
    }
}
