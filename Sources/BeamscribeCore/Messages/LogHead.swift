/// How a log stands, by its writer's signature. Of several the newest counts: that of the most runs,
/// of these that with the highest ``seq``, and then ``time``.
public struct LogHead: Codable, Equatable, Sendable {
    /// The log's id, a lower-case UUID.
    public var session: String
    /// For each run, the newest line when it began.
    public var runs: [Int]
    /// The newest line; 0 while there is none.
    public var seq: Int
    /// h(``seq``), 64 hexadecimal digits.
    public var hash: String
    /// The highest place in the event's order that the writer has seen.
    public var at: Int
    /// Whose turn the captions are among those who stand in for one another: the highest writes, and 0 is
    /// that of one who waits.
    public var air: Int
    /// The log to whose writer the captions are handed; nil for nobody's.
    public var handTo: String?
    /// How the event stands.
    public var state: String
    /// Seconds since the last input.
    public var inputAge: Double
    /// The writer's clock, in seconds since 1970; it rises from head to head.
    public var time: Double
    /// Within how many seconds the next head follows.
    public var next: Double
    /// In the head of the log that founded an event, the logs whose writers the founder has put out: the
    /// newest ``Limits/putOutInHead`` of them. Nil for none.
    public var putOut: [PutOutLog]?
    /// In the head of the log that founded an event, how many other logs its host offers to
    /// everybody. Nil in a mesh, and where the host reads no other logs.
    public var logs: Int?

    /// For how long it tells how the log stands now, by the clock of whoever hears it: 2.5 times the
    /// time within which the writer wants to be heard again.
    var freshness: Duration {
        .seconds(saturating: 2.5 * min(max(next, 1), Limits.headPause))
    }

    /// Whether it says no more than another but that the writer is still there.
    func saysTheSame(as other: LogHead) -> Bool {
        (runs, seq, state) == (other.runs, other.seq, other.state)
            && (air, handTo) == (other.air, other.handTo)
    }

    /// Whether the writer has said that it goes.
    var isFarewell: Bool { state == State.stopped.rawValue }

    /// What keeps words from coming in; nil where nothing does.
    var trouble: InputTrouble? {
        (State(rawValue: state) ?? .live).trouble(air: air)
    }

    /// A log whose writer was put out, as the newest ``LogGrant`` says. Whoever serves the event can keep
    /// a grant back, and readers need the heads.
    public struct PutOutLog: Codable, Equatable, Sendable {
        /// The log, a lower-case UUID.
        public var session: String
        /// The grant's number.
        public var number: Int
        /// The last line of the log that is of the event.
        public var until: Int
    }

    /// How the writer's event stands.
    public enum State: String, Sendable {
        /// What comes in is said.
        case live
        /// What comes in waits.
        case paused
        /// What comes in is thrown away.
        case offRecord = "off_record"
        /// Nothing comes in any more.
        case inputEnded = "input_ended"
        /// The host has gone, and may be back.
        case stopped
        /// The event is over.
        case ended

        /// The trouble that keeps words from coming in; nil for none. While another log has the
        /// captions nobody needs to know of the input.
        ///
        /// - Parameter air: whose turn the captions are, by ``Air``.
        func trouble(air: Int?) -> InputTrouble? {
            switch self {
            case .paused: .paused
            case .offRecord: .offRecord
            case .inputEnded: air == 0 ? .offAir : .ended
            case .live, .stopped, .ended: air == 0 ? .offAir : nil
            }
        }
    }
}
