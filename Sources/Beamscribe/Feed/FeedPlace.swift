package import BeamscribeCore

/// How far a reader has read what a ``FeedSource`` gives out: a place in one of its logs.
public struct FeedPlace: Hashable, Sendable {
    let reader: Reader
    /// Which of its logs: where the event's host was started anew, who holds the event has another.
    let epoch: Int

    package init(_ reader: Reader, epoch: Int = 0) { (self.reader, self.epoch) = (reader, epoch) }

    /// The number of the next final.
    public var seq: Int { reader.seq }
}
