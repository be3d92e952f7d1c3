public import BeamscribeCore
public import BeamscribeDiscovery
import BeamscribeTLS

/// What browsers read of an event: of its ``Host``, or of a ``Guest`` that serves it to others.
///
/// It lives where its server does, and keeps it.
public actor FeedSource {
    private let feed: EventFeed
    private let page: PageFeed
    /// Which log this is; nil for the event's main one, also together with others.
    public nonisolated let log: FeedLog?
    /// Which other logs are read together with the main one; nil where a log is read by itself.
    public nonisolated let selection: FeedSelection?
    /// What `page` is told by, elsewhere.
    private nonisolated let pageID: ObjectIdentifier
    private let server: any FeedServer

    public nonisolated var unownedExecutor: UnownedSerialExecutor { server.unownedExecutor }

    fileprivate init(_ feed: EventFeed, of server: any FeedServer) {
        (self.feed, page, self.server) = (feed, feed.main, server)
        (log, selection) = (nil, nil)
        pageID = ObjectIdentifier(page)
    }

    private init(
        _ page: PageFeed, _ log: FeedLog?, _ selection: FeedSelection?, in feed: EventFeed,
        of server: any FeedServer
    ) {
        (self.feed, self.page, self.server) = (feed, page, server)
        (self.log, self.selection) = (log, selection)
        pageID = ObjectIdentifier(page)
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Gives `receive` all that is new from now on, in batches, on the source's thread: each once it
    /// has been told that the one before has reached everybody (``feedTaken()``). There is one such
    /// feed at a time.
    public func openFeed(
        _ encoder: any FeedEncoder, _ receive: @escaping @Sendable (FeedBatch) -> Void
    ) {
        page.open(encoder, receive)
    }

    /// The feed's last batch has been dealt with.
    public func feedTaken() { page.taken() }

    /// Gives out nothing any more.
    public func closeFeed() { feed.letGo(page) }

    /// How many readers there are.
    public func note(phones count: Int) { page.readers = count }

    /// Where a reader begins who has every final up to `seq`.
    public func reader(after seq: Int) -> FeedPlace { page.reader(after: seq) }

    /// What follows a reader's position, for one who is behind; nothing, and never more, where the
    /// position is one in another log.
    public func feed(
        from position: FeedPlace, by encoder: any FeedEncoder, limit: Int = Limits.feedBatch
    ) -> FeedBatch {
        page.batch(from: position, by: encoder, limit: limit)
    }

    /// The finals of a range, or their beginning where they are long; nil where they are not stored
    /// yet.
    public func history(_ range: ClosedRange<Int>) -> HistoryPiece? { page.log.history(range) }

    /// The places that the operator has marked, oldest first.
    public func marks() -> [SessionRecord.Mark] { page.log.marks }

    /// What the session is and how it stands, for a reader who comes.
    public func greeting() -> FeedGreeting { page.greeting(by: standing) }

    /// The same for a reader who comes, and where it begins.
    ///
    /// - Parameters:
    ///   - marks: the newest finals that it has; one that there is not belongs to another session.
    ///   - tail: how many finals it wants at most before the present; nil for all.
    public func arrival(
        after marks: FeedMarks, tail: Int?
    ) -> (greeting: FeedGreeting, place: FeedPlace) {
        page.arrival(after: marks, tail: tail, by: standing)
    }

    private var standing: FeedStanding {
        var standing = server.assumeIsolated { $0.standing() }
        standing.logs = feed.titles.map(FeedLog.init)
        if let log {
            standing.deviceName = log.deviceName
            standing.isOf(feed.standing(of: log.session))
        }
        if let other = standing.standIn, reads(other) {
            standing.isOf(feed.standing(of: other.session))
        } else {
            standing.standIn = nil
        }
        return standing
    }

    /// Whether what somebody captions in the host's place is read here with the main log.
    private func reads(_ other: AirClaim) -> Bool {
        guard let selection else { return false }
        return feed.titles.contains { $0.session == other.session && selection.includes($0) }
    }

    /// The event's log with this id, or else this name, among those besides its main one.
    ///
    /// - Returns: what is to be read of it, which is the same as long as the log is there; nil where
    ///   there is no such log.
    public func other(named name: String) -> FeedSource? {
        guard let (title, other) = feed.other(named: name) else { return nil }
        // They do not leave the thread: both sources live on their server's.
        nonisolated(unsafe) let (page, feed) = (other, feed)
        return FeedSource(page, FeedLog(title), nil, in: feed, of: server)
    }

    /// The event's main log and others together. Those that come to be are read, too.
    public func together(_ selection: FeedSelection) -> FeedSource {
        // They do not leave the thread: both sources live on their server's.
        nonisolated(unsafe) let (page, feed) = (feed.page(of: selection), feed)
        return FeedSource(page, nil, selection, in: feed, of: server)
    }

    /// The event's main log and others, each by itself.
    public func apart(_ selection: FeedSelection) -> [FeedSource] {
        [self] + feed.titles.filter(selection.includes).compactMap { other(named: $0.session) }
    }

    /// What the log is called among the event's, and whose it is; nil for a main one that is not signed.
    public var title: LogTitle? {
        if let log { return feed.titles.first { $0.session == log.session } }
        return (try? LogSHA256()).flatMap { page.log.title(proving: $0) }
    }

    /// Whether both read the same.
    public nonisolated func isSame(as other: FeedSource) -> Bool { pageID == other.pageID }

    /// The event's figures.
    public func metrics() -> HostMetrics { server.assumeIsolated { $0.figures() } ?? page.metrics }

    /// Gives `receive` the sound of the room from now on, as pages of an Ogg stream, on the source's thread. There is one who
    /// gets them at a time.
    ///
    /// - Returns: what a player needs before any page; nil where there is no floor that everybody may hear.
    public func openFloor(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> [UInt8]? {
        server.assumeIsolated { $0.openFloor(receive) }
    }

    /// Announces another service that comes with the event. Where that fails nothing is said: the
    /// event's own announcement tells of the same trouble.
    public func announce(_ advertisement: Advertisement) {
        server.assumeIsolated { $0.announce(advertisement) }
    }

    /// Browsers find the event there from now on; others who serve it are told.
    public func opened(_ page: OpenedPage) { server.assumeIsolated { $0.opened(page) } }

    /// What the link of the host's own page carries, where this is another's, the event has a code, and
    /// the host has said it: it opens this page, too.
    public var linkOfHost: String? { server.assumeIsolated { $0.linkOfHost } }
}

/// Who serves an event to browsers: what differs between its host and another machine.
protocol FeedServer: Actor {
    /// What a reader is told of the event beside its log.
    func standing() -> FeedStanding

    /// What is served to guests of the wire; nil where nothing is.
    func figures() -> HostMetrics?

    /// See ``FeedSource/openFloor(_:)``.
    func openFloor(_ receive: @escaping @Sendable ([UInt8]) -> Void) -> [UInt8]?

    /// See ``FeedSource/announce(_:)``.
    func announce(_ advertisement: Advertisement)

    /// See ``FeedSource/opened(_:)``.
    func opened(_ page: OpenedPage)

    /// See ``FeedSource/linkOfHost``.
    var linkOfHost: String? { get }
}

extension FeedServer {
    /// What browsers read of `feed`, which is this server's own.
    func source(of feed: EventFeed) -> FeedSource {
        // It does not leave the thread: the source lives on its server's.
        nonisolated(unsafe) let feed = feed
        return FeedSource(feed, of: self)
    }
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
