public import FoundationEssentials

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
        /// This machine's lasting id.
        public var deviceID: UUID
        /// The guest's name for people.
        public var displayName: String
        /// Where to begin in an event that the guest has nothing of.
        public var start = Start.beginning
        /// What the guest has already, from an earlier run.
        public var resume: Handshake.Resume?
        /// Whether to come back after the connection is lost.
        public var reconnects = true
        /// The protocol's times.
        public var timing = Timing()

        /// A guest that wants everything and comes back.
        public init(deviceID: UUID, displayName: String) {
            self.deviceID = deviceID
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
        /// Close the connection, or stop trying.
        case disconnect
        /// Tell the reader.
        case report(GuestEvent)
        /// The session is over.
        case finish(GuestOutcome)
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

    // MARK: What happens

    /// A connection stands.
    public func connected(now: Moment) -> [Action] {
        guard phase == .dialing else { return [.disconnect] }
        phase = .handshaking(since: now.uptime)
        decoder = FrameDecoder()
        lastHeard = now.uptime
        var handshake = Handshake(
            deviceId: configuration.deviceID.wireName, displayName: configuration.displayName,
            resume: position, timestamp: now.wall)
        if lastSeq == nil {
            switch start {
            case .beginning: break
            case .line(let seq): handshake.from = seq
            case .next: handshake.history = Handshake.noHistory
            }
        }
        return send(.handshake(handshake))
    }

    /// No address of the host took the connection.
    public func connectionFailed(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        guard phase == .dialing else { return [] }
        return retryLater(trouble, now: now)
    }

    /// The connection is gone: the host closed it, or an error did.
    public func disconnected(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        switch phase {
        case .handshaking, .connected: retryLater(trouble, now: now)
        default: []
        }
    }

    /// Something changed that makes a try worth while now: an address of this machine, or fresh
    /// news of the host.
    public func prospectsChanged(now: Moment) -> [Action] {
        guard case .waiting(let retryAt) = phase, retryAt > now.uptime else { return [] }
        phase = .waiting(retryAt: now.uptime)
        return tick(now)
    }

    /// The driver reads no more for a while since the reader is slow, or reads again. While it
    /// does not, the host's silence means nothing.
    public func readingPaused(_ isPaused: Bool, now: Moment) {
        isReadingPaused = isPaused
        lastHeard = now.uptime
        if case .handshaking = phase { phase = .handshaking(since: now.uptime) }
    }

    /// Time has passed.
    public func tick(_ now: Moment) -> [Action] {
        tellLoss(now) + proceed(now)
    }

    private func tellLoss(_ now: Moment) -> [Action] {
        guard let due = lossIsToldAt, due <= now.uptime, let loss else { return [] }
        lossIsToldAt = nil
        return [.report(.stillLost(loss))]
    }

    private func proceed(_ now: Moment) -> [Action] {
        switch phase {
        case .waiting(let retryAt):
            // Whoever cannot read has no use for a connection.
            guard retryAt <= now.uptime, !isReadingPaused else { return [] }
            phase = .dialing
            return change(to: session == nil ? .connecting : state) + [.connect]
        case .handshaking(let since):
            guard !isReadingPaused, now.uptime - since >= configuration.timing.handshakeTimeout
            else { return [] }
            return [.disconnect]
                + retryLater(
                    ConnectionTrouble(.networkLost, "the host did not answer"), now: now)
        case .connected: return checkLife(now)
        case .dialing, .finished: return []
        }
    }

    private func checkLife(_ now: Moment) -> [Action] {
        if !isReadingPaused, now.uptime - lastHeard >= silenceTimeout {
            let seconds = Int(silenceTimeout.seconds)
            let why = "nothing was heard of the host for \(seconds) s"
            return [.disconnect] + retryLater(ConnectionTrouble(.networkLost, why), now: now)
        }
        startPausesOver(now)
        if now.uptime - connectedAt >= configuration.timing.gate * 10 { violations = 0 }
        guard nextKeepAlive <= now.uptime else { return [] }
        return sendKeepAlive(now)
    }

    /// Once a connection has held for the gate's time, the pauses begin anew.
    private func startPausesOver(_ now: Moment) {
        guard phase == .connected, now.uptime - connectedAt >= configuration.timing.gate else {
            return
        }
        backoff.reset()
    }

    func sendKeepAlive(_ now: Moment) -> [Action] {
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = configuration.deviceID.wireName
        packet.echo = lastTimestamp?.theirs
        packet.received = lastTimestamp?.receivedAt
        packet.applied = lastSeq
        packet.latency = latencies.percentiles
        nextKeepAlive = now.uptime + configuration.timing.keepAlivePause(using: &generator)
        return send(.keepAlive(packet))
    }

    /// The time to find the host is over. Nothing happens to a guest that has found it before.
    public func giveUpSearching(why: String) -> [Action] {
        guard session == nil, phase != .finished else { return [] }
        return finish(.noAnswer(why: why))
    }

    /// The reader has had enough.
    public func stop() -> [Action] {
        phase == .finished ? [] : finish(.ended)
    }

    // MARK: What follows

    /// The connection is lost: tell the reader, and come back or give up.
    func retryLater(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        startPausesOver(now)
        var actions = withdrawOpenLines()
        let loss = currentLoss(after: trouble, now: now)
        // Before the first answer a session of nobody's has been lost.
        let wasConnected = session != nil
        guard configuration.reconnects || !wasConnected else {
            phase = .finished
            lossIsToldAt = nil
            return actions + change(to: .ended) + [.finish(.lost(why: loss.why))]
        }
        phase = .waiting(retryAt: now.uptime + backoff.next(using: &generator))
        actions.append(.report(.trouble(trouble.why)))
        guard wasConnected else { return actions + change(to: .searching) }
        if self.loss == nil { lossIsToldAt = now.uptime + configuration.timing.lossTold }
        self.loss = loss
        return actions + change(to: .reconnecting(loss))
    }

    /// A host that said goodbye is gone in good order, whatever the tries to reach it find.
    private func currentLoss(after trouble: ConnectionTrouble, now: Moment) -> ConnectionLoss {
        let since = loss?.since ?? now.wall
        guard saidGoodbye else {
            return ConnectionLoss(trouble.cause, why: trouble.why, since: since)
        }
        return ConnectionLoss(.hostGone, why: "the host has stopped", since: since)
    }

    func finish(_ outcome: GuestOutcome) -> [Action] {
        let actions = withdrawOpenLines()
        phase = .finished
        lossIsToldAt = nil
        return actions + change(to: .ended) + [.disconnect, .finish(outcome)]
    }

    /// The host broke the protocol. A fresh connection may heal that; three in a row do not.
    func violated(_ violation: GuestViolation, now: Moment) -> [Action] {
        violations += 1
        guard violations < Self.toleratedViolations, configuration.reconnects else {
            return finish(.protocolViolation("\(violation)"))
        }
        return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, "\(violation)"), now: now)
    }

    /// Violations in a row at which the guest gives up.
    static let toleratedViolations = 3

    func change(to new: GuestState) -> [Action] {
        guard new != state else { return [] }
        state = new
        return [.report(.state(new))]
    }

    func send(_ packet: Packet) -> [Action] {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        (try? encoder.frame(packet)).map { [.send($0)] } ?? []
    }

    func withdrawOpenLines() -> [Action] {
        defer { openLines = [] }
        return openLines.map { .report(.partial(line: $0, text: "", speaker: nil)) }
    }
}
