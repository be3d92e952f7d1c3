import FoundationEssentials

/// A room's record of one connection: who it is, how far it has read, and what it is sent next.
///
/// Invariant: what was and will be sent is a sequence of whole frames: `control` is only begun when
/// `reader` stands between two frames, and is then sent to its end first.
final class RoomGuest {
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
    private var reader: Reader
    private var control = ByteQueue()
    private(set) var lastSent = Duration.zero
    private var lastProgress: Duration
    private(set) var phase = Phase.connecting
    /// Everything has been handed over and the connection's sending side was closed.
    private(set) var isFinished = false

    /// What it reads besides the main log.
    private var sides = SideReadings()

    let id: ConnectionID
    let peer: String
    /// What is held against whom: the peer without its port.
    let source: String
    let transport: Transport
    /// Whether it reads signed logs, of which this is one.
    private(set) var readsProofs = false
    /// Whether it would be, of a signed log.
    private(set) var knowsOfLogs = false
    /// Whether a log is read from it.
    private(set) var bringsLog = false
    /// Whether it was offered voices.
    var mayUseVoices = false
    /// Others' voices that go to it by its connection.
    private var voices = WaitingVoices()
    /// Where it serves the event to others, if it does.
    private(set) var serving: Peers.Peer?
    /// Of a node of a mesh its id, and what it is offered: it reads no main log.
    private(set) var node: (id: String, offered: OfferedLogs)?
    /// Which nodes of a mesh it was told of.
    private var toldPeers = ToldPeers()
    /// Whether the mark that nothing follows has been queued.
    private var saidEnd = false
    private let connectedAt: Duration
    private let encoder: FrameEncoder
    /// Takes what it says apart.
    var decoder: FrameDecoder

    private(set) var deviceID = ""
    private(set) var name = ""
    private(set) var acceptedAt: Duration?
    /// The deadline for asking for other logs once the event is over; nil while it goes on.
    private(set) var asksUntil: Duration?
    /// The logs besides the main one of which it was told that lines are gone, since it last asked
    /// for them.
    private(set) var logsWithGaps: Set<UUID> = []
    /// Its own clock when it sent its handshake, where it says so.
    private(set) var saidHelloAt: Double?

    private(set) var lastHeard: Duration
    private var lastKeepAlive = Duration.zero
    /// How long after `lastSent` a sign of life is due.
    private var keepAlivePause = Duration.zero
    private var closingSince = Duration.zero
    private var windowStart: Duration
    private var windowBytes = 0

    private var clock = ClockComparison()
    private var lastTimestamp: (theirs: Double, receivedAt: Double)?
    /// The newest line that it said it has taken in, and how many there were beyond it then.
    private(set) var applied = 0
    private(set) var lag = 0
    /// How late lines reach it, as it has measured itself.
    private(set) var latency: LatencyPercentiles?
    /// What it was asked for.
    private(set) var requests = RequestsUnderWay()

    init(
        id: ConnectionID, peer: String, source: String, over transport: Transport,
        at reader: Reader, encoder: FrameEncoder, now: Duration
    ) {
        self.id = id
        self.peer = peer
        self.source = source
        self.transport = transport
        self.encoder = encoder
        decoder = FrameDecoder(limit: Limits.guestFramePayload, takesEndMark: transport.marksEnd)
        self.reader = reader
        connectedAt = now
        lastHeard = now
        lastProgress = now
        windowStart = now
    }

    /// Whether it takes part.
    var isAccepted: Bool { phase == .syncing || phase == .stable }
    /// Whether it was told that its connection ends.
    var isClosing: Bool { phase == .leaving || phase == .refused }
    /// Whether it has said anything at all.
    var hasSpoken: Bool { windowBytes > 0 }
    var description: GuestDescription { GuestDescription(name: name, peer: peer) }

    // MARK: What it says

    /// Counts what came in; false once it is more than a guest has to say, which is no more than that it
    /// lives, unless it brings a log that is read.
    func mayReceive(_ count: Int, now: Duration) -> Bool {
        lastHeard = now
        if bringsLog { return true }
        if now - windowStart > Limits.guestBytesWindow {
            windowStart = now
            windowBytes = 0
        }
        windowBytes += count
        let limit = mayUseVoices ? Limits.voiceBytesPerWindow : Limits.guestBytesPerWindow
        return windowBytes <= limit
    }

    /// A log that it writes, or holds, is read from it.
    func bringsALog() {
        bringsLog = true
        decoder.raise(limit: Limits.framePayload)
    }

    /// It has said who it is.
    func introduces(itself handshake: Handshake, as device: String) {
        deviceID = device
        name = SafeText.name(handshake.displayName, bytes: Limits.deviceNameBytes)
        saidHelloAt = handshake.timestamp
        knowsOfLogs = handshake.logs == Handshake.currentLogs
    }

    func take(_ keepAlive: KeepAlive, newest: Int, now: Moment) {
        lastTimestamp = (keepAlive.timestamp, now.wall)
        if let applied = keepAlive.applied {
            self.applied = max(self.applied, min(applied, newest))
        }
        if let echo = keepAlive.echo, let received = keepAlive.received {
            clock.add(t1: echo, t2: received, t3: keepAlive.timestamp, t4: now.wall)
        }
        requests.heard(echo: keepAlive.echo, now: now.uptime)
        lag = newest - applied
        latency = keepAlive.latency
    }

    /// It says that it serves the event to others.
    ///
    /// - Returns: whether that is news; it is told once, and once more with a page.
    func serves(_ said: Peers) -> Bool {
        guard readsProofs, isAccepted, let peer = Peers.Peer(said, at: peer),
            serving == nil || serving?.page == nil && peer.page != nil
        else { return false }
        serving = peer
        return true
    }

    // MARK: Coming and going

    /// It takes part from now on, reads from there, and is told this first.
    func join(
        at reader: Reader, with welcome: HandshakeResponse, keepAliveIn pause: Duration, now: Moment
    ) {
        phase = .syncing
        acceptedAt = now.uptime
        self.reader = reader
        var welcome = welcome
        if let theirs = saidHelloAt, theirs.isFinite {
            welcome.echo = theirs
            welcome.received = now.wall
            lastTimestamp = (theirs, now.wall)
        }
        queue(.handshakeResponse(welcome))
        lastSent = now.uptime
        keepAlivePause = pause
    }

    /// It has stayed long enough; true once.
    func passGate(_ gate: Duration, now: Duration) -> Bool {
        guard phase == .syncing, let acceptedAt, now - acceptedAt >= gate else { return false }
        phase = .stable
        return true
    }

    /// The event is over, and it may ask for its other logs until then.
    func mayAsk(until deadline: Duration) { asksUntil = deadline }

    /// The event is over for it.
    func leave(now: Duration) {
        phase = .leaving
        closingSince = now
        lastProgress = now
    }

    /// It does not take part, or no longer. Nothing follows the refusal, no news of a gap either.
    func refuse(_ refusal: HandshakeResponse, now: Duration) {
        queue(.handshakeResponse(refusal))
        phase = .refused
        closingSince = now
        lastProgress = now
    }

    /// Whether the connection was told why it ends and has all that it will get. True once.
    func finish(now: Duration) -> Bool {
        guard isClosing, !isFinished else { return false }
        isFinished = true
        closingSince = now
        return true
    }

    // MARK: What it gets

    /// Puts a packet into its own queue.
    func queue(_ packet: Packet) {
        // Encoding fails for numbers that are not finite only, and these packets hold none.
        guard let frame = try? encoder.frame(packet) else { return }
        control.append(frame)
    }

    /// Says something of voices to it.
    func say(_ message: VoiceMessage, now: Duration) {
        guard case .packet = message else { return queue(.voice(message)) }
        guard let frame = try? encoder.frame(.voice(message)) else { return }
        voices.add(frame, now: now)
    }

    /// Says which lines it wants of a log that the guest brings, or that it wants none.
    func ask(_ packet: Packet) {
        if case .read = packet { requests.asked() }
        queue(packet)
    }

    /// Announces the finals from the next one that there is to the newest.
    func announceHistory(of log: EventLog) {
        _ = skipGap(in: log)
        queue(
            .fullHistory(
                FullHistory(
                    session: log.session.wireName, from: reader.seq, through: log.lastSeq,
                    hash: readsProofs ? log.hash(before: reader.seq) : nil)))
    }

    /// Moves on to the next final that there is.
    ///
    /// - Returns: whether finals are missing before it.
    private func skipGap(in log: EventLog) -> Bool {
        guard reader.gap(in: log) != nil else { return false }
        if sides.active != nil { logsWithGaps.insert(log.session) }
        return true
    }

    /// It gets what it needs to know the writer's words from those of others: the log's record, and
    /// from now on heads.
    func introduce(_ record: [UInt8], _ head: [UInt8]?) {
        readsProofs = true
        control.append(record)
        if let head { control.append(head) }
    }

    // MARK: A node of a mesh

    /// It is one, and takes part as such.
    func isNode(_ id: String) {
        node = (id, OfferedLogs())
        readsProofs = true
    }

    /// It is told of the nodes of a mesh, where there is news of them.
    ///
    /// - Returns: whether there is something for it.
    func tell(of known: [Peers.Peer], now: Duration) -> Bool {
        guard isAccepted, readsProofs,
            let news = toldPeers.news(of: known, besides: node?.id, now: now)
        else { return false }
        queue(.peers(Peers(news)))
        return true
    }

    /// It is told of those of these logs that it does not know, and of what is new of the others.
    ///
    /// - Returns: whether there is something for it.
    func offer(_ served: [Shelf.Served], _ timing: Timing, now: Moment) -> Bool {
        guard isAccepted || phase == .leaving else { return false }
        return node?.offered.passOn(
            served, askingFor: [], headsEvery: Limits.headsPassedOn, timing, now: now) ?? false
    }

    /// It is told what was signed: how a log stands, or that one is let in.
    ///
    /// - Returns: whether it is one that wants to know.
    func tell(_ frame: [UInt8]) -> Bool {
        guard readsProofs, isAccepted else { return false }
        control.append(frame)
        return true
    }

    /// Tells it what everybody was told and it was not.
    func queueAlerts(of log: EventLog) {
        reader.alerts(in: log).forEach { control.append($0) }
    }

    // MARK: Other logs than the main one

    /// It is told what another log is, and how that stands.
    func introduce(_ served: Shelf.Served, _ head: [UInt8]?) {
        [served.record, served.grant].compactMap(\.self).forEach {
            control.append(FrameEncoder.frame($0))
        }
        if let head { control.append(head) }
        if let fork = served.fork { control.append(FrameEncoder.frame(fork)) }
    }

    /// It reads a log from there on.
    func read(_ log: EventLog, at reader: Reader) {
        logsWithGaps.remove(log.session)
        sides.read(log, at: reader)
    }

    /// It reads a log no more.
    func unread(_ log: EventLog) { sides.remove(log) }

    /// The logs that it reads besides the main one.
    var sideLogs: [EventLog] { sides.logs }

    /// The next bytes for it; empty when it has everything. Valid until something changes.
    func output(of main: EventLog) -> UnsafeRawBufferPointer {
        if let node, control.isEmpty, phase != .refused {
            control.append(node.offered.output(limit: Limits.offeredAtOnce))
        }
        if control.isEmpty, reader.isBetweenFrames, let frame = voices.takeFirst() {
            control.append(frame)
        }
        if sides.isEmpty { return outputOfOne(main) }
        if reader.isBetweenFrames, control.isEmpty { takeTurn(main) }
        let output = outputOfOne(sides.active ?? main)
        guard output.isEmpty, reader.isBetweenFrames else { return output }
        // What was owed may be nothing, of lines that are open no more: another has its turn then.
        takeTurn(main)
        return control.pending()
    }

    /// Chooses which log is to be gone on with.
    private func takeTurn(_ main: EventLog) {
        var place = reader
        guard isAccepted || phase == .leaving,
            let turn = sides.takeTurn(&place, main, isClosing: isClosing)
        else { return }
        reader = place
        queue(.inLog(LogMention((turn.log ?? main).session.wireName)))
        if let log = turn.log, turn.isNew { announceHistory(of: log) }
    }

    private func outputOfOne(_ log: EventLog) -> UnsafeRawBufferPointer {
        // Copies to ask: each look at what a class keeps is a tracked access, which costs.
        var place = reader
        let phase = phase
        if place.isBetweenFrames {
            if !control.isEmpty { return control.pending() }
            if place.hasNews(in: log) {
                queueNews(of: log)
                if !control.isEmpty { return control.pending() }
                place = reader
            }
        }
        let frames = frames(of: log, at: place.cursor, in: phase)
        if !frames.isEmpty { return frames }
        guard isClosing || place.isOwedMore(in: log) else { return Self.nothing }
        queueWhatFollowsTheFinals(of: log)
        return control.isEmpty ? Self.nothing : control.pending()
    }

    /// What goes before the finals that it has not got.
    private func queueNews(of log: EventLog) {
        switch phase {
        case .connecting, .refused: return
        case .syncing, .stable: if sides.active == nil { queueAlerts(of: log) }
        case .leaving: break
        }
        if skipGap(in: log) { announceHistory(of: log) }
    }

    /// One that is sent away gets what the event's end owes it; one that is refused only the rest of
    /// a frame that it has begun.
    private func frames(
        of log: EventLog, at cursor: TranscriptCursor, in phase: Phase
    ) -> UnsafeRawBufferPointer {
        switch phase {
        case .connecting: Self.nothing
        case .syncing, .stable, .leaving: log.frames(at: cursor)
        case .refused: log.restOfFrame(at: cursor)
        }
    }

    /// One that has drained the log is owed the newest partials, or the last word.
    private func queueWhatFollowsTheFinals(of log: EventLog) {
        if isAccepted { reader.partials(in: log).forEach { control.append($0) } }
        if phase == .leaving, sides.active == nil, let lastWord = reader.lastWord(in: log) {
            control.append(lastWord)
        }
        if isClosing, transport.marksEnd, !saidEnd {
            control.append(FrameDecoder.endMark)
            saidEnd = true
        }
    }

    /// `count` of the bytes that ``output(of:)`` gave were sent.
    func sent(_ count: Int, of log: EventLog, now: Duration) {
        guard count > 0 else { return }
        if !control.isEmpty, reader.isBetweenFrames {
            control.removeFirst(count)
        } else {
            // In place it would be a tracked access, which costs more than the copy.
            var reader = reader
            reader.advance(count, in: sides.active ?? log)
            self.reader = reader
        }
        lastProgress = now
        lastSent = now
    }

    /// Its connection has taken some of what was sent.
    func noteProgress(now: Duration) { lastProgress = now }

    /// What lies before `survivor` goes from the memory of a log: where that is at hand, it keeps the rest
    /// of its frame.
    func keepFrame(before survivor: TranscriptCursor, of log: EventLog, main: EventLog) {
        guard sides.active ?? main === log, !reader.isBetweenFrames,
            reader.cursor.boundary < survivor.boundary
        else { return }
        let rest = log.restOfFrame(at: reader.cursor)
        control.prepend(rest)
        reader.advance(rest.count, in: log)
    }

    // MARK: Time

    /// Its host has heard nobody, which says nothing about it.
    func forgiveSilence(now: Duration) {
        lastHeard = now
        lastProgress = now
    }

    /// Why it has to go by now; nil where it may stay.
    ///
    /// - Parameter isOver: nobody is waited for any more who has not even said who it is.
    func overdue(_ timing: Timing, of log: EventLog, now: Duration) -> CloseReason? {
        switch phase {
        case .connecting:
            let limit = log.isOver ? timing.lingerTimeout : timing.handshakeTimeout
            return now - connectedAt >= limit ? .handshakeTimeout(limit) : nil
        case .leaving:
            // Who is there but slow may read to the end; who is gone is not waited for.
            let isStuck = now - max(closingSince, lastProgress) >= timing.stuckTimeout
            return isStuck || now - lastHeard >= timing.silenceTimeout ? .lingered : nil
        case .refused: return now - closingSince >= timing.lingerTimeout ? .lingered : nil
        case .syncing, .stable: return lifeless(timing, of: log, now: now)
        }
    }

    private func lifeless(_ timing: Timing, of log: EventLog, now: Duration) -> CloseReason? {
        if now - lastHeard >= timing.silenceTimeout { return .silent(timing.silenceTimeout) }
        if output(of: log).isEmpty {
            lastProgress = now
        } else if now - lastProgress >= timing.stuckTimeout {
            return .stuck(timing.stuckTimeout)
        }
        return control.count <= Limits.controlQueue ? nil : .controlQueueFull
    }

    /// Queues a sign of life where one is due; true if so. Since this is asked once per check
    /// interval, what falls due before the next check goes now.
    ///
    /// - Parameters:
    ///   - log: what the guest reads as the main log.
    ///   - inputAge: how long ago the event's last input came.
    func keepAlive(
        _ timing: Timing, from device: String, of log: EventLog, inputAge: Duration,
        pause: () -> Duration, now: Moment
    ) -> Bool {
        let isDue = lastSent + keepAlivePause <= now.uptime + timing.checkInterval / 2
        let clockIsDue = now.uptime - lastKeepAlive >= timing.clockInterval
        guard isDue || clockIsDue, output(of: log).isEmpty else { return false }
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = device
        packet.inputAge = inputAge.seconds
        packet.echo = lastTimestamp?.theirs
        packet.received = lastTimestamp?.receivedAt
        queue(.keepAlive(packet))
        requests.sent(packet.timestamp, now: now.uptime)
        lastKeepAlive = now.uptime
        keepAlivePause = pause()
        return true
    }

    /// What is wrong; nil where nothing is.
    var brokenInvariant: String? {
        control.isBegun && !reader.isBetweenFrames
            ? "the queue of \(id) was begun in the middle of a frame" : nil
    }

    private static var nothing: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: nil, count: 0)
    }
}

/// A connection's number, never used twice by one host.
public typealias ConnectionID = Int
