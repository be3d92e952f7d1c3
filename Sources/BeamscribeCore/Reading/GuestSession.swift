public import FoundationEssentials

/// The guest's side of the wire across all of its connections, without sockets, clocks or threads.
///
/// The driver reports what happened and carries out the actions that it gets back. It calls
/// ``tick(_:)`` when ``nextDeadline`` has come. What the host sends of its event's main log is taken in by a
/// ``LogReading``, the other logs go to and fro by a ``LogExchange``; here is when there is a connection, and
/// with whom.
///
///     waiting -> dialing -> handshaking -> connected -> finished
///        ^          |            |             |
///        +----------+------------+-------------+   (a loss, a refusal, a broken rule)
///
/// Invariant: there is a ``Link`` exactly while the driver has a connection that is ours; what came
/// before it, or by another, is not taken in.
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
        /// Whether voices are wanted beside the captions.
        public var usesVoices = false
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
        /// The host knows machines that serve its event, too.
        case hear(Peers)
        /// There is no place where the guest was: the next connection is to be to somebody else who serves
        /// the event.
        case goElsewhere
        /// The event's host is there, or somebody who holds it, and has voices, or none. It follows on ``report(_:)`` of
        /// whose event it is: whoever does not trust that goes no further.
        case voices(VoiceOffer?)
        /// The host says something of voices.
        case voice(VoiceMessage)
        /// There may be output of the log that is offered: ask for ``GuestSession/output(limit:)``.
        case pull
        /// Close the connection, or stop trying.
        case disconnect
        /// Tell the reader.
        case report(GuestEvent)
        /// The session is over.
        case finish(GuestOutcome)
    }

    private enum Phase {
        /// No connection; the next try is due at `retryAt`.
        case waiting(retryAt: Duration)
        case dialing
        case handshaking(Link, since: Duration, CodeStep)
        case connected(Link, Stay)
        case finished
    }

    /// A connection that stands.
    private final class Link {
        let transport: Transport
        /// Who the guest is to this host: no host learns what another one knows of it.
        let deviceID: String
        let counterpart: Counterpart
        /// Whether nothing is believed but what the event's writer has signed: the connection's key is
        /// not known to be the host's.
        var isForeign: Bool
        var security: ConnectionSecurity
        var decoder: FrameDecoder
        var lastHeard: Duration
        /// When the last step of the handshake was said.
        var lastSpoke: Duration

        init(
            _ transport: Transport, _ security: ConnectionSecurity, to counterpart: Counterpart,
            as id: UUID, now: Duration
        ) {
            (self.transport, self.counterpart) = (transport, counterpart)
            isForeign = counterpart != .host
            self.security = security
            deviceID = id.wireName
            decoder = FrameDecoder(takesEndMark: transport.marksEnd)
            lastHeard = now
            lastSpoke = now
        }
    }

    /// How far the proof of the code is on a connection.
    private enum CodeStep {
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

    /// What holds while the host has let the guest in.
    private struct Stay {
        let since: Duration
        let silenceTimeout: Duration
        var nextKeepAlive: Duration
        /// The host's clock as it last said it, and ours then.
        var heardClock: (theirs: Double, receivedAt: Double)?
        /// Whether the host said that it goes.
        var saidGoodbye = false
    }

    /// A host that is being missed.
    private struct Absence {
        var loss: ConnectionLoss
        /// Whether the host said that it goes, before it went.
        let saidGoodbye: Bool
        /// When the reader is to be told of it; nil when it has been.
        var toldAt: Duration?
    }

    private let configuration: Configuration
    private var phase: Phase
    private var reading: LogReading
    /// The event's other logs, to and fro.
    private let exchange: LogExchange
    /// How often the other side may say how the main log stands.
    private var heads = HeadAllowance()
    private var state = GuestState.searching
    /// Nil while there is a connection or never was.
    private var absence: Absence?
    private var voices: OfferedVoices
    /// Handshakes that were accepted.
    private var connections = 0
    private var backoff = Backoff()
    /// Rules that the host has broken in a row.
    private var violations = 0
    /// The time at which a machine that serves the event passed on its end; nil before.
    private var overSince: Duration?
    private static let toleratedViolations = 3
    private var clock = WriterClock()
    private var isReadingPaused = false
    /// To how many others a host without a place has sent the guest whom it has not asked yet; nil
    /// where nobody has sent it on since it was let in.
    private var othersLeft: Int?
    /// Whether somebody has answered who holds the event and has nothing to give yet.
    private var hasMetHolder = false
    /// Where this guest serves the event to others.
    private var own: Peers.Peer?
    private var generator: SeededGenerator
    private let encoder = FrameEncoder()
    private let packets = PacketDecoder()

    /// - Parameters:
    ///   - replica: keeps what comes, to serve it again; nil where nobody wants it.
    ///   - shelf: takes the event's other logs; nil where nobody wants them.
    ///   - crypto: proves what a signed log's writer has said; nil to believe whoever says it.
    ///   - seed: for the random part of keep-alives and pauses.
    public init(
        _ configuration: Configuration, keeping replica: Replica? = nil, others shelf: Shelf? = nil,
        proving crypto: (any LogCrypto)? = nil, seed: UInt64, now: Moment
    ) {
        self.configuration = configuration
        exchange = LogExchange(shelf, by: .dialled(0), configuration.timing)
        voices = OfferedVoices(areWanted: configuration.usesVoices)
        reading = LogReading(
            from: configuration.start, resuming: configuration.resume, keeping: replica,
            proving: crypto)
        generator = SeededGenerator(seed: seed)
        phase = .waiting(retryAt: now.uptime)
    }

    // MARK: What there is to see

    /// The newest line taken in, and the session that it counts in.
    public var position: Handshake.Resume? { reading.position }

    /// The session that the guest has joined, or has something of; nil before.
    public var session: String? { reading.session }

    /// Whether the host has let the guest in.
    public var isConnected: Bool { if case .connected = phase { true } else { false } }

    /// The way to the other side and back, in seconds.
    public var roundTrip: Double? { clock.roundTrip }

    /// How the guest fares at `now`.
    public func statistics(now: Moment) -> GuestStatistics {
        var age: Double?
        if case .connected(_, let stay) = phase { age = (now.uptime - stay.since).seconds }
        return GuestStatistics(
            lines: reading.reportedLines, applied: reading.lastSeq, connectionAge: age,
            reconnects: max(0, connections - 1), latency: reading.latencies.percentiles)
    }

    /// When ``tick(_:)`` is to be called next.
    public var nextDeadline: Duration? {
        [phaseDeadline, absence?.toldAt].compactMap(\.self).min()
    }

    private var phaseDeadline: Duration? {
        switch phase {
        case .waiting(let retryAt): isReadingPaused ? nil : retryAt
        case .dialing, .finished: nil
        case .handshaking(_, let since, _):
            isReadingPaused ? nil : since + configuration.timing.handshakeTimeout
        case .connected(let link, let stay):
            isReadingPaused
                ? stay.nextKeepAlive : min(stay.nextKeepAlive, link.lastHeard + stay.silenceTimeout)
        }
    }

    private var isFinished: Bool { if case .finished = phase { true } else { false } }

    private var link: Link? {
        switch phase {
        case .handshaking(let link, _, _), .connected(let link, _): link
        case .waiting, .dialing, .finished: nil
        }
    }

    /// Whether anybody has let the guest in, so that there is more than what was kept.
    public var hasConnected: Bool { connections > 0 }

    // MARK: Connections

    /// What was kept of the event is here again, before anybody has answered.
    ///
    /// - Parameter lines: whether a reader wants its lines.
    public func takeUpKept(lines: Bool, now: Moment) -> [Action] {
        var actions: [Action] = []
        reading.reportKept(lines: lines, now: now) { actions.append(exchange.told($0)) }
        return lines ? actions + exchange.reportKept(now: now) : actions
    }

    /// A connection stands, as safe as it is meant to be.
    ///
    /// - Parameters:
    ///   - counterpart: who is there, by the connection's key.
    ///   - id: who the guest is to this host.
    public func connected(
        over transport: Transport = .network, security: ConnectionSecurity = .plain,
        to counterpart: Counterpart = .host, as id: UUID, now: Moment
    ) -> [Action] {
        guard case .dialing = phase else { return [.disconnect] }
        let link = Link(transport, security, to: counterpart, as: id, now: now.uptime)
        phase = .handshaking(link, since: now.uptime, .none)
        overSince = nil
        reading.connected(toHost: !link.isForeign)
        var handshake = Handshake(
            deviceId: link.deviceID, displayName: configuration.displayName,
            // Where there is a code, only who knows it learns what the guest has.
            resume: configuration.hasCode ? nil : position, timestamp: now.wall)
        reading.ask(in: &handshake)
        heads = HeadAllowance()
        return send(.handshake(handshake))
    }

    /// The driver has let go of the connection that stood for a better one, which stands. The
    /// guest goes on in it where it is, and its reader need not know of more than that.
    public func moved(
        over transport: Transport, security: ConnectionSecurity = .plain,
        to counterpart: Counterpart = .host, as id: UUID, now: Moment
    ) -> [Action] {
        guard link != nil else { return [.disconnect] }
        phase = .dialing
        return withdrawOpenLines(now: now)
            + connected(
                over: transport, security: security, to: counterpart, as: id, now: now)
    }

    /// Whoever answered is not to be trusted, or does not trust this guest. While it joins, that
    /// is the end. Later another may only claim to be the host: it is tried again, and three in a
    /// row are the end.
    public func refused(_ refusal: SecurityRefusal, now: Moment) -> [Action] {
        let hangUp: [Action]
        switch phase {
        case .dialing: hangUp = []
        case .handshaking: hangUp = [.disconnect]
        default: return []
        }
        guard reading.session != nil, configuration.reconnects else {
            return finish(.distrusted(refusal))
        }
        if !isWithHolder { violations += 1 }
        guard violations < Self.toleratedViolations else { return finish(.distrusted(refusal)) }
        return hangUp + retryLater(ConnectionTrouble(.hostLost, "\(refusal)"), now: now)
    }

    /// The host that has just let the guest in, or who has written what it serves, turned out not to be
    /// trusted. Of an event that was joined nobody else's lines are taken, so that this is the first.
    public func distrusts(_ refusal: SecurityRefusal) -> [Action] {
        isFinished ? [] : finish(.distrusted(refusal))
    }

    /// Whoever answered does not speak TLS as it should.
    public func violatedSecurity(_ what: String, now: Moment) -> [Action] {
        guard case .dialing = phase else { return [] }
        return violated(.security(what), now: now)
    }

    /// No address of the host took the connection.
    public func connectionFailed(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        guard case .dialing = phase else { return [] }
        return retryLater(trouble, now: now)
    }

    /// The connection is gone: the host closed it, or an error did.
    public func disconnected(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        guard let link else { return [] }
        var actions: [Action] = []
        settle(by: link, now: now, &actions)
        return self.link == nil ? actions : actions + retryLater(trouble, now: now)
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
        link?.lastHeard = now.uptime
        forgiveSilence(now: now.uptime)
        reading.forgiveLackOfHeads()
        if case .handshaking(let link, _, let step) = phase {
            phase = .handshaking(link, since: now.uptime, step)
        }
    }

    /// The time to find the host is over. Nothing happens to a guest that has found it before.
    public func giveUpSearching(why: String) -> [Action] {
        guard reading.session == nil, !isFinished else { return [] }
        return finish(hasMetHolder ? .nothingProven : .noAnswer(why: why))
    }

    /// The guest serves the event to others, here; whoever lets it in is told.
    public func serves(_ peer: Peers.Peer) -> [Action] {
        own = peer
        return isConnected ? sayWhereItServes() : []
    }

    /// How the event stands, for those who read it from here: why nothing comes in at its host, and for
    /// how long that was not heard, where that is too long by its own word.
    public func standing(now: Moment) -> (trouble: InputTrouble?, unheardFor: Duration?) {
        (reading.inputTrouble, reading.unheard(now: now.uptime))
    }

    // MARK: A log of the event that is written here

    /// Offers a log to whoever serves the event, now and whenever there is another connection.
    public func offer(_ log: EventLog, now: Moment) -> [Action] {
        exchange.offer(log, in: reading.founded, at: reading.place, now: now)
    }

    /// What is to be sent next of the log that is offered, at most about `limit` bytes.
    public func output(limit: Int) -> [UInt8] { exchange.output(limit: limit) }

    /// Something was said in the log that is offered, or it stands in another way.
    public func offeredHasChanged(now: Moment) -> [Action] {
        exchange.hasChanged(in: reading.founded, now: now)
    }

    /// What those say of whose turn it is who stand in for a log's writer, and he himself, as far as they are
    /// heard here.
    ///
    /// - Parameters:
    ///   - own: the log that is written here.
    ///   - session: the log.
    ///   - device: the machine of the main log's writer, for people.
    package func airClaims(
        besides own: String, around session: String, mainOn device: String, now: Moment
    ) -> [AirClaim] {
        let others = exchange.airClaims(besides: own, around: session, now: now.uptime)
        guard session == reading.session, session != own else { return others }
        let main = reading.airClaim(
            (LogRecord.mainLabel, device), rank: 0, now: now.uptime)
        return [main].compactMap(\.self) + others
    }

    /// Whether the other side reads it.
    public var offeredIsRead: Bool { exchange.isRead }

    /// Whether all of it has been given out, of a log that is read.
    public var offeredIsSent: Bool { exchange.isSent }

    /// The lines of this machine's own log that did not get there before the event ended, by the
    /// word of the machine that serves it; nil for none.
    public var offeredNotTaken: ClosedRange<Int>? { exchange.notTaken }

    // MARK: Voices

    /// Says something of voices to the host.
    public func say(_ message: VoiceMessage) -> [Action] {
        isConnected && voices.haveBegun ? send(.voice(message)) : []
    }

    private func sayWhereItServes() -> [Action] { own.map { send(.peers(Peers([$0]))) } ?? [] }

    /// The reader has had enough.
    public func stop() -> [Action] {
        isFinished ? [] : finish(.ended)
    }

    // MARK: Time

    /// Time has passed.
    public func tick(_ now: Moment) -> [Action] {
        heardElsewhere(now: now) + tellLoss(now) + proceed(now)
    }

    /// What those who are served here have brought of the event's other logs.
    public func heardElsewhere(now: Moment) -> [Action] {
        exchange.heardElsewhere(in: reading.founded, now: now)
    }

    private func tellLoss(_ now: Moment) -> [Action] {
        guard let absence, let due = absence.toldAt, due <= now.uptime else { return [] }
        self.absence?.toldAt = nil
        return [.report(.stillLost(absence.loss))]
    }

    private func proceed(_ now: Moment) -> [Action] {
        switch phase {
        case .waiting(let retryAt):
            // Whoever cannot read has no use for a connection.
            guard retryAt <= now.uptime, !isReadingPaused else { return [] }
            phase = .dialing
            return change(to: reading.session == nil ? .connecting : state) + [.connect]
        case .handshaking(_, let since, _):
            guard !isReadingPaused, now.uptime - since >= configuration.timing.handshakeTimeout
            else { return [] }
            let trouble = ConnectionTrouble(.networkLost, "the host did not answer")
            return [.disconnect] + retryLater(trouble, now: now)
        case .connected(let link, var stay): return checkLife(of: link, &stay, now)
        case .dialing, .finished: return []
        }
    }

    private func checkLife(of link: Link, _ stay: inout Stay, _ now: Moment) -> [Action] {
        if !isReadingPaused, now.uptime - link.lastHeard >= stay.silenceTimeout {
            let why =
                "nothing was heard of the host for \(Int(saturating: stay.silenceTimeout.seconds)) s"
            return [.disconnect] + retryLater(ConnectionTrouble(.networkLost, why), now: now)
        }
        if !isReadingPaused, reading.lacksLines(for: stay.silenceTimeout, now: now.uptime) {
            return violated(.linesKeptBack, now: now)
        }
        if !isReadingPaused, reading.lacksHeads(now: now.uptime) {
            return violated(.headsKeptBack, now: now)
        }
        // Lines that are missing have their time, too: they are asked for again.
        if let overSince, !isReadingPaused, now.uptime - overSince >= stay.silenceTimeout,
            !exchange.lacksLines()
        {
            return endOfTheEvent(now)
        }
        startPausesOver(after: stay, now)
        var news =
            change(to: currentState(now)) + exchange.tick(now: now) + offeredHasChanged(now: now)
        if let count = newlyLackedLogs(by: link, now) { news.append(tellOfLackedLogs(count)) }
        do throws(GuestViolation) {
            if !isReadingPaused {
                news += try exchange.requestLacking(for: stay.silenceTimeout, now: now)
                news += try takeWaitingHead(by: link, now: now)
            }
        } catch {
            return news + violated(error, now: now)
        }
        if now.uptime - stay.since >= configuration.timing.gate * 10 { violations = 0 }
        guard stay.nextKeepAlive <= now.uptime else { return news }
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = link.deviceID
        packet.echo = stay.heardClock?.theirs
        packet.received = stay.heardClock?.receivedAt
        packet.applied = reading.lastSeq
        packet.latency = reading.latencies.percentiles
        stay.nextKeepAlive = now.uptime + configuration.timing.keepAlivePause(using: &generator)
        phase = .connected(link, stay)
        exchange.keepAliveSent(packet.timestamp, now: now.uptime)
        return news + send(.keepAlive(packet))
    }

    /// Returns the number of logs that a machine which only serves the event leaves out, once.
    private func newlyLackedLogs(by link: Link, _ now: Moment) -> Int? {
        var isCaughtUp = link.isForeign && !isReadingPaused && !reading.isToldOver
        if case .syncing = currentState(now) { isCaughtUp = false }
        return exchange.newlyLackedLogs(
            of: reading.offeredLogs, isCaughtUp: isCaughtUp, now: now.uptime)
    }

    private func tellOfLackedLogs(_ count: Int) -> Action {
        let (logs, them) = count == 1 ? ("another log", "it") : ("\(count) other logs", "them")
        return .report(
            .alert(
                kind: Alert.logsMissing,
                message: "The event has \(logs), such as a translation or another room. "
                    + "The machine that passes on the event to you leaves \(them) out."))
    }

    /// Once a connection has held for the gate's time, the pauses begin anew.
    private func startPausesOver(after stay: Stay, _ now: Moment) {
        if now.uptime - stay.since >= configuration.timing.gate { backoff.reset() }
    }

    // MARK: What the host says

    /// Bytes came in.
    ///
    /// - Parameters:
    ///   - bytes: valid during the call; none at the end of what came at once in pieces.
    ///   - isPiece: whether another call follows at once. Of a signed log's lines that came at once
    ///     the last signature proves all, and is looked at with the last piece.
    public func received(
        _ bytes: UnsafeRawBufferPointer, isPiece: Bool = false, now: Moment
    ) -> [Action] {
        guard let link else { return [] }
        link.lastHeard = now.uptime
        var actions: [Action] = []
        do throws(FrameError) {
            try link.decoder.decode(bytes) { payload in
                do throws(GuestViolation) {
                    try received(payload, by: link, now: now, &actions)
                } catch {
                    actions += violated(error, now: now)
                }
                return self.link === link
            }
            if !isPiece { settle(by: link, mayWait: true, now: now, &actions) }
        } catch .end {
            settle(by: link, now: now, &actions)
            actions += [.disconnect] + disconnected(.closedByHost, now: now)
        } catch {
            actions += violated(.frame(error), now: now)
        }
        assert(reading.brokenInvariant == nil, reading.brokenInvariant ?? "")
        guard isConnected else { return actions }
        // Of its other logs lines may still be on their way of which their writers have told.
        if link.isForeign, reading.isOver, !isPiece, !link.decoder.isInsideFrame {
            overSince = overSince ?? now.uptime
            if !exchange.lacks(logs: reading.offeredLogs) { return actions + endOfTheEvent(now) }
        }
        return actions + change(to: currentState(now))
    }

    private func currentState(_ now: Moment) -> GuestState {
        reading.state(silentAfter: configuration.timing.silentAfter, now: now.uptime)
    }

    /// The event's writer has ended it, whoever serves it.
    private func endOfTheEvent(_ now: Moment) -> [Action] {
        let message = HandshakeResponse.Reason.sentence(.ended)
        reading.end(message, now: now)
        let lacked = exchange.lackedLogsAtEnd(of: reading.offeredLogs).map(tellOfLackedLogs)
        let missing = exchange.linesNotBrought() + [lacked].compactMap(\.self)
        let end = GuestEvent.alert(kind: Alert.Kind.ended.rawValue, message: message)
        return missing + [.report(end)] + finish(.ended)
    }

    /// Gives out what the end of what came has proven.
    ///
    /// - Parameter mayWait: whether more of it may come by this connection.
    private func settle(
        by link: Link, mayWait: Bool = false, now: Moment, _ actions: inout [Action]
    ) {
        guard self.link === link else { return }
        do throws(GuestViolation) {
            try reading.settle(mayWait: mayWait, clockOffset: clock.offset(now: now), now: now) {
                tell($0, now: now, &actions)
            }
            try exchange.settle(mayWait: mayWait, now: now, &actions)
        } catch {
            actions += violated(error, now: now)
        }
    }

    /// Something is shown of the main log, whose lines tell their writer's time, too.
    private func tell(_ event: GuestEvent, now: Moment, _ actions: inout [Action]) {
        if case .line(let line) = event { clock.heard(line.sentTimestamp, now: now) }
        actions.append(exchange.told(event))
    }

    private func forgiveSilence(now: Duration) {
        reading.forgiveSilence(now: now)
        exchange.forgiveSilence(now: now)
    }

    /// Something of the host came, though nothing whole: it lives.
    public func heard(now: Moment) {
        link?.lastHeard = now.uptime
        forgiveSilence(now: now.uptime)
    }

    private func received(
        _ payload: UnsafeRawBufferPointer, by link: Link, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        let packet: Packet
        do throws(PacketError) {
            packet = try packets.packet(payload)
        } catch {
            throw .packet(error)
        }
        // By far the most that comes; `phase` is looked at where it is.
        if case .liveChunk(let chunk) = packet, isConnected {
            guard exchange.isMain else {
                return try exchange.take(chunk, as: payload, now: now, &actions)
            }
            let offset = clock.offset(now: now)
            return try reading.take(chunk, as: payload, clockOffset: offset, now: now) {
                tell($0, now: now, &actions)
            }
        }
        try reading.settle(clockOffset: clock.offset(now: now), now: now) {
            tell($0, now: now, &actions)
        }
        if isConnected,
            try exchange.take(
                packet, as: payload, besides: reading.session,
                onGap: gapResponse(of: link), now: now, &actions)
        {
            return
        }
        switch (packet, phase) {
        case (.handshakeResponse(let response), .handshaking(_, _, let step)):
            try take(response, by: link, step, now: now, &actions)
        case (.handshakeResponse(let response), _):
            if response.status == .rejected { actions += rejected(response, by: link, now: now) }
        case (.codeChallenge(let challenge), .handshaking(_, _, let step)):
            try take(challenge, by: link, step, now: now, &actions)
        case (.codeShare(let answer), .handshaking(_, _, let step)):
            guard step == .shared, let confirm = answer.confirm else {
                throw .outOfTurn(packet.typeName)
            }
            phase = .handshaking(link, since: now.uptime, .answered)
            actions.append(.judgeCode(share: Array(answer.share), confirm: Array(confirm)))
        case (.log(let record), .connected): try reading.take(record, as: payload)
        case (.peers(let peers), .connected):
            actions.append(.hear(link.isForeign ? peers.withoutPages : peers))
        case (.head(let head), .connected):
            guard try heads.admits(head, as: payload, now: now.uptime) else { return }
            try take(head, as: payload, by: link, now: now, &actions)
        case (.fullHistory(let history), .connected):
            try reading.take(history, now: now) { actions.append(exchange.told($0)) }
        // Nobody has signed it, so that it counts from the host alone.
        case (.alert, .connected) where link.isForeign: break
        case (.alert(let alert), .connected(_, var stay)):
            // What other logs have said before it may have come with it, and nothing follows an end.
            try exchange.settle(mayWait: true, now: now, &actions)
            switch reading.take(alert, as: payload, { actions.append(exchange.told($0)) }) {
            case .ended: actions += exchange.linesNotBrought() + finish(.ended)
            case .hostDisconnected:
                stay.saidGoodbye = true
                phase = .connected(link, stay)
            default: break
            }
        case (.keepAlive(let keepAlive), .connected(let link, var stay)):
            stay.heardClock = (keepAlive.timestamp, now.wall)
            exchange.keepAliveHeard(echo: keepAlive.echo, now: now.uptime)
            phase = .connected(link, stay)
            compareClocks(keepAlive.echo, keepAlive.received, keepAlive.timestamp, now: now)
            reading.take(keepAlive, now: now)
        case (.voice(let message), .connected):
            if voices.haveBegun { actions.append(.voice(message)) }
        case (.unknown, _): break
        case (_, .handshaking): throw .beforeHandshake(packet.typeName)
        default: break
        }
    }

    /// The host may still get lines back from their writer. Once the event has ended it closes soon,
    /// so that there is no time to ask again.
    private func gapResponse(of link: Link) -> GapResponse {
        guard !link.isForeign else { return .askOthers }
        return reading.isToldOver ? .accept : .askAgain(after: .zero)
    }

    /// The writer of the main log says how that stands.
    private func take(
        _ head: LogHead, as payload: UnsafeRawBufferPointer, by link: Link, now: Moment,
        _ actions: inout [Action]
    ) throws(GuestViolation) {
        let event = try reading.take(head, as: payload, now: now) {
            actions.append(exchange.told($0))
        }
        clock.heard(head.time, now: now)
        if let event { join(event, by: link, now: now, &actions) }
        actions += exchange.take(reading.putOut, now: now)
    }

    /// The same of a head that has waited, where heads came too often.
    private func takeWaitingHead(by link: Link, now: Moment) throws(GuestViolation) -> [Action] {
        guard let waiting = heads.takeDue(now: now.uptime) else { return [] }
        var actions: [Action] = []
        let bytes = waiting.payload.span.bytes
        try bytes.withUnsafeBytes { bytes throws(GuestViolation) in
            try take(waiting.head, as: bytes, by: link, now: now, &actions)
        }
        return actions
    }

    /// It is known who has written the event, which is to be judged before a word of it is shown.
    private func join(
        _ event: JoinedEvent, by link: Link, now: Moment, _ actions: inout [Action]
    ) {
        link.isForeign = event.isHeld
        clock.isConnected(toHost: !event.isHeld, now: now)
        guard isWanted(event) else { return actions += finish(.anotherEvent(event.eventName)) }
        actions.append(.report(.joined(event)))
        actions += voices.begin(isHost: !link.isForeign)
        actions += sayWhereItServes()
        guard let founded = reading.founded else { return }
        actions += exchange.begin(in: founded, at: reading.place, now: now)
    }

    /// The other side received at `received` our words of `echo`, and answered at `timestamp`.
    private func compareClocks(
        _ echo: Double?, _ received: Double?, _ timestamp: Double, now: Moment
    ) {
        guard let echo, let received else { return }
        clock.add(t1: echo, t2: received, t3: timestamp, now: now)
    }

    // MARK: The handshake

    private func take(
        _ response: HandshakeResponse, by link: Link, _ step: CodeStep, now: Moment,
        _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard response.status == .accepted else {
            actions += rejected(response, by: link, now: now)
            return
        }
        switch step {
        case .proven: break
        case .none where !configuration.hasCode: break
        // Who may read at the server is its owner's to say, and who may read here is asked for the code.
        case .none where link.transport == .backbone: link.security = link.security.withCode
        case .none: return actions += refused(.hostWithoutCode, now: now)
        default: throw .outOfTurn(Packet.TypeName.handshakeResponse)
        }
        var event = try JoinedEvent(response, over: link.transport, link.security)
        event.isSigned = reading.readsProofs && response.logs == Handshake.currentLogs
        guard event.isSigned || !link.isForeign else {
            throw .record("is not the event's own, and has nothing that its host has signed")
        }
        guard reading.mayGoOn(in: event) else {
            if link.isForeign { throw .holdsAnotherLog }
            actions += finish(.anotherSession)
            return
        }
        guard isWanted(event) || link.isForeign else {
            return actions += finish(.anotherEvent(event.eventName))
        }
        welcome(event, response, by: link, now: now, &actions)
    }

    private func isWanted(_ event: JoinedEvent) -> Bool {
        configuration.wantedEvent.map { EventName.matches(event.eventName, wanted: $0) } ?? true
    }

    private func welcome(
        _ event: JoinedEvent, _ response: HandshakeResponse, by link: Link, now: Moment,
        _ actions: inout [Action]
    ) {
        let timing = configuration.timing
        var silenceTimeout = timing.silenceTimeout
        if let interval = response.keepAliveInterval, (0...3_600).contains(interval) {
            // A host that speaks more slowly than the contract's 2 s is given that much longer.
            silenceTimeout += .seconds(
                saturating: max(0, interval - timing.keepAliveInterval.seconds))
        }
        var stay = Stay(
            since: now.uptime, silenceTimeout: silenceTimeout,
            // A reader that was slow may have held up the host's answer for long.
            nextKeepAlive: link.lastSpoke + timing.keepAlivePause(using: &generator))
        clock.begin()
        if let timestamp = response.timestamp {
            stay.heardClock = (timestamp, now.wall)
            compareClocks(response.echo, response.received, timestamp, now: now)
        }
        phase = .connected(link, stay)
        exchange.connected()
        connections += 1
        (absence, othersLeft) = (nil, nil)
        reading.begin(event, now: now) { actions.append(exchange.told($0)) }
        voices.take(response.voice)
        guard !event.isSigned else { return }
        clock.isConnected(toHost: true, now: now)
        actions.append(.report(.joined(event)))
        actions += voices.begin(isHost: !link.isForeign)
    }

    /// Nobody has judged who refuses: the words are this program's.
    private func rejected(
        _ response: HandshakeResponse, by link: Link, now: Moment
    ) -> [Action] {
        let reason = response.reason.flatMap(HandshakeResponse.Reason.init)
        var message = HandshakeResponse.Reason.sentence(reason, over: link.transport)
        if reason == .behind, reading.lastSeq ?? 0 == 0 {
            message = HandshakeResponse.Reason.nothingProven
            hasMetHolder = true
        }
        if reason == .full, let actions = sentOn(by: response, now: now) { return actions }
        // Whoever is not known to be the host cannot send away who is in its event; and who holds the
        // event has something to give sooner or later.
        if configuration.reconnects,
            reason == .behind || link.isForeign && reading.session != nil
        {
            return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, message), now: now)
        }
        switch reason {
        case .ended:
            return [.report(.alert(kind: Alert.Kind.ended.rawValue, message: message))]
                + finish(.ended)
        case .wrongCode: return refused(.wrongCode, now: now)
        case .full where reading.session != nil && configuration.reconnects:
            // A guest that was in the room comes back as soon as there is a place.
            return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, message), now: now)
        default: return finish(.refused(reason, over: link.transport))
        }
    }

    /// There is no place here, and others may have one.
    ///
    /// - Returns: nil where nobody else has been named, or nobody who was has a place either.
    private func sentOn(by response: HandshakeResponse, now: Moment) -> [Action]? {
        guard configuration.reconnects else { return nil }
        var actions = [Action.disconnect]
        if othersLeft == nil, let others = response.peers, !others.isEmpty {
            othersLeft = min(others.count, Limits.nodes)
            actions.append(.hear(Peers(others)))
        }
        guard let left = othersLeft, left > 0 else {
            othersLeft = nil
            return nil
        }
        othersLeft = left - 1
        let trouble = ConnectionTrouble(.hostLost, "there is no place; others have the event, too")
        return actions + [.goElsewhere] + retryLater(trouble, now: now)
    }

    // MARK: The event's code

    /// What the host's answer was worth.
    public enum CodeVerdict: Equatable, Sendable {
        /// The host knows the code; this proves to it that the guest does.
        case proven(confirm: [UInt8])
        /// It does not, or somebody sits in between.
        case wrong
        /// It was no answer.
        case broken
    }

    /// The proof of the event's code, before the host lets the guest in (docs/PROTOCOL.md, "The
    /// event's code"). The driver computes; what is said when is decided here.
    private func take(
        _ challenge: CodeChallenge, by link: Link, _ step: CodeStep, now: Moment,
        _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard step == .none else { throw .outOfTurn(Packet.TypeName.codeChallenge) }
        guard let salt = challenge.saltBytes else { throw .security("sent a salt that is none") }
        guard configuration.hasCode else { return actions += refused(.codeNeeded, now: now) }
        phase = .handshaking(link, since: now.uptime, .asked)
        actions.append(.proveCode(salt: salt))
    }

    /// The driver has made the guest's share; nil where that failed, for want of memory say.
    public func codeShare(_ share: [UInt8]?, now: Moment) -> [Action] {
        guard case .handshaking(let link, _, .asked) = phase else { return [] }
        guard let share else {
            let trouble = ConnectionTrouble(.networkLost, "this machine cannot prove the code")
            return [.disconnect] + retryLater(trouble, now: now)
        }
        phase = .handshaking(link, since: now.uptime, .shared)
        link.lastSpoke = now.uptime
        return send(.codeShare(CodeShare(share: share)))
    }

    /// The driver has judged the host's answer.
    public func codeJudged(_ verdict: CodeVerdict, now: Moment) -> [Action] {
        guard case .handshaking(let link, _, .answered) = phase else { return [] }
        switch verdict {
        case .wrong: return refused(.wrongCode, now: now)
        case .broken: return violated(.security("sent a proof of the code that is none"), now: now)
        case .proven(let confirm):
            link.security = link.security.withCode
            phase = .handshaking(link, since: now.uptime, .proven)
            link.lastSpoke = now.uptime
            let proof = CodeConfirm(confirm: confirm, resume: position, timestamp: now.wall)
            return send(.codeConfirm(proof))
        }
    }

    // MARK: What follows

    /// The connection is lost: tell the reader, and come back or give up.
    private func retryLater(_ trouble: ConnectionTrouble, now: Moment) -> [Action] {
        if case .connected(let link, _) = phase, link.isForeign, reading.isOver {
            return endOfTheEvent(now)
        }
        var saidGoodbye = absence?.saidGoodbye ?? false
        if case .connected(_, let stay) = phase {
            startPausesOver(after: stay, now)
            saidGoodbye = stay.saidGoodbye
        }
        // A host that said goodbye is gone in good order, whatever the tries to reach it find.
        let loss = ConnectionLoss(
            cause: saidGoodbye ? .hostGone : trouble.cause,
            why: saidGoodbye ? "the host has stopped" : trouble.why,
            since: absence?.loss.since ?? now.wall)
        var actions = withdrawOpenLines(now: now)
        // Before the first answer a session of nobody's has been lost.
        let wasConnected = reading.session != nil
        guard configuration.reconnects || !wasConnected else {
            return actions + end() + [.finish(.lost(why: loss.why))]
        }
        phase = .waiting(retryAt: now.uptime + backoff.next(using: &generator))
        actions.append(.report(.trouble(trouble.why)))
        // Of what was kept, or saved, nobody has answered yet.
        guard hasConnected else { return actions + change(to: .searching) }
        absence =
            absence.map { Absence(loss: loss, saidGoodbye: saidGoodbye, toldAt: $0.toldAt) }
            ?? Absence(
                loss: loss, saidGoodbye: saidGoodbye,
                toldAt: now.uptime + configuration.timing.lossTold)
        return actions + change(to: .reconnecting(loss))
    }

    private func finish(_ outcome: GuestOutcome) -> [Action] {
        var actions = exchange.close()
        reading.withdrawOpenLines { actions.append(exchange.told($0)) }
        return actions + end() + [.disconnect, .finish(outcome)]
    }

    private func end() -> [Action] {
        phase = .finished
        absence = nil
        return change(to: .ended)
    }

    /// Whether somebody is there who is one of several: what he does wrong is nobody else's.
    private var isWithHolder: Bool { link?.counterpart == .holder }

    /// The host broke the protocol. A fresh connection may heal that; three in a row do not.
    private func violated(_ violation: GuestViolation, now: Moment) -> [Action] {
        if case .forked(let seq) = violation { return finish(.forked(seq: seq)) }
        if case .wentOver = violation { return finish(.anotherSession) }
        // Others may hold what one lacks.
        guard violation.breaksARule || configuration.reconnects else {
            return finish(.lost(why: "\(violation)"))
        }
        if !isWithHolder, violation.breaksARule { violations += 1 }
        guard violations < Self.toleratedViolations, configuration.reconnects else {
            return finish(.protocolViolation("\(violation)"))
        }
        return [.disconnect] + retryLater(ConnectionTrouble(.hostLost, "\(violation)"), now: now)
    }

    private func change(to new: GuestState) -> [Action] {
        // Nobody closes a line whose writer is gone.
        let isUnheard = if case .unheard = new { true } else { false }
        var actions: [Action] = []
        reading.hideOpenLines(isUnheard) { actions.append(exchange.told($0)) }
        guard new != state, !new.isOlderNews(of: state) else { return actions }
        state = new
        return actions + [.report(.state(new))]
    }

    /// There is no connection any more, or another.
    private func withdrawOpenLines(now: Moment) -> [Action] {
        var actions = exchange.disconnected(now: now)
        reading.withdrawOpenLines { actions.append(exchange.told($0)) }
        return actions
    }

    private func send(_ packet: Packet) -> [Action] { encoder.sending(packet) }
}
