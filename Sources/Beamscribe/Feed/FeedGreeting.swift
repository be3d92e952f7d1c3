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
    public internal(set) var after = 0
    /// The place of that final among those of all of the event's logs.
    public internal(set) var at = 0
    /// The host's clock, in seconds since 1970.
    public var timestamp: Double
    /// Seconds since the host's last input, or since its start.
    public var inputAge: Double
    /// The machine that serves this for the host; nil where the host does.
    public var via: String?
    /// Who captions in the place of the host's captioner, by the name of his log; nil where nobody does.
    public var standIn: String?
    /// Where these are not the host's captions, or it does not serve them, or another captions in its place:
    /// `live`, or why nothing comes in there, as an ``InputTrouble``.
    public var state: String?
    /// In the same case: for how many seconds nothing was heard of who writes them, if that is too long.
    public var unheard: Double?
    /// Other pages of the event, by their origins: where to read on when this one is gone.
    public var also: [String]?
    /// The event's logs besides its main one; nil where there are none.
    public var logs: [FeedLog]?
    /// Whether there is the sound of the room, too; nil where there is not.
    public var floor: Bool?
    /// The logs that are read together with this one; nil where it is read by itself.
    public internal(set) var reads: [FeedPart]?

    init(_ standing: FeedStanding, _ log: EventLog, now: Moment) {
        session = log.session.wireName
        runs = log.runs.after
        (eventName, deviceName) = (standing.eventName, standing.deviceName)
        if let held = standing.held {
            via = held.via
            state = held.trouble?.rawValue ?? "live"
            unheard = held.unheardFor?.seconds
        }
        standIn = standing.standIn?.label
        also = standing.otherPages
        logs = standing.logs.isEmpty ? nil : standing.logs
        firstSeq = log.firstSeq
        lastSeq = log.lastSeq
        timestamp = now.wall
        inputAge = log.inputAge(now.uptime).seconds
    }
}

/// How the event stands by who serves it.
struct FeedStanding: Sendable {
    let eventName: String
    /// The machine for people from which the captions are.
    var deviceName: String
    /// Other pages of the event.
    let otherPages: [String]
    /// The event's logs besides its main one.
    var logs: [FeedLog] = []
    /// Who captions in the place of the main log's writer, where that is read here.
    var standIn: AirClaim?
    /// Where this is not the host's own log: the machine that serves it for the host, why nothing comes in
    /// there, and for how long that was not heard.
    var held: (via: String?, trouble: InputTrouble?, unheardFor: Duration?)?

    /// It is another than the main log's writer whose captions come, who stands so.
    mutating func isOf(_ other: (trouble: InputTrouble?, unheardFor: Duration?)?) {
        held = (held?.via, other?.trouble, other?.unheardFor)
    }
}

/// One of an event's logs besides its main one: a room, a language, a second captioner.
public struct FeedLog: Codable, Equatable, Sendable {
    /// Its id, in which its own `seq` counts.
    public let session: String
    /// What it is called.
    public let label: String
    /// A BCP 47 tag of its language; nil where that is not told.
    public let lang: String?
    /// The log whose lines it translates; nil for captions of its own.
    public let of: String?
    /// The log for whose captioner its own stands in; nil for none.
    public let standsInFor: String?
    /// Its writer's machine for people.
    public let deviceName: String

    init(_ title: LogTitle) {
        (session, label, lang) = (title.session, title.label, title.lang)
        (of, standsInFor) = (title.translates, title.standsInFor)
        deviceName = title.deviceName
    }
}

/// One of several logs that are read together, besides the main one, for a reader who begins with it.
public struct FeedPart: Codable, Equatable, Sendable {
    /// See ``FeedLog``.
    public let session: String
    /// See ``FeedLog``.
    public let label: String
    /// See ``FeedLog``.
    public let lang: String?
    /// See ``FeedLog``.
    public let of: String?
    /// See ``FeedLog``.
    public let standsInFor: String?
    /// For each start of its writer on it, the newest final that it began with.
    public let runs: [Int]
    /// The oldest final that can be had.
    public let firstSeq: Int
    /// The newest final; 0 for none.
    public let lastSeq: Int
    /// The final behind which it begins for this reader.
    public let after: Int
    /// The place of that final among those of all of the event's logs.
    public let at: Int

    init(_ title: FeedLog, _ log: EventLog, after seq: Int) {
        (session, label, lang) = (title.session, title.label, title.lang)
        (of, standsInFor) = (title.of, title.standsInFor)
        runs = log.runs.after
        (firstSeq, lastSeq) = (log.firstSeq, log.lastSeq)
        (after, at) = (seq, log.place(of: seq))
    }
}
