public import FoundationEssentials

/// The host's side of the wire for all of its guests, without sockets, clocks or threads.
///
/// The driver reports what happened (`connected`, `received`, `sent`, `tick`, ...) and carries
/// out the actions that it gets back. What is to be sent is pulled: after ``Action/send(_:)`` or
/// ``Action/sendToAll`` the driver calls ``drain(_:limit:now:_:)`` with its socket.
///
/// Invariant: every accepted guest's cursor lies in the transcript or just behind a gap that it is
/// about to be told of, so that it gets every final once and in order; and unless storing fails,
/// no guest gets what is not stored.
public final class HostSession {
    /// What a host is.
    public struct Configuration: Sendable {
        /// The event's name for people.
        public var eventName: String
        /// The machine's name for people.
        public var deviceName: String
        /// The machine's lasting id.
        public var deviceID: UUID
        /// The session's id.
        public var session: UUID
        /// The starts of a host on this session, this one included.
        public var runs = SessionRuns()
        /// Whether what is published is stored by ``HostSession/store(now:_:)`` before it is sent.
        public var keepsLog = false
        /// Guests at once.
        public var maximumGuests: Int
        /// Of these, guests over Bluetooth.
        public var maximumBluetoothGuests = Limits.bluetoothGuests
        /// The words that guests do not get to see; nil to change nothing. The log keeps what was
        /// said.
        public var wordMask: WordMask?
        /// The protocol's times.
        public var timing: Timing

        /// A host with the usual limits.
        public init(
            eventName: String, deviceName: String, deviceID: UUID, session: UUID,
            maximumGuests: Int = Limits.guests, timing: Timing = Timing()
        ) {
            self.eventName = eventName
            self.deviceName = deviceName
            self.deviceID = deviceID
            self.session = session
            self.maximumGuests = maximumGuests
            self.timing = timing
        }
    }

    /// What the driver is to do.
    public enum Action: Equatable {
        /// There may be output for this connection.
        case send(ConnectionID)
        /// There may be output for every connection.
        case sendToAll
        /// Close the connection now.
        case close(ConnectionID)
        /// Tell the operator.
        case report(HostEvent)
    }

    /// What the host is.
    public let configuration: Configuration
    /// The event's log.
    public let transcript: Transcript

    var guests: [ConnectionID: HostGuest] = [:]
    /// Those who take part, and of these the ones over Bluetooth.
    var seats = SourceCrowd<ConnectionID>()
    var bluetoothSeats = SourceCrowd<ConnectionID>()
    var register = PartialRegister()
    /// The finals that the input can still correct by their ids.
    var finals = FinalNumbers()
    /// The last word to everybody, once the event or the host is at its end.
    var farewell: Alert?
    /// What holds for everybody who comes: that the input has ended, say.
    var standing = StandingAlerts()
    /// What everybody was told of late.
    var alerts = AlertHistory()
    /// How far the log is; nil for a host that keeps none.
    var journal: JournalProgress?
    /// The devices that know that the session was resumed.
    var knowOfResume: Set<String> = []
    var unstable = UnstableCounts()
    /// What the operator lets through.
    public internal(set) var gate = InputGate.open
    /// The newest lines as readers see them.
    public internal(set) var recent = RecentLines()
    /// How much was said of late.
    public internal(set) var throughput = Throughput()
    /// Bytes that connections took, in all.
    public internal(set) var sentBytes = 0
    var lastInput: Moment
    var lastTick: Duration?
    var generator: SeededGenerator
    /// The line that the input has begun without an id of its own, and how many there were.
    var openLine: String?
    var lineCount = 0
    let encoder = FrameEncoder()
    let packets = PacketDecoder()

    /// - Parameters:
    ///   - transcript: the event's log; empty for a new event, and stored as far as it goes.
    ///   - seed: for the random part of the keep-alives.
    public init(
        _ configuration: Configuration, transcript: Transcript, seed: UInt64, now: Moment
    ) {
        self.configuration = configuration
        self.transcript = transcript
        generator = SeededGenerator(seed: seed)
        lastInput = now
        lineCount = transcript.lastSeq
        if configuration.keepsLog {
            journal = JournalProgress(holding: transcript.cursor(before: transcript.lastSeq + 1))
        }
        recallRecentLines()
    }

    /// Whether there is a connection, and so a reason to call ``tick(_:)``.
    public var hasConnections: Bool { !guests.isEmpty }

    /// The connections, oldest first: what is decided by chance, or told, must not depend on the
    /// order of a hash table.
    var guestsInOrder: [HostGuest] { guests.values.sorted { $0.id < $1.id } }

    /// Connections of any state.
    public var connectionCount: Int { guests.count }

    /// The guests by state.
    public var counts: GuestCounts {
        var counts = GuestCounts()
        counts.unstable = unstable.total
        for guest in guests.values {
            switch guest.phase {
            case .connecting: counts.connecting += 1
            case .syncing: counts.syncing += 1
            case .stable: counts.stable += 1
            case .leaving, .refused: break
            }
        }
        return counts
    }

    /// The record of a connection; nil once it is gone, or when it was not let in.
    public func guest(_ id: ConnectionID) -> HostGuest? { guests[id] }

    // MARK: Connections

    /// A connection came in. Another may have to go for it: see ``surplus()``.
    ///
    /// - Parameters:
    ///   - peer: where it comes from, for people.
    ///   - source: what is held against whom: `peer` without its port.
    public func connected(
        _ id: ConnectionID, from peer: String, source: String? = nil,
        over transport: Transport = .network, now: Moment
    ) {
        let end = transcript.cursor(before: transcript.lastSeq + 1)
        guests[id] = HostGuest(
            id: id, peer: peer, source: source ?? peer, over: transport, cursor: end,
            now: now.uptime)
    }

    /// The connection that has to go as there are too many: one that does not take part, of the
    /// source that has the most of these. Nil where there are not too many. The driver hears it
    /// before it calls ``sendAway(_:now:)``, and asks again.
    public func surplus() -> ConnectionID? {
        guard guests.count > configuration.maximumGuests + Limits.pendingConnections else {
            return nil
        }
        var crowd = SourceCrowd<ConnectionID>()
        for guest in guestsInOrder where !guest.isAccepted {
            crowd.add(guest.id, from: guest.source)
        }
        let greatest = crowd.greatest(using: &generator)
        // Who was refused, and has got the refusal, has nothing to lose.
        return greatest?.first { guests[$0]?.isFinished == true } ?? greatest?.first
    }

    /// Ends a connection that does not take part; of one that does this is no news.
    public func sendAway(_ id: ConnectionID, now: Moment) -> [Action] {
        guard let guest = guests[id], !guest.isAccepted else { return [] }
        return drop(guest, .tooManyConnections, now: now.uptime)
    }

    /// What encryption adds to what a guest says came in: this many bytes, which count against what
    /// a guest may send as well.
    public func receivedOverhead(
        _ count: Int, from id: ConnectionID, now: Moment
    ) -> [Action] {
        guard let guest = guests[id], !guest.mayReceive(count, now: now.uptime) else { return [] }
        return drop(guest, .tooTalkative)
    }

    /// Bytes came in. `bytes` need be valid during the call only.
    public func received(
        _ bytes: UnsafeRawBufferPointer, from id: ConnectionID, now: Moment
    ) -> [Action] {
        guard let guest = guests[id] else { return [] }
        guard guest.mayReceive(bytes.count, now: now.uptime) else {
            return drop(guest, .tooTalkative)
        }
        guard !guest.isClosing else { return [] }
        var actions: [Action] = []
        do throws(FrameError) {
            try guest.decoder.decode(bytes) { payload in
                actions += self.received(payload: payload, from: guest, now: now)
                return guests[id] != nil && !guest.isClosing
            }
        } catch {
            // Its end, where it is marked, is one of the errors that end a stream of frames.
            actions += drop(guest, .frame(error))
        }
        return actions
    }

    /// The connection is gone: the other side closed it, or an error did.
    public func disconnected(_ id: ConnectionID, why: String, now: Moment) -> [Action] {
        guard let guest = remove(id) else { return [] }
        return farewell(guest, why: why, now: now.uptime)
    }

    /// Ends a connection at once.
    func drop(_ guest: HostGuest, _ reason: CloseReason, now: Duration? = nil) -> [Action] {
        remove(guest.id)
        return farewell(guest, why: reason.description, now: now ?? guest.lastHeard)
            + [.close(guest.id)]
    }

    @discardableResult
    private func remove(_ id: ConnectionID) -> HostGuest? {
        leaveSeat(id)
        return guests.removeValue(forKey: id)
    }

    /// A guest takes part from now on.
    func takeSeat(_ guest: HostGuest) {
        seats.add(guest.id, from: guest.source)
        if guest.transport == .bluetooth { bluetoothSeats.add(guest.id, from: guest.source) }
    }

    /// A guest takes no part any more.
    func leaveSeat(_ id: ConnectionID) {
        seats.remove(id)
        bluetoothSeats.remove(id)
    }

    private func farewell(_ guest: HostGuest, why: String, now: Duration) -> [Action] {
        if guest.isClosing { return [] }
        guard let acceptedAt = guest.acceptedAt else {
            // Whoever only looks whether the port answers says nothing and goes: no news.
            guard guest.windowBytes > 0 || why != Self.closedByPeer else { return [] }
            return [.report(.connectionRefused(peer: guest.peer, why: why))]
        }
        if now - acceptedAt < configuration.timing.unstableWithin {
            unstable.count(guest.deviceID)
        }
        let wasStable = guest.phase == .stable
        return [.report(.guestLeft(guest.description, why: why, wasStable: wasStable))]
    }

    /// What a driver says of a connection whose other side closed it in good order.
    public static let closedByPeer = "closed the connection"
}
