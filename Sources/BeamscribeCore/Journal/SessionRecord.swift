public import FoundationEssentials

/// What is kept of a session besides its lines: the contents of `meta.json`.
public struct SessionRecord: Codable, Equatable, Sendable {
    /// The version of this file's form.
    public var version = 1
    /// The session's id, a lower-case UUID.
    public var session: String
    /// The event's name for people.
    public var eventName: String
    /// The host's machine for people.
    public var deviceName: String
    /// The TCP port that the host last listened at.
    public var port: UInt16?
    /// When a host was started on it, oldest first; the last of ``Limits/runs`` stands for all that
    /// came later, too.
    public var runs: [Run]
    /// How the last run ended.
    public var state: State
    /// Whether guests had to know a code; nil for no. Not the code, which nothing keeps.
    public var hasCode: Bool?
    /// The key that has signed its lines, from the first to the last; nil where none has.
    public var writer: Fingerprint?
    /// How many guests and phones were there when the last run ended; nil where nobody could say.
    public var guests: Int?
    /// The places that the operator marked, oldest first, at most ``Limits/marks``; nil for none.
    public var marks: [Mark]?

    /// For how many seconds it is kept after the last that was heard of it; nil for until somebody
    /// deletes it.
    public var keep: Double?

    /// Where others served the event, as `192.0.2.7:23267`, the one that began last first; at most
    /// ``Limits/nodes``, nil for nobody.
    public var holders: [String]?

    /// Who was let in with a log of his own, at most ``Limits/logs``; nil for nobody.
    public var writers: [Fingerprint]?
    /// Whose captions are not let in, by 16 to 64 digits of their keys, at most ``Limits/logs``; nil for
    /// nobody's.
    public var refused: [String]?

    /// Where browsers came in; nil where there was no page.
    public var web: Web?

    /// Which log it is of an event that another log has founded; nil for an event of its own.
    public var contribution: Contribution?

    /// One more log of an event: a room, a language, a second captioner.
    public struct Contribution: Codable, Equatable, Sendable {
        /// The event's id, a lower-case UUID: that of the log that founded it.
        public var event: String
        /// What the log is called among those of the event.
        public var label: String
        /// A BCP 47 tag of the language that it is in; nil where that is not told.
        public var lang: String?
        /// The log for whose writer its own stands in, a lower-case UUID; nil for none.
        public var standsInFor: String?
        /// The log that it translates, a lower-case UUID; nil for one of captions.
        public var of: String?
        /// Who talks in it, where the event's own host has listened to him; nil for anything else.
        public var talker: String?

        /// A log of this name.
        public init(
            to event: String, as label: String, lang: String? = nil,
            standingInFor main: String? = nil, translating original: String? = nil
        ) {
            (self.event, self.label, self.lang) = (event, label, lang)
            (standsInFor, of) = (main, original)
        }

        /// What one has said who talks in an event, as its host has heard it.
        public init(talker: String, in event: String, as label: String) {
            self.init(to: event, as: label)
            self.talker = talker
        }

        /// Whether it goes on, and ends, with the event, whose host writes it, too.
        public var goesWithItsEvent: Bool { of != nil || talker != nil }

        /// A translation of the log that has founded an event, called by its language.
        public init(translating event: String, into lang: String) {
            self.init(to: event, as: lang, lang: lang, translating: event)
        }
    }

    /// What proves a log that is only held here, for another who writes it; nil for one's own.
    public var held: Held?

    /// What a holder needs to serve a log again: all of it is its writer's word, to the byte.
    public struct Held: Codable, Equatable, Sendable {
        /// The log's record, a signed packet.
        public var log: Data
        /// The newest signed packet on how it stands of which all lines are there; nil where there is none.
        public var head: Data?
        /// The first signed packet on how it stands of the newest run: it counts the fewest lines,
        /// and can be given out where lines that the newest counts are damaged. Nil where that was
        /// not kept.
        public var first: Data?
        /// Where lines are missing, and what was told of them; nil for nowhere.
        public var joints: [LineJoint]?
        /// Where the event was joined, as somebody has given it; nil where it was found.
        public var address: String?
        /// What lets the log into its event, a signed packet of the founder's; nil for his own.
        public var grant: Data?
    }

    /// The page of a session, for a host that goes on in it: what is on people's slides stays good.
    public struct Web: Codable, Equatable, Sendable {
        /// The TCP port that it was last served at.
        public var port: UInt16
        /// What a link to an event with a code carries; nil where everybody may read.
        public var token: String?

        /// A page at a port.
        public init(port: UInt16, token: String?) {
            self.port = port
            self.token = token
        }
    }

    /// A place that the operator marked.
    public struct Mark: Codable, Equatable, Sendable {
        /// The newest line then; 0 for none.
        public var after: Int
        /// When, in seconds since 1970.
        public var time: Double
    }

    /// One start of a host.
    public struct Run: Codable, Equatable, Sendable {
        /// When, in seconds since 1970.
        public var started: Double
        /// The newest line of the log then; 0 for none.
        public var after: Int
        /// Where its lines begin in the log, in bytes; nil where nobody noted it.
        public var offset: UInt64?
    }

    /// How a session stands, as far as its own host could say.
    public enum State: String, Codable, Sendable {
        /// A host has it, or was killed while it had.
        case running
        /// The host stopped in good order; the event may go on.
        case stopped
        /// The event has ended.
        case ended
    }

    /// A new session, whose first run begins.
    public init(session: String, eventName: String, deviceName: String, started: Double) {
        self.session = session
        self.eventName = eventName
        self.deviceName = deviceName
        runs = [Run(started: started, after: 0, offset: 0)]
        state = .running
    }

    /// A writer is let in from now on.
    public mutating func letIn(_ writer: Fingerprint) {
        refused?.removeAll { FingerprintPin($0)?.matches(writer) == true }
        let known = writers ?? []
        if !known.contains(writer) { writers = [writer] + known.prefix(Limits.logs - 1) }
    }

    /// These are let in, whoever was put out before.
    public mutating func admit(_ admission: WriterAdmission) {
        guard case .keys(let named) = admission else { return }
        refused?.removeAll { digits in
            FingerprintPin(digits).map { pin in named.contains { $0.isSame(as: pin) } } ?? true
        }
    }

    /// Nothing more is taken from a writer.
    public mutating func putOut(_ pin: FingerprintPin) {
        writers?.removeAll { pin.matches($0) }
        let known = refused ?? []
        if !known.contains(pin.digits) { refused = [pin.digits] + known.prefix(Limits.logs - 1) }
    }

    /// Whether it was let into an event that another log has founded.
    public var isSideLog: Bool { event != session }

    /// Whether it is an event that was hosted here.
    public var isOwnEvent: Bool { held == nil && contribution == nil }

    /// The runs, for the wire; nil for a record that makes no sense.
    public var sessionRuns: SessionRuns? { SessionRuns(after: runs.map(\.after)) }

    /// Which line may stand where in a log of `size` bytes.
    package func boundaries(inLogOf size: UInt64) -> RunBoundaries {
        RunBoundaries(runs, inLogOf: size)
    }

    /// The session has had these runs, of which the newest may not be noted here. Where their lines
    /// begin in the log is not known.
    public mutating func adopt(_ all: SessionRuns) {
        guard all.after.starts(with: runs.map(\.after)) else { return }
        let started = runs[runs.count - 1].started
        for after in all.after.dropFirst(runs.count) {
            runs.append(Run(started: started, after: after, offset: nil))
        }
    }

    /// Another run begins on a log that ends with line `seq`, and writes from `offset` on.
    public mutating func begin(at time: Double, after seq: Int, offset: UInt64?) {
        var run = Run(started: time, after: seq, offset: offset)
        for shared in runs.dropFirst(Limits.runs - 1) {
            run.after = min(run.after, shared.after)
            run.offset = run.offset.flatMap { mine in shared.offset.map { min(mine, $0) } }
        }
        runs = runs.prefix(Limits.runs - 1) + [run]
        (state, guests) = (.running, nil)
    }

    /// The record as JSON, with a line break at its end.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        // Encoding fails for numbers that are not finite only, and a clock's are.
        guard let data = try? encoder.encode(self) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// The record that `json` holds; nil where it is none of this version.
    public init?(json: [UInt8]) {
        guard let record = try? OutsideJSON().decode(Self.self, from: Data(json)),
            record.version == 1, UUID(uuidString: record.session) != nil, !record.runs.isEmpty,
            record.held == nil || record.logRecord?.session == record.session
        else { return nil }
        self = record
    }
}
