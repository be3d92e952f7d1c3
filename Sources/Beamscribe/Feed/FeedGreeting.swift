import BeamscribeCore

/// What the session is and how it stands, for a reader who comes.
public struct FeedGreeting: Codable, Sendable {
    /// The session's id, in which `seq` counts.
    public var session: String
    /// For each start of a host on it, the newest final that it began with.
    public var runs: [Int]
    /// The event's name.
    public var eventName: String
    /// The host's machine for people.
    public var deviceName: String
    /// The oldest final that can be had.
    public var firstSeq: Int
    /// The newest final; 0 for none.
    public var lastSeq: Int
    /// The final behind which this reader's stream begins; what it lacks before that is to be had as
    /// history.
    public private(set) var after = 0
    /// The host's clock, in seconds since 1970.
    public var timestamp: Double
    /// Seconds since the host's last input, or since its start.
    public var inputAge: Double
    /// The machine that serves this for the host; nil where the host does.
    public var via: String?
    /// Where the host does not serve this: `live`, or why nothing comes in there, as an
    /// ``InputTrouble``.
    public var state: String?
    /// Where the host does not serve this: for how many seconds nothing was heard of it, if that is too
    /// long.
    public var unheard: Double?
    /// Other pages of the event, by their origins: where to read on when this one is gone.
    public var also: [String]?

    init(_ standing: FeedStanding, _ log: EventLog, now: Moment) {
        session = log.session.wireName
        runs = log.runs.after
        (eventName, deviceName) = (standing.eventName, standing.deviceName)
        if let held = standing.held {
            via = held.via
            state = held.trouble?.rawValue ?? "live"
            unheard = held.unheardFor?.seconds
        }
        also = standing.otherPages
        firstSeq = log.firstSeq
        lastSeq = log.lastSeq
        timestamp = now.wall
        inputAge = log.inputAge(now.uptime).seconds
    }

    /// Decides where the stream of a reader begins.
    ///
    /// - Parameters:
    ///   - seq: the newest final that it has; one that there is not belongs to another session.
    ///   - tail: how many finals it wants at most before the present; nil for all.
    public mutating func begin(after seq: Int, tail: Int?) {
        let known = (0...lastSeq).contains(seq) ? seq : 0
        after = max(known, tail.map { lastSeq - max(0, $0) } ?? 0)
    }
}

/// How the event stands by who serves it.
struct FeedStanding: Sendable {
    let eventName: String
    /// The host's machine for people.
    let deviceName: String
    /// Other pages of the event.
    let otherPages: [String]
    /// The machine that serves it for the host, why nothing comes in there, and for how long that was not
    /// heard; nil where the host serves it.
    var held: (via: String, trouble: InputTrouble?, unheardFor: Duration?)?
}
