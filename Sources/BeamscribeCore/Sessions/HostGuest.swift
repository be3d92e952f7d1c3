/// A host session's record of one connection.
///
/// Invariant: what was and will be sent is a sequence of whole frames: `control` is only begun
/// when `cursor` stands between two frames, and is then sent to its end first.
final class HostGuest {
    enum Phase: Equatable {
        /// Waiting for the handshake.
        case connecting
        /// Accepted; not yet past the gate.
        case syncing
        /// Past the gate.
        case stable
        /// Was told why it ends; waiting until that is sent and the other side has closed.
        case closing(CloseReason)
    }

    let id: ConnectionID
    let peer: String
    let connectedAt: Duration
    var phase = Phase.connecting
    var decoder = FrameDecoder(limit: Limits.guestFramePayload)

    var deviceID = ""
    var name = ""
    var acceptedAt: Duration?

    var cursor: TranscriptCursor
    var control = ByteQueue()
    var partialStamp: UInt64 = 0
    /// The cursor was moved over lines that are gone; the guest is to be told before it reads on.
    var owesGap = false
    /// The last word, said once the guest has the whole transcript.
    var farewell: Alert?
    /// Everything has been handed over and the connection's sending side was closed.
    var isFinished = false

    var lastHeard: Duration
    var lastProgress: Duration
    var lastSent = Duration.zero
    /// How long after `lastSent` a sign of life is due.
    var keepAlivePause = Duration.zero
    var lastKeepAlive = Duration.zero
    var closingSince = Duration.zero
    var windowStart: Duration
    var windowBytes = 0

    var clock = ClockComparison()
    var lastTimestamp: (theirs: Double, receivedAt: Double)?
    var applied = 0

    init(id: ConnectionID, peer: String, cursor: TranscriptCursor, now: Duration) {
        self.id = id
        self.peer = peer
        self.cursor = cursor
        connectedAt = now
        lastHeard = now
        lastProgress = now
        windowStart = now
    }

    var isAccepted: Bool { phase == .syncing || phase == .stable }
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
