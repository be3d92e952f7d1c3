package import BeamscribeCore

/// How far a reader has read what a ``FeedSource`` gives out: a place in one of its logs, or in each of
/// several.
public struct FeedPlace: Hashable, Sendable {
    /// In the first of them.
    let reader: Reader
    /// In the others, where several are read together, in their order.
    let others: [Reader]
    /// Which logs: where the event's host was started anew, who holds the event has another of it.
    let epoch: Int

    package init(_ reader: Reader, epoch: Int = 0) { self.init(reader, [], epoch: epoch) }

    init(_ reader: Reader, _ others: [Reader], epoch: Int) {
        (self.reader, self.others, self.epoch) = (reader, others, epoch)
    }

    /// The number of the next final, of several logs that of the main one.
    public var seq: Int { reader.seq }
}
