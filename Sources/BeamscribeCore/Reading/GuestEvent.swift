/// Where a guest is.
public enum GuestState: Equatable, Sendable {
    /// Looking for a host.
    case searching
    /// Opening a connection, or waiting for the handshake's answer.
    case connecting
    /// Taking in the history: `received` of `total` lines so far.
    case syncing(received: Int, total: Int)
    /// Up to date.
    case live
    /// Up to date; the host has had no input for `inputAge` seconds.
    case silent(inputAge: Double)
    /// Up to date; the host says that nothing comes in.
    case stalled(InputTrouble)
    /// Up to date with a machine that holds the event, `via`, but nothing was heard of the host for
    /// `headAge` seconds: what it says since is not here.
    case unheard(via: String, headAge: Double)
    /// The connection is lost; the next try comes by itself.
    case reconnecting(ConnectionLoss)
    /// Over.
    case ended

    /// Whether it says the same of a host that was told to be unheard, only later: that grows old by
    /// itself.
    func isOlderNews(of other: GuestState) -> Bool {
        guard case .unheard(let via, let age) = self,
            case .unheard(let told, let toldAge) = other
        else { return false }
        return via == told && age >= toldAge
    }

    /// The state's name in JSON output.
    public var name: String {
        switch self {
        case .searching: "searching"
        case .connecting: "connecting"
        case .syncing: "syncing"
        case .live: "live"
        case .silent: "silent"
        case .stalled: "stalled"
        case .unheard: "unheard"
        case .reconnecting: "reconnecting"
        case .ended: "ended"
        }
    }
}

/// Why nothing comes in at the host, as the host says.
public enum InputTrouble: String, Sendable {
    /// The recogniser is there and says nothing, for longer than people pause.
    case stalled
    /// The recogniser has ended.
    case ended
    /// The operator has paused it: what comes in waits.
    case paused
    /// The operator lets nothing out: what comes in is thrown away.
    case offRecord = "off_record"
    /// It is another's turn to caption, who writes a log of his own.
    case offAir = "off_air"
}

/// What a guest session tells its reader.
public enum GuestEvent: Equatable, Sendable {
    /// The session is in another state.
    case state(GuestState)
    /// A handshake was accepted.
    case joined(JoinedEvent)
    /// The next final.
    case line(TranscriptLine)
    /// The newest text of a line that is still open, or that the line was withdrawn.
    case partial(PartialLine)
    /// The host tells everybody something; `kind` is a word of the protocol.
    case alert(kind: String, message: String)
    /// Lines that the host no longer has.
    case gap(from: Int, through: Int)
    /// The connection has been missed for ``Timing/lossTold``: worth a word to a person. A shorter
    /// loss is told by the states only.
    case stillLost(ConnectionLoss)
    /// Lines that this guest has and the host has lost, with its power say: other lines with the
    /// same numbers follow.
    case withdrawn(from: Int, through: Int)
    /// The event's own host, known by its key, has begun it anew, under the same name and as another
    /// session: what follows is numbered from 1 again. What was shown stays as it was said.
    case begunAnew
    /// A line, a partial, a gap or a withdrawal in one of the event's other logs.
    indirect case inLog(LogTitle, GuestEvent)
    /// How another of the event's logs stands: told first when it is there.
    case log(LogTitle, LogStanding)
    /// Whoever serves the event has begun to read the log that is written here.
    case isRead
    /// The event's founder takes nothing more of the log that is written here behind this line; nil where
    /// he does again.
    case isPutOut(through: Int?)
    /// How the guest fares, now and then, where that was asked for.
    case stats(GuestStatistics)
    /// Somebody at this address passes for the host and is not to be trusted; the guest goes on with
    /// other ways to it.
    case turnedAway(at: String, SecurityRefusal)
    /// Something for a log: the host broke the protocol, a try failed.
    case trouble(String)
}

/// How a guest session ended.
public enum GuestOutcome: Equatable, Sendable {
    /// The host ended the event.
    case ended
    /// Nobody answered in the time that was given.
    case noAnswer(why: String)
    /// Who answered holds the event for its host, and has nothing of it that can be proven: it has
    /// not come yet, or is damaged. Nobody else answered in the time that was given.
    case nothingProven
    /// The connection was lost and the guest was told not to come back.
    case lost(why: String)
    /// The host refused this guest; nil for a reason that this version does not know.
    case refused(HandshakeResponse.Reason?, over: Transport)
    /// Host and guest do not trust each other.
    case distrusted(SecurityRefusal)
    /// Another session answers where this guest's host was.
    case anotherSession
    /// The host's event, of this name, is not the one that was asked for.
    case anotherEvent(String)
    /// The host breaks the protocol, again and again.
    case protocolViolation(String)
    /// The event's writer has signed two different lines with this number: nobody can say what he has said.
    case forked(seq: Int)
}
