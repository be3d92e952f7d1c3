/// A host session's record of one connection. A driver holds it for the calls that are made for
/// every line and every guest, where looking it up would cost.
///
/// Invariant: what was and will be sent is a sequence of whole frames: `control` is only begun
/// when `cursor` stands between two frames, and is then sent to its end first.
public final class HostGuest {
    enum Phase: UInt8 {
        /// Waiting for the handshake.
        case connecting
        /// Accepted; not yet past the gate.
        case syncing
        /// Past the gate.
        case stable
        /// The event is over for it: it gets the rest of the transcript and a last word.
        case leaving
        /// Refused: it gets the reason.
        case refused
    }

    // What every line touches comes first, so that it lies together in memory: with a thousand
    // guests that is a good part of the host's own time.
    var cursor: TranscriptCursor
    var control = ByteQueue()
    var partialStamp: UInt64 = 0
    var lastSent = Duration.zero
    var lastProgress: Duration
    var phase = Phase.connecting
    /// The cursor was moved over lines that are gone; the guest is to be told before it reads on.
    var owesGap = false
    /// Everything has been handed over and the connection's sending side was closed.
    var isFinished = false
    /// The last word, said once the guest has the whole transcript.
    var farewell: [UInt8] = []

    let id: ConnectionID
    let peer: String
    /// What is held against whom: the peer without its port.
    let source: String
    let transport: Transport
    /// Whether the mark that nothing follows has been queued.
    var saidEnd = false
    let connectedAt: Duration
    var decoder: FrameDecoder

    var deviceID = ""
    var name = ""
    var acceptedAt: Duration?
    /// Its own clock when it sent its handshake, where it says so.
    var saidHelloAt: Double?

    var lastHeard: Duration
    /// How long after `lastSent` a sign of life is due.
    var keepAlivePause = Duration.zero
    var lastKeepAlive = Duration.zero
    var closingSince = Duration.zero
    var windowStart: Duration
    var windowBytes = 0

    var clock = ClockComparison()
    var lastTimestamp: (theirs: Double, receivedAt: Double)?
    /// The newest line that it said it has taken in, and how many there were beyond it then.
    var applied = 0
    var lag = 0
    /// How late lines reach it, as it has measured itself.
    var latency: LatencyPercentiles?

    init(
        id: ConnectionID, peer: String, source: String, over transport: Transport,
        cursor: TranscriptCursor, now: Duration
    ) {
        self.id = id
        self.peer = peer
        self.source = source
        self.transport = transport
        decoder = FrameDecoder(
            limit: Limits.guestFramePayload, takesEndMark: transport.marksEnd)
        self.cursor = cursor
        connectedAt = now
        lastHeard = now
        lastProgress = now
        windowStart = now
    }

    /// Whether it takes part.
    var isAccepted: Bool { phase == .syncing || phase == .stable }
    /// Whether it was told that its connection ends.
    var isClosing: Bool { phase == .leaving || phase == .refused }
    var description: GuestDescription { GuestDescription(name: name, peer: peer) }

    /// Counts what came in; false once it is more than a guest has to say.
    func mayReceive(_ count: Int, now: Duration) -> Bool {
        lastHeard = now
        if now - windowStart > Limits.guestBytesWindow {
            windowStart = now
            windowBytes = 0
        }
        windowBytes += count
        return windowBytes <= Limits.guestBytesPerWindow
    }
}

/// A connection's number, never used twice by one host.
public typealias ConnectionID = Int
