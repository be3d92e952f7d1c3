import FoundationEssentials

/// The guest's side of the wire across all of its connections, without sockets, clocks or threads.
///
/// The driver reports what happened and carries out the actions that it gets back. It calls
/// ``tick(_:)`` when ``nextDeadline`` has come.
///
/// Invariant: the finals reported so far are the host's lines up to `lastSeq` (less those the
/// guest did not ask for, the gaps it was told of and the lines it was told to forget), each once,
/// in order, of one session.
public final class GuestSession {
    /// Who the guest is and what it wants.
    public struct Configuration: Sendable {
        /// The guest's name for people.
        public var displayName: String
        /// Where to begin in an event that the guest has nothing of.
        public var start = Start.beginning
        /// What the guest has already, from an earlier run.
        public var resume: Handshake.Resume?
        /// The event's name, or a beginning of it, where what was found tells too little to be
        /// sure: another event is left again at once. Nil to take any.
        public var wantedEvent: String?
        /// Whether the guest has the event's code: it proves that, and joins nobody who asks for none.
        public var hasCode = false
        /// Whether to come back after the connection is lost.
        public var reconnects = true
        /// The protocol's times.
        public var timing = Timing()

        /// A guest that wants everything and comes back.
        public init(displayName: String) {
            self.displayName = displayName
        }
    }

    /// Where a guest begins.
    public enum Start: Equatable, Sendable {
        case beginning
        /// At this line (`--from`).
        case line(Int)
        /// At what comes next (`--no-history`).
        case next
    }

    /// What the driver is to do.
    public enum Action: Equatable {
        /// Try the addresses that are known of the host; report ``connected(now:)`` or
        /// ``connectionFailed(why:now:)``.
        case connect
        /// Send these bytes.
        case send([UInt8])
        /// The host asks for the event's code: report ``GuestSession/codeShare(_:now:)``.
        case proveCode(salt: [UInt8])
        /// The host has answered the guest's share: report ``GuestSession/codeJudged(_:now:)``.
        case judgeCode(share: [UInt8], confirm: [UInt8])
        /// Close the connection, or stop trying.
        case disconnect
        /// Tell the reader.
        case report(GuestEvent)
        /// The session is over.
        case finish(GuestOutcome)
    }

    /// How far the proof of the code is on this connection.
    enum CodeStep {
        case none
        /// The host has asked, and the guest's share is being made.
        case asked
        /// The guest has said its share.
        case shared
        /// The host has answered, and that is being judged.
        case answered
        /// Both have proved that they know the code, as far as the guest can tell.
        case proven
    }

    enum Phase: Equatable {
        /// No connection; the next try is due at `retryAt`.
        case waiting(retryAt: Duration)
        case dialing
        case handshaking(since: Duration)
        case connected
        case finished
    }

    let configuration: Configuration
    var phase: Phase
    var state = GuestState.searching
    var decoder = FrameDecoder()
    var transport = Transport.network
    var security = ConnectionSecurity.plain
    var codeStep = CodeStep.none
    /// Who the guest is to this host: no host learns what another one knows of it.
    var deviceID = ""
    let encoder = FrameEncoder()
    let packets = PacketDecoder()
    var generator: SeededGenerator

    /// The session that `lastSeq` counts in, once a host has answered.
    var session: String?
    /// The newest line taken in, reported or not; nil before the first history.
    var lastSeq: Int?
    /// The run of the session in which it came; nil where that is not known.
    var run: Int?
    /// Where to begin, as far as it is known: "the next" is a number once a host has answered.
    var start: Start
    /// Lines before this one are not reported: the guest did not ask for them.
    var firstWanted: Int
    var historyEnd = 0
    var historyStart = 0
    var openLines: [String] = []
    var inputAge = 0.0
    var inputTrouble: InputTrouble?
    /// The connection that is being missed; nil while there is one or never was.
    var loss: ConnectionLoss?
    /// When the reader is to be told of the loss; nil when it has been, or there is none.
    var lossIsToldAt: Duration?
    var latencies = Latencies()
    /// Lines that were reported.
    var reportedLines = 0
    /// Handshakes that were accepted.
    var connections = 0

    var backoff = Backoff()
    var violations = 0
    var connectedAt = Duration.zero
    var lastHeard = Duration.zero
    var nextKeepAlive = Duration.zero
    var silenceTimeout: Duration
    var clock = ClockComparison()
    var lastTimestamp: (theirs: Double, receivedAt: Double)?
    var isReadingPaused = false
    /// Whether the host said that it goes, before it went.
    var saidGoodbye = false

    /// - Parameter seed: for the random part of keep-alives and pauses.
    public init(_ configuration: Configuration, seed: UInt64, now: Moment) {
        self.configuration = configuration
        generator = SeededGenerator(seed: seed)
        phase = .waiting(retryAt: now.uptime)
        silenceTimeout = configuration.timing.silenceTimeout
        start = configuration.start
        if case .line(let seq) = start { firstWanted = seq } else { firstWanted = 1 }
        session = configuration.resume?.session
        lastSeq = configuration.resume?.after
        run = configuration.resume?.run
    }

    /// The newest line taken in, and the session that it counts in.
    public var position: Handshake.Resume? {
        guard let session, let lastSeq else { return nil }
        return Handshake.Resume(session: session, after: lastSeq, run: run)
    }

    /// Whether the host has let the guest in.
    public var isConnected: Bool { phase == .connected }

    /// The way there and back to the host, in seconds.
    public var roundTrip: Double? { clock.roundTrip }

    /// When ``tick(_:)`` is to be called next.
    public var nextDeadline: Duration? {
        [phaseDeadline, lossIsToldAt].compactMap(\.self).min()
    }

    private var phaseDeadline: Duration? {
        switch phase {
        case .waiting(let retryAt): isReadingPaused ? nil : retryAt
        case .dialing, .finished: nil
        case .handshaking(let since):
            isReadingPaused ? nil : since + configuration.timing.handshakeTimeout
        case .connected:
            isReadingPaused ? nextKeepAlive : min(nextKeepAlive, lastHeard + silenceTimeout)
        }
    }
}
