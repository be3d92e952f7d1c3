import FoundationEssentials

/// A connection that a node of a mesh has dialled to another, without sockets, clocks or threads. The other
/// side of it is a ``Room``'s guest.
///
///     handshaking -> connected -> ended
///
/// All logs of the event go to and fro by its ``LogExchange``: there is no main one.
///
/// Invariant: nothing is said, or taken in, once it has ended.
final class NodeLink {
    /// What the driver is to do, and whoever decides about links is to know.
    enum Action: Equatable {
        case send([UInt8])
        /// The other side asks for the event's code: report ``NodeLink/codeShare(_:now:)``.
        case proveCode(salt: [UInt8])
        /// It has answered the share: report ``NodeLink/codeJudged(_:now:)``.
        case judgeCode(share: [UInt8], confirm: [UInt8])
        /// There may be output: ask for ``NodeLink/output(limit:)``.
        case pull
        /// The other side has let this node in.
        case accepted(Welcome)
        /// It knows of others.
        case hear(Peers)
        case report(GuestEvent)
        /// The connection is to be closed, or is gone.
        case end(End)
    }

    /// Who has let this node in.
    struct Welcome: Equatable {
        let node: String
        let deviceName: String
    }

    /// Why a link has ended.
    enum End: Equatable {
        case lost(String)
        case refused(HandshakeResponse.Reason?)
        /// The code is not the event's, or none is asked for where there is to be one.
        case distrusted(SecurityRefusal)
        /// Who is there is no node of a mesh.
        case noNode
        /// Who is there is a node of another event.
        case anotherEvent(UUID, name: String)
        /// Who is there broke the protocol.
        case violated(String)
    }

    /// Who this node is, and what it wants.
    struct Introduction {
        let node: String
        let displayName: String
        /// The event's id.
        let event: String
        let hasCode: Bool
        /// The port at which it can be dialled; nil where nobody can dial it.
        let port: UInt16?
        /// What it writes with.
        let signer: any LogSigner
    }

    private enum Phase {
        case handshaking(since: Duration, CodeStep)
        case connected(Stay)
        case ended
    }

    /// How far the proof of the code is.
    private enum CodeStep { case none, asked, shared, answered, proven }

    private struct Stay {
        let since: Duration
        var nextKeepAlive: Duration
        /// The other side's clock as it last said it, and ours then.
        var heardClock: (theirs: Double, receivedAt: Double)?
    }

    private let own: Introduction
    private let timing: Timing
    private let deviceID: String
    private let exchange: LogExchange
    private let shelf: Shelf
    private let link: Shelf.Link
    /// What only the two ends of the connection have; nil where there is nothing of that kind.
    private var exporter: [UInt8]?
    private var phase: Phase
    private var decoder = FrameDecoder(takesEndMark: false)
    private var lastHeard: Duration
    private var generator: SeededGenerator
    private let encoder = FrameEncoder()
    private let packets = PacketDecoder()

    /// - Parameters:
    ///   - link: what the shelf calls the connection.
    ///   - device: who this node is to the other.
    init(
        _ own: Introduction, as device: UUID, with shelf: Shelf, by link: Shelf.Link,
        _ timing: Timing, seed: UInt64, now: Moment
    ) {
        (self.own, self.timing, deviceID) = (own, timing, device.wireName)
        exchange = LogExchange(shelf, by: link, timing)
        (self.shelf, self.link) = (shelf, link)
        generator = SeededGenerator(seed: seed)
        phase = .handshaking(since: now.uptime, .none)
        lastHeard = now.uptime
    }

    /// Whether the other side has let this node in.
    var isConnected: Bool { if case .connected = phase { true } else { false } }
    private var isEnded: Bool { if case .ended = phase { true } else { false } }

    /// When ``tick(_:)`` is to be called next.
    var nextDeadline: Duration? {
        switch phase {
        case .handshaking(let since, _): since + timing.handshakeTimeout
        case .connected(let stay): min(stay.nextKeepAlive, lastHeard + timing.silenceTimeout)
        case .ended: nil
        }
    }

    /// The connection stands.
    ///
    /// - Parameter exporter: what only its two ends have; see ``LinkProof``.
    func begin(over exporter: [UInt8]? = nil, now: Moment) -> [Action] {
        self.exporter = exporter
        var handshake = Handshake(
            deviceId: deviceID, displayName: own.displayName, timestamp: now.wall)
        handshake.logs = Handshake.currentLogs
        (handshake.node, handshake.event, handshake.port) = (own.node, own.event, own.port)
        let proof = exporter.flatMap { LinkProof(by: own.signer, as: .dialler, over: $0) }
        (handshake.key, handshake.proof) = (proof?.key, proof?.proof)
        return send(.handshake(handshake))
    }

    // MARK: What comes

    /// Bytes came in; none at the end of what came at once in pieces.
    func received(
        _ bytes: UnsafeRawBufferPointer, isPiece: Bool = false, now: Moment
    ) -> [Action] {
        guard !isEnded else { return [] }
        lastHeard = now.uptime
        var actions: [Action] = []
        do throws(FrameError) {
            try decoder.decode(bytes) { payload in
                do throws(GuestViolation) {
                    try received(payload, now: now, &actions)
                } catch {
                    actions += violated(error, now: now)
                }
                return !isEnded
            }
        } catch {
            return actions + violated(.frame(error), now: now)
        }
        if !isPiece { settle(mayWait: true, now: now, &actions) }
        return actions
    }

    /// Something came, though nothing whole: the other side lives.
    func heard(now: Moment) {
        lastHeard = now.uptime
        exchange.forgiveSilence(now: now.uptime)
    }

    private func received(
        _ payload: UnsafeRawBufferPointer, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        let packet: Packet
        do throws(PacketError) {
            packet = try packets.packet(payload)
        } catch {
            throw .packet(error)
        }
        guard isConnected else { return try shake(packet, now: now, &actions) }
        if case .liveChunk(let chunk) = packet {
            return try exchanging(&actions) { given throws(GuestViolation) in
                try exchange.take(chunk, as: payload, now: now, &given)
            }
        }
        let isTaken = try exchanging(&actions) { given throws(GuestViolation) in
            try exchange.take(
                packet, as: payload, besides: nil, onGap: .askAgain(after: Limits.gapPause),
                now: now,
                &given)
        }
        guard !isTaken, case .connected(var stay) = phase else { return }
        switch packet {
        case .handshakeResponse(let response) where response.status == .rejected:
            actions += end(.refused(response.reason.flatMap(HandshakeResponse.Reason.init)), now)
        case .keepAlive(let keepAlive):
            stay.heardClock = (keepAlive.timestamp, now.wall)
            exchange.keepAliveHeard(echo: keepAlive.echo, now: now.uptime)
            phase = .connected(stay)
        case .peers(let peers): actions.append(.hear(peers))
        default: break
        }
    }

    private func shake(
        _ packet: Packet, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard case .handshaking(let since, let step) = phase else { return }
        switch packet {
        case .handshakeResponse(let response):
            try welcome(response, step, now: now, &actions)
        case .codeChallenge(let challenge):
            guard step == .none else { throw .outOfTurn(packet.typeName) }
            guard let salt = challenge.saltBytes else {
                throw .security("sent a salt that is none")
            }
            guard own.hasCode else { return actions += end(.distrusted(.codeNeeded), now) }
            phase = .handshaking(since: since, .asked)
            actions.append(.proveCode(salt: salt))
        case .codeShare(let answer):
            guard step == .shared, let confirm = answer.confirm else {
                throw .outOfTurn(packet.typeName)
            }
            phase = .handshaking(since: since, .answered)
            actions.append(.judgeCode(share: Array(answer.share), confirm: Array(confirm)))
        case .unknown: break
        default: throw .beforeHandshake(packet.typeName)
        }
    }

    private func welcome(
        _ response: HandshakeResponse, _ step: CodeStep, now: Moment, _ actions: inout [Action]
    ) throws(GuestViolation) {
        guard response.status == .accepted else {
            let reason = response.reason.flatMap(HandshakeResponse.Reason.init)
            guard reason == .anotherEvent,
                let event = response.session.flatMap({ UUID(uuidString: $0) })
            else { return actions += end(.refused(reason), now) }
            let name = SafeText.name(response.eventName ?? "", bytes: Limits.eventNameBytes)
            return actions += end(.anotherEvent(event, name: name), now)
        }
        guard step == .proven || step == .none else {
            throw .outOfTurn(Packet.TypeName.handshakeResponse)
        }
        guard step == .proven || !own.hasCode else {
            return actions += end(.distrusted(.hostWithoutCode), now)
        }
        guard response.logs == Handshake.currentLogs,
            let node = response.node.flatMap({ UUID(uuidString: $0) }),
            let event = response.session.flatMap({ UUID(uuidString: $0) })
        else { return actions += end(.noNode, now) }
        guard event.wireName == own.event else {
            let name = SafeText.name(response.eventName ?? "", bytes: Limits.eventNameBytes)
            return actions += end(.anotherEvent(event, name: name), now)
        }
        var stay = Stay(
            since: now.uptime,
            nextKeepAlive: now.uptime + timing.keepAlivePause(using: &generator))
        if let timestamp = response.timestamp { stay.heardClock = (timestamp, now.wall) }
        phase = .connected(stay)
        shelf.prove(
            link, by: LinkProof(key: response.key, proof: response.proof), as: .dialled,
            over: exporter)
        exchange.connected()
        actions.append(
            .accepted(
                Welcome(
                    node: node.wireName,
                    deviceName: SafeText.name(
                        response.deviceName ?? "", bytes: Limits.deviceNameBytes))))
        actions += passOn(now: now)
    }

    // MARK: The event's code

    /// The driver has made the share; nil where that failed, for want of memory say.
    func codeShare(_ share: [UInt8]?, now: Moment) -> [Action] {
        guard case .handshaking(let since, .asked) = phase else { return [] }
        guard let share else { return end(.lost("this machine cannot prove the code"), now) }
        phase = .handshaking(since: since, .shared)
        return send(.codeShare(CodeShare(share: share)))
    }

    /// The driver has judged the answer.
    func codeJudged(_ verdict: GuestSession.CodeVerdict, now: Moment) -> [Action] {
        guard case .handshaking(let since, .answered) = phase else { return [] }
        switch verdict {
        case .wrong: return end(.distrusted(.wrongCode), now)
        case .broken: return violated(.security("sent a proof of the code that is none"), now: now)
        case .proven(let confirm):
            phase = .handshaking(since: since, .proven)
            return send(
                .codeConfirm(CodeConfirm(confirm: confirm, resume: nil, timestamp: now.wall)))
        }
    }

    // MARK: What goes

    /// Something came to this node, or was said here: the other side is told what it has not told itself.
    func passOn(now: Moment) -> [Action] {
        exchange.passOn(now: now).compactMap(Action.init) + ask()
    }

    /// What is asked of the other side since somebody else has brought something.
    private func ask() -> [Action] { exchange.ask().compactMap(Action.init) }

    /// What is to be sent next, at most about `limit` bytes; empty for nothing.
    func output(limit: Int) -> [UInt8] { exchange.output(limit: limit) }

    /// Tells where this node is to be found, and others.
    func tell(_ peers: Peers) -> [Action] { isConnected ? send(.peers(peers)) : [] }

    private func send(_ packet: Packet) -> [Action] {
        encoder.sending(packet).compactMap(Action.init)
    }

    // MARK: Time

    /// Time has passed.
    func tick(_ now: Moment) -> [Action] {
        switch phase {
        case .handshaking(let since, _):
            guard now.uptime - since >= timing.handshakeTimeout else { return [] }
            return end(.lost("it did not answer"), now)
        case .connected(let stay): return checkLife(stay, now)
        case .ended: return []
        }
    }

    private func checkLife(_ stay: Stay, _ now: Moment) -> [Action] {
        if now.uptime - lastHeard >= timing.silenceTimeout {
            let time = Int(saturating: timing.silenceTimeout.seconds)
            return end(.lost("nothing was heard of it for \(time) s"), now)
        }
        var actions: [Action] = []
        do throws(GuestViolation) {
            actions += try exchange.requestLacking(for: timing.silenceTimeout, now: now)
                .compactMap(Action.init)
        } catch {
            return violated(error, now: now)
        }
        actions += passOn(now: now)
        guard stay.nextKeepAlive <= now.uptime else { return actions }
        var stay = stay
        var packet = KeepAlive(timestamp: now.wall)
        packet.deviceId = deviceID
        packet.echo = stay.heardClock?.theirs
        packet.received = stay.heardClock?.receivedAt
        stay.nextKeepAlive = now.uptime + timing.keepAlivePause(using: &generator)
        phase = .connected(stay)
        exchange.keepAliveSent(packet.timestamp, now: now.uptime)
        return actions + send(.keepAlive(packet))
    }

    /// Nobody was listening until now.
    func forgiveSilence(now: Duration) {
        lastHeard = now
        exchange.forgiveSilence(now: now)
    }

    // MARK: Its end

    /// The connection is gone.
    func disconnected(_ why: String, now: Moment) -> [Action] {
        var actions: [Action] = []
        settle(mayWait: false, now: now, &actions)
        return actions + end(.lost(why), now)
    }

    /// It is not wanted any more.
    func close(now: Moment) -> [Action] { end(.refused(.duplicate), now) }

    private func violated(_ violation: GuestViolation, now: Moment) -> [Action] {
        end(.violated(violation.clause), now)
    }

    private func end(_ end: End, _ now: Moment) -> [Action] {
        guard !isEnded else { return [] }
        phase = .ended
        return exchange.disconnected(now: now).compactMap(Action.init) + [.end(end)]
    }

    private func settle(mayWait: Bool, now: Moment, _ actions: inout [Action]) {
        guard isConnected else { return }
        do throws(GuestViolation) {
            try exchanging(&actions) { given throws(GuestViolation) in
                try exchange.settle(mayWait: mayWait, now: now, &given)
            }
        } catch {
            actions += violated(error, now: now)
        }
    }

    /// Does what the exchange wants, also where it ends with a violation.
    private func exchanging<Result>(
        _ actions: inout [Action],
        _ body: (inout [LogExchange.Action]) throws(GuestViolation) -> Result
    ) throws(GuestViolation) -> Result {
        var given: [LogExchange.Action] = []
        defer { actions += given.compactMap(Action.init) }
        return try body(&given)
    }
}

extension NodeLink.Action {
    /// What an exchange of logs wants.
    fileprivate init?(_ action: LogExchange.Action) {
        switch action {
        case .send(let bytes): self = .send(bytes)
        case .pull: self = .pull
        case .report(let event): self = .report(event)
        default: return nil
        }
    }
}

extension NodeLink.End {
    /// Why it has ended, for people, behind "the link to it has ended: ".
    var words: String {
        switch self {
        case .lost(let why): why
        case .refused(let reason):
            HandshakeResponse.Reason.sentence(reason).dropLast().description
        case .distrusted(let refusal): "\(refusal)"
        case .noNode: "it is no node of an event in which everybody captions"
        case .anotherEvent(_, let name): "it takes part in another event, \"\(name)\""
        case .violated(let what): "it \(what)"
        }
    }
}
