public import BeamscribeCore

/// Turns what readers get into their bytes, once for all of them.
public protocol FeedEncoder: Sendable {
    /// Appends the bytes of an item, whose payload is valid during the call.
    func append(_ item: FeedItem, to bytes: inout [UInt8])
}

/// What lies between two positions of readers, encoded.
public struct FeedBatch: Sendable {
    /// Who gets this.
    public let start: FeedPosition
    /// Where they are then.
    public let end: FeedPosition
    /// What they get.
    public let bytes: [UInt8]
    /// Whether there is more.
    public let outcome: FeedOutcome
}

extension HostSession {
    /// What follows `position`, at most about `limit` bytes of finals.
    func batch(
        from position: FeedPosition, by encoder: any FeedEncoder, limit: Int = Limits.feedBatch
    ) -> FeedBatch {
        var end = position
        var bytes: [UInt8] = []
        let outcome = read(&end, limit: limit) { encoder.append($0, to: &bytes) }
        return FeedBatch(start: position, end: end, bytes: bytes, outcome: outcome)
    }
}
