public import BeamscribeCore
public import BeamscribeDiscovery
import BeamscribeIO

/// What serves readers who are no guests of the wire takes from the host: browsers, say.
extension Host {
    /// Gives `receive` all that is new from now on, in batches, on the host's thread. A host has one
    /// such feed.
    public func openFeed(
        _ encoder: any FeedEncoder, _ receive: @escaping @Sendable (FeedBatch) -> Void
    ) {
        let feed = HostFeed(log, encoder, on: loop, receive)
        self.feed = feed
        server.published = { [unowned feed] in feed.changed() }
    }

    /// Gives out nothing any more.
    public func closeFeed() {
        server.published = {}
        feed = nil
    }

    /// Where a reader begins who has every final up to `seq`.
    public func reader(after seq: Int) -> Reader {
        log.reader(after: seq)
    }

    /// What follows a reader's position, for one who is behind.
    public func feed(
        from position: Reader, by encoder: any FeedEncoder, limit: Int = Limits.feedBatch
    ) -> FeedBatch {
        log.batch(from: position, by: encoder, limit: limit)
    }

    /// The places that the operator has marked, oldest first.
    public func marks() -> [SessionRecord.Mark] { log.marks }

    /// What the session is and how it stands, for a reader who comes.
    public func greeting() -> FeedGreeting {
        let now = now
        return FeedGreeting(
            session: configuration.session.wireName, runs: log.runs.after,
            eventName: configuration.eventName, deviceName: configuration.deviceName,
            firstSeq: log.firstSeq, lastSeq: log.lastSeq,
            timestamp: now.wall, inputAge: log.inputAge(now.uptime).seconds)
    }

    /// Announces another service that comes with the event. Where that fails nothing is said: the
    /// event's own announcement tells of the same trouble.
    public func announce(_ advertisement: Advertisement) {
        announcement.add(advertisement)
    }

    /// Keeps where browsers find the event in the session's record, for a host that goes on in it.
    public func keep(_ web: SessionRecord.Web) {
        journal.note(web)
    }

    /// How many such readers there are, for the operator's view.
    public func note(phones count: Int) {
        phoneCount = count
        feed?.readers = count
    }
}

public struct FeedGreeting: Codable, Sendable {
    /// The session's id, in which `seq` counts.
    public var session: String
    /// For each start of a host on it, the newest final that it began with.
    public var runs: [Int]
    public var eventName: String
    /// The host's machine for people.
    public var deviceName: String
    /// The oldest final that can be had.
    public var firstSeq: Int
    /// The newest final; 0 for none.
    public var lastSeq: Int
    /// The host's clock, in seconds since 1970.
    public var timestamp: Double
    /// Seconds since the host's last input, or since its start.
    public var inputAge: Double
}
