public import BeamscribeCore
public import BeamscribeDiscovery

/// What has an event that browsers read: its ``Host``, or a ``Guest`` that serves it to others.
public protocol FeedSource: Actor {
    /// Gives `receive` all that is new from now on, in batches, on the source's thread: each once it
    /// has been told that the one before has reached everybody (``feedTaken()``). There is one such
    /// feed at a time.
    func openFeed(_ encoder: any FeedEncoder, _ receive: @escaping @Sendable (FeedBatch) -> Void)

    /// The feed's last batch has been dealt with.
    func feedTaken()

    /// Gives out nothing any more.
    func closeFeed()

    /// How many readers there are.
    func note(phones count: Int)

    /// Where a reader begins who has every final up to `seq`.
    func reader(after seq: Int) -> FeedPlace

    /// What follows a reader's position, for one who is behind; nothing, and never more, where the
    /// position is one in another log.
    func feed(from position: FeedPlace, by encoder: any FeedEncoder, limit: Int) -> FeedBatch

    /// The finals of a range, or their beginning where they are long; nil where they are not stored
    /// yet.
    func history(_ range: ClosedRange<Int>) -> HistoryPiece?

    /// The places that the operator has marked, oldest first.
    func marks() -> [SessionRecord.Mark]

    /// What the session is and how it stands, for a reader who comes.
    func greeting() -> FeedGreeting

    /// The event's figures.
    func metrics() -> HostMetrics

    /// Announces another service that comes with the event.
    func announce(_ advertisement: Advertisement)

    /// Browsers find the event there from now on; others who serve it are told.
    func opened(_ page: OpenedPage)

    /// What the link of the host's own page carries, where this is another's, the event has a code, and
    /// the host has said it: it opens this page, too.
    var linkOfHost: String? { get }
}

/// A page for browsers that is served.
public struct OpenedPage: Equatable, Sendable {
    /// Whether it is had by HTTPS, and at which port.
    public let door: PageDoor
    /// What its link carries, of an event with a code.
    public let link: String?

    /// A page at this port.
    public init(_ door: PageDoor, link: String?) { (self.door, self.link) = (door, link) }
}

extension FeedSource {
    /// The same, of the usual length.
    public func feed(from position: FeedPlace, by encoder: any FeedEncoder) -> FeedBatch {
        feed(from: position, by: encoder, limit: Limits.feedBatch)
    }
}
