public import FoundationEssentials

/// What a server keeps of events, so that they can be read beyond one network: a stream of JetStream each
/// (docs/PROTOCOL.md, "Beyond one network").
public enum BackboneStream: Hashable, Sendable {
    /// Of the logs of all events what they are, who has let them in, and how they stand: the newest of each.
    case events
    /// The lines of a log: message n is line n. Where a run has lost lines that are there already, what follows is
    /// in another part, named by the run, whose message 1 is the first line of that run. The first part is 1.
    case log(UUID, part: Int = 1)

    /// What the server calls it.
    public var name: String {
        switch self {
        case .events: "beamscribe_events"
        case .log(let session, let part):
            "beamscribe_\(session.wireName.filter { $0 != "-" })\(Self.suffix(part))"
        }
    }

    /// The subject of what is in it.
    public var subject: String {
        switch self {
        case .events: "beamscribe.event.>"
        case .log(let session, let part):
            "beamscribe.log.\(session.wireName)\(Self.suffix(part))"
        }
    }

    /// How many messages a stream can have: as many as a log lines. What a server counts beyond
    /// that is wrong.
    static let messages = 0...Limits.lineNumber

    private static func suffix(_ part: Int) -> String { part == 1 ? "" : "_r\(part)" }
}

extension SessionRuns {
    /// Returns the line before the first one of a part of a log's streams.
    ///
    /// Runs are what a writer has signed, who may be anybody: the result is never more than
    /// ``Limits/lineNumber``, so that a message's number can be added to it.
    func base(ofPart part: Int) -> Int {
        part > 1 && part <= current ? min(after[part - 1], Limits.lineNumber) : 0
    }
}

/// What the stream of events has of a log, by subjects: `beamscribe.event.<event>.<type>.<session>`.
public struct BackboneEntry: Hashable, Sendable {
    /// What it is of a log.
    public enum Kind: String, Sendable {
        /// Its record.
        case log
        /// What lets it into the event.
        case grant
        /// How it stands.
        case head
        /// A mark of events with a code: one byte of no further meaning. Nobody signs it, so it
        /// counts only where the founder's record does not say whether there is a code.
        case code
    }

    /// The event.
    public let event: UUID
    /// What it is.
    public let kind: Kind
    /// The log.
    public let session: UUID

    /// What is kept of a log of an event.
    public init(_ kind: Kind, of session: UUID, in event: UUID) {
        (self.event, self.kind, self.session) = (event, kind, session)
    }

    /// Reads a subject; nil for one of another kind.
    init?(subject: String) {
        let words = subject.split(separator: ".", omittingEmptySubsequences: false)
        guard words.count == 5, words[0] == "beamscribe", words[1] == "event",
            let event = UUID(uuidString: String(words[2])),
            let kind = Kind(rawValue: String(words[3])),
            let session = UUID(uuidString: String(words[4]))
        else { return nil }
        self.init(kind, of: session, in: event)
    }

    /// The subject under which it is kept.
    public var subject: String {
        "beamscribe.event.\(event.wireName).\(kind.rawValue).\(session.wireName)"
    }

    /// The subjects of all that is kept of an event.
    static func all(of event: UUID) -> String { "beamscribe.event.\(event.wireName).>" }

    /// The subjects of the records of all logs of all events.
    static let allRecords = "beamscribe.event.*.log.*"

    /// The subjects that say whether events have codes.
    static let allCodes = "beamscribe.event.*.code.*"

    /// The subject of what is being said in a log, which nobody keeps.
    static func partials(of session: UUID) -> String { "beamscribe.partial.\(session.wireName)" }
}
