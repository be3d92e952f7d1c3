public import FoundationEssentials

/// Serves an event to guests of the wire, without sockets, clocks or threads. It knows the log that
/// they read, not who writes it.
///
/// The driver reports what happened (`connected`, `received`, `tick`, ...) and carries out the actions
/// that it gets back. What is to be sent is pulled: after ``Action/send(_:)``, and for everybody after
/// the log has changed, the driver calls ``drain(_:limit:now:_:)`` with its socket.
///
/// Invariant: each guest that takes part has a seat and is the only one of its device; it gets every
/// final once and in order, or is told of the gap.
public final class Room {
    /// What a host is.
    public struct Configuration: Sendable {
        /// The event's name for people.
        public var eventName: String
        /// The machine's name for people.
        public var deviceName: String
        /// The machine's lasting id.
        public var deviceID: UUID
        /// Guests at once.
        public var maximumGuests: Int
        /// Of these, guests over Bluetooth.
        public var maximumBluetoothGuests = Limits.bluetoothGuests
        /// The protocol's times.
        public var timing: Timing

        /// A host with the usual limits.
        public init(
            eventName: String, deviceName: String, deviceID: UUID,
            maximumGuests: Int = Limits.guests, timing: Timing = Timing()
        ) {
            self.eventName = eventName
            self.deviceName = deviceName
            self.deviceID = deviceID
            self.maximumGuests = maximumGuests
            self.timing = timing
        }
    }

    /// What the driver is to do.
    public enum Action: Equatable {
        /// There may be output for this connection.
        case send(ConnectionID)
        /// Close the connection now.
        case close(ConnectionID)
        /// Tell the operator.
        case report(HostEvent)
        /// A guest says something of voices.
        case voice(VoiceMessage, from: ConnectionID)
    }

    /// What the host is.
    public let configuration: Configuration
    /// The guests who serve the event to others, and the pages for browsers.
    public let holders = ServingGuests()
    /// What guests are told of voices who come by the network; nil where there are none.
    public var voices: VoiceOffer?
    /// Bytes that connections took, in all.
    public private(set) var sentBytes = 0

    private var log: EventLog
    /// An empty log for guests that do not read the main log. It has no input of its own.
    private let blank: EventLog
    /// The event's other logs; nil where nobody else can write one.
    private let shelf: Shelf?
    /// With whom there is to be a link, where this is a node of a mesh; nil for a host.
    private let links: Links?
    /// Those of them that guests were told of, and what lets them in.
    private var introduced: [UUID: (served: Shelf.Served, record: ToldRecord)] = [:]
    /// The machine's id as the wire writes it.
    private let device: String
    private var guests: [ConnectionID: RoomGuest] = [:]
    /// In a mesh, what gives what only the two ends of a connection have.
    private var exporters: [ConnectionID: () -> [UInt8]?] = [:]
    private var seats: Seats
    /// The devices that know that the session was resumed.
    private var knowOfResume: Set<String> = []
    private var unstable = UnstableCounts()
    private var lastTick: Duration?
    private var generator: SeededGenerator
    private let encoder = FrameEncoder()
    private let packets = PacketDecoder()

    /// - Parameters:
    ///   - shelf: the event's other logs.
    ///   - links: with whom there is to be a link, where this is a node of a mesh.
    ///   - seed: for the random part of the keep-alives.
    public init(
        _ configuration: Configuration, serving log: EventLog, others shelf: Shelf? = nil,
        linking links: Links? = nil, seed: UInt64
    ) {
        self.configuration = configuration
        (self.log, self.shelf, self.links) = (log, shelf, links)
        blank = EventLog(session: log.session, now: Moment(uptime: .zero, wall: 0))
        device = configuration.deviceID.wireName
        seats = Seats(
            configuration.maximumGuests, overBluetooth: configuration.maximumBluetoothGuests)
        generator = SeededGenerator(seed: seed)
    }

    /// Whether there is a connection, and so a reason to call ``tick(_:)``.
    public var hasConnections: Bool { !guests.isEmpty }
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
        counts.serving = holders.count
        return counts
    }

    /// The connections, oldest first: what is decided by chance, or told, must not depend on the
    /// order of a hash table.
    private var guestsInOrder: [RoomGuest] { guests.values.sorted { $0.id < $1.id } }

    /// Serves another log from now on, as of the same event whose host was started anew: guests are let
    /// go, and come back for what they lack of it.
    public func serve(_ log: EventLog, now: Moment) -> [Action] {
        guard log !== self.log else { return [] }
        // Nodes of a mesh read no main log, and who has not said yet who he is may be one.
        let readers = guestsInOrder.filter { links == nil || $0.isAccepted && $0.node == nil }
        let actions = readers.flatMap { drop($0, .anotherLog, now: now) }
        self.log = log
        introduced = [:]
        return actions
    }

    /// The main log of a guest.
    private func main(of guest: RoomGuest) -> EventLog { guest.node == nil ? log : blank }

    // MARK: Connections

    /// A connection, for the calls that are made for every line and every guest, where looking it up
    /// would cost.
    public struct Handle {
        fileprivate let guest: RoomGuest

        /// Whether another log is read from it.
        package var bringsLog: Bool { guest.bringsLog }
    }

    /// A connection came in. Another may have to go for it: see ``surplus()``.
    ///
    /// - Parameters:
    ///   - peer: where it comes from, for people.
    ///   - source: what is held against whom: `peer` without its port.
    ///   - exporter: gives what only the two ends of the connection have (`EXPORTER-beamscribe-peer`); nil where
    ///     there is nothing of that kind.
    @discardableResult
    public func connected(
        _ id: ConnectionID, from peer: String, source: String? = nil,
        over transport: Transport = .network, exporter: @escaping () -> [UInt8]? = { nil },
        now: Moment
    ) -> Handle {
        let guest = RoomGuest(
            id: id, peer: peer, source: source ?? peer, over: transport,
            at: log.reader(after: log.lastSeq), encoder: encoder, now: now.uptime)
        if links != nil { exporters[id] = exporter }
        guests[id] = guest
        return Handle(guest: guest)
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
        return drop(guest, .tooManyConnections, now: now)
    }

    /// What encryption adds to what a guest says came in: this many bytes, which count against what
    /// a guest may send as well.
    public func receivedOverhead(
        _ count: Int, from id: ConnectionID, now: Moment
    ) -> [Action] {
        guard let guest = guests[id], !guest.mayReceive(count, now: now.uptime) else { return [] }
        return drop(guest, .tooTalkative, now: now)
    }

    /// Bytes came in. `bytes` need be valid during the call only.
    public func received(
        _ bytes: UnsafeRawBufferPointer, from id: ConnectionID, now: Moment
    ) -> [Action] {
        guard let guest = guests[id] else { return [] }
        guard guest.mayReceive(bytes.count, now: now.uptime) else {
            return drop(guest, .tooTalkative, now: now)
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
            actions += drop(guest, .frame(error), now: now)
        }
        check(guest)
        return actions + settle(guest, now: now)
    }

    /// The connection is gone: the other side closed it, or an error did.
    public func disconnected(_ id: ConnectionID, why: String, now: Moment) -> [Action] {
        guard let guest = guests[id] else { return [] }
        remove(guest)
        return farewell(guest, why: why, now: now.uptime) + linkEnded(guest, now: now)
    }

    /// What a driver says of a connection whose other side closed it in good order.
    public static let closedByPeer = "closed the connection"

    /// Ends a connection at once.
    private func drop(_ guest: RoomGuest, _ reason: CloseReason, now: Moment) -> [Action] {
        remove(guest)
        return farewell(guest, why: reason.description, now: now.uptime) + [.close(guest.id)]
            + linkEnded(guest, now: now)
    }

    private func remove(_ guest: RoomGuest) {
        seats.leave(guest)
        holders.remove(guest)
        guests[guest.id] = nil
        exporters[guest.id] = nil
        check(guest)
    }

    private func farewell(_ guest: RoomGuest, why: String, now: Duration) -> [Action] {
        if guest.isClosing { return [] }
        guard let acceptedAt = guest.acceptedAt else {
            // Whoever only looks whether the port answers says nothing and goes: no news.
            guard guest.hasSpoken || why != Self.closedByPeer else { return [] }
            return [.report(.connectionRefused(peer: guest.peer, why: why))]
        }
        if now - acceptedAt < configuration.timing.unstableWithin {
            unstable.count(guest.deviceID)
        }
        let wasStable = guest.phase == .stable
        return [.report(.guestLeft(guest.description, why: why, wasStable: wasStable))]
    }

    // MARK: What guests say

    private func received(
        payload: UnsafeRawBufferPointer, from guest: RoomGuest, now: Moment
    ) -> [Action] {
        let packet: Packet
        do throws(PacketError) {
            packet = try packets.packet(payload)
        } catch {
            return drop(guest, .packet(error), now: now)
        }
        switch (packet, guest.phase) {
        case (.handshake(let handshake), .connecting):
            return accept(handshake, from: guest, now: now)
        case (_, .connecting):
            let type = SafeText.label(packet.typeName, bytes: 40)
            return drop(guest, .notAHandshake(type), now: now)
        case (.codeChallenge, _), (.codeShare, _), (.codeConfirm, _):
            return drop(guest, .outOfTurn(packet.typeName), now: now)
        case (.keepAlive(let keepAlive), _):
            guest.take(keepAlive, newest: log.lastSeq, now: now)
            return []
        case (.peers(let said), _) where guest.node != nil:
            hear(said, from: guest, now: now)
            return []
        case (.voice(let message), _):
            guard guest.mayUseVoices, guest.isAccepted else { return [] }
            return [.voice(message, from: guest.id)]
        case (.peers(let said), _):
            return holders.add(guest, saying: said).map { .report($0) }
        case (.read(let request), _): return read(request, by: guest, now: now)
        case (.unread(let mention), _):
            guest.node?.offered.take(mention)
            guest.sideLogs.filter { $0.session.wireName == mention.session }.forEach(guest.unread)
            return []
        default:
            return take(packet, as: payload, from: guest, now: now)
        }
    }

    // MARK: Voices

    /// Who takes part by a connection; nil for nobody.
    public func guest(_ id: ConnectionID) -> GuestDescription? {
        guests[id].flatMap { $0.isAccepted ? $0.description : nil }
    }

    /// Which of all devices a guest is that takes part, by its own words.
    public func device(of id: ConnectionID) -> String? {
        guests[id].flatMap { $0.isAccepted ? $0.deviceID : nil }
    }

    /// Says something of voices to a guest.
    public func say(_ message: VoiceMessage, to id: ConnectionID, now: Moment) -> [Action] {
        guard let guest = guests[id], guest.isAccepted, guest.mayUseVoices else { return [] }
        guest.say(message, now: now.uptime)
        return [.send(id)]
    }

    // MARK: The event's other logs

    /// A guest wants the lines of one of them.
    private func read(_ request: ReadRequest, by guest: RoomGuest, now: Moment) -> [Action] {
        if let node = guest.node {
            _ = node.offered.take(request)
            return [.send(guest.id)]
        }
        guard guest.readsProofs, let log = shelf?.log(of: request.session), log !== self.log else {
            return []
        }
        let valid = log.runs.valid(through: request.after, of: request.run)
        guest.read(log, at: log.reader(after: min(max(valid, 0), log.lastSeq)))
        guard guest.asksUntil != nil, hasAll(guest) else { return [.send(guest.id)] }
        return leave(guest, now: now)
    }

    /// Whether a guest reads all of them that it was told of, and has no reason to ask again.
    private func hasAll(_ guest: RoomGuest) -> Bool {
        let read = guest.sideLogs
        return guest.logsWithGaps.isEmpty
            && introduced.values.allSatisfy { told in read.contains { $0 === told.served.log } }
    }

    /// A guest brings one of them.
    private func take(
        _ packet: Packet, as payload: UnsafeRawBufferPointer, from guest: RoomGuest, now: Moment
    ) -> [Action] {
        guard let shelf, guest.readsProofs, guest.isAccepted else { return [] }
        let link = Shelf.Link.guest(guest.id)
        return shelve(of: guest, now: now) { outcomes throws(GuestViolation) in
            switch packet {
            case .log(let record):
                outcomes += try shelf.take(record, as: payload, from: link, now: now)
            case .grant(let grant):
                outcomes += try shelf.take(grant, as: payload, from: link, now: now)
            case .head(let head):
                try shelf.take(head, as: payload, from: link, now: now, &outcomes)
            case .inLog(let mention): shelf.take(mention, from: link)
            case .fullHistory(let history):
                try shelf.take(
                    history, from: link, onGap: .askAgain(after: Limits.gapPause), now: now,
                    &outcomes)
            case .liveChunk(let chunk):
                try shelf.take(chunk, as: payload, from: link, now: now, &outcomes)
            default: break
            }
        }
    }

    /// Does what comes of something that a guest says of another log, also of the beginning of what ends with a
    /// violation.
    private func shelve(
        of guest: RoomGuest, now: Moment,
        _ take: (inout [Shelf.Outcome]) throws(GuestViolation) -> Void
    ) -> [Action] {
        var outcomes: [Shelf.Outcome] = []
        do throws(GuestViolation) {
            try take(&outcomes)
        } catch {
            return perform(outcomes, for: guest) + drop(guest, .badLog(error.clause), now: now)
        }
        let isForked = outcomes.contains {
            if case .event(.log(_, .forked)) = $0 { true } else { false }
        }
        // Nothing more comes of it, with which its readers would be told.
        return perform(outcomes, for: guest) + (isForked ? tellOfOthers(now: now) : [])
    }

    /// - Parameter guest: who has brought it; nil for nobody.
    private func perform(_ outcomes: [Shelf.Outcome], for guest: RoomGuest? = nil) -> [Action] {
        let reports = outcomes.compactMap { outcome -> HostEvent? in
            switch outcome {
            case .letIn(let title): return .writerLetIn(title)
            case .floods(let title): return .writerFloods(title)
            case .refused(let title, let why): return .writerRefused(title, why)
            case .asks(let title): return guest.map { .writerAsks($0.description, title) }
            case .event(let event):
                shelf?.leave(event)
                guard case .log(let title, let standing) = event else { return nil }
                return .logStands(title, standing)
            }
        }
        return reports.map { .report($0) } + ask()
    }

    /// Says to those who bring logs which of them are let in, which are read from now on, and which are not.
    private func ask() -> [Action] {
        guard let shelf else { return [] }
        let letIn = shelf.takeUnsaidGrants().compactMap { grant, id -> Action? in
            guests[id]?.tell(FrameEncoder.frame(grant)) == true ? .send(id) : nil
        }
        let asked = shelf.takeUnsaidToGuests().compactMap { packet, id -> Action? in
            guard let guest = guests[id] else { return nil }
            guest.ask(packet)
            return .send(id)
        }
        return letIn + asked
    }

    /// Of the lines that a guest has brought at once the last signature proves all.
    private func settle(_ guest: RoomGuest, now: Moment) -> [Action] {
        let link = Shelf.Link.guest(guest.id)
        guard let shelf, guests[guest.id] != nil, shelf.reads(from: link) else { return [] }
        guest.bringsALog()
        return shelve(of: guest, now: now) { outcomes throws(GuestViolation) in
            try shelf.settle(link, mayWait: true, now: now, &outcomes)
        } + tellOfOthers(now: now)
    }

    private func linkEnded(_ guest: RoomGuest, now: Moment) -> [Action] {
        if guest.node != nil { links?.left(guest.id, now: now.uptime) }
        guard let shelf, guest.readsProofs else { return [] }
        return perform(shelf.ended(.guest(guest.id), now: now), for: guest)
            + tellOfOthers(now: now)
    }

    /// The logs whose writers ask to be let in.
    public var writersAsking: [LogTitle] { shelf?.asking ?? [] }

    /// Returns why a log that asks to be let in has no place; nil where it has one.
    public func refusal(of title: LogTitle) -> WriterRefusal? { shelf?.refusal(of: title) }

    /// The logs of others that are let in, and whether their writers are put out by now.
    public var writers: [(title: LogTitle, isPutOut: Bool)] { shelf?.writers ?? [] }

    /// Those writers are let in, with what they have offered.
    public func admit(_ admission: WriterAdmission, now: Moment) -> [Action] {
        perform(shelf?.admit(admission, now: now) ?? []) + tellOfOthers(now: now)
    }

    /// Nothing more is taken from a writer. What he has said stays.
    public func putOut(_ writer: Fingerprint, now: Moment) -> [Action] {
        perform(shelf?.putOut(writer, now: now) ?? []) + tellOfOthers(now: now)
    }

    /// Tells guests of logs that are new, were begun anew, or are let in in another way, and lets them have
    /// what is new of those that they read.
    public func tellOfOthers(now: Moment) -> [Action] {
        guard let shelf else { return [] }
        log.set(putOut: shelf.putOut)
        var told: Set<ConnectionID> = []
        for served in besidesMain(shelf.served) {
            let last = introduced[served.log.session]
            let old = last?.served
            let isSame = old?.log === served.log
            guard
                !isSame || old?.grant != served.grant || old?.fork != served.fork
                    || last?.record.isDue(served.record, now: now.uptime) ?? true,
                let head = served.log.head(configuration.timing, now: now)
            else { continue }
            introduced[served.log.session] = (
                served, ToldRecord(served.record, at: now.uptime)
            )
            for guest in guestsInOrder
            where guest.isAccepted && guest.readsProofs && guest.node == nil {
                if !isSame, let old { guest.unread(old.log) }
                guest.introduce(served, head)
                told.insert(guest.id)
            }
        }
        if links == nil { log.set(logs: introduced.count) }
        return ask()
            + guestsInOrder.filter { told.contains($0.id) || !$0.sideLogs.isEmpty }.map {
                .send($0.id)
            } + tellNodes(now: now)
    }

    /// The logs that are read by asking for them.
    private func besidesMain(_ served: [Shelf.Served]) -> [Shelf.Served] {
        links == nil ? served : served.filter { $0.log !== log }
    }

    /// Tells a guest who comes of all of them.
    private func introduceOthers(to guest: RoomGuest, now: Moment) {
        for served in besidesMain(shelf?.served ?? [])
        where introduced[served.log.session]?.served.log === served.log {
            guest.introduce(served, served.log.head(configuration.timing, now: now))
        }
    }

    /// Their newest heads, where these are not told yet.
    private func dueHeadsOfOthers(now: Moment) -> [[UInt8]] {
        let others = introduced.values.map(\.served.log)
        others.forEach { $0.set(isOfOverEvent: isOver) }
        return others.sorted { $0.session.wireName < $1.session.wireName }.compactMap {
            $0.dueHead(configuration.timing, now: now)
        }
    }

    /// Whether the event is over, by this host's word or that of its host.
    private var isOver: Bool {
        log.isOver || log.heldHead?.state == LogHead.State.ended.rawValue
    }

    private func accept(
        _ handshake: Handshake, from guest: RoomGuest, now: Moment
    ) -> [Action] {
        guard handshake.protocol == Handshake.currentProtocol else {
            return reject(guest, .unsupportedProtocol, HandshakeResponse.otherVersion, now: now)
        }
        guard let device = UUID(uuidString: handshake.deviceId) else {
            return drop(guest, .packet(.wrongShape(key: "deviceId")), now: now)
        }
        guest.introduces(itself: handshake, as: device.wireName)
        if let links, let node = handshake.node.flatMap({ UUID(uuidString: $0) }) {
            return accept(node.wireName, handshake, from: guest, by: links, now: now)
        }
        if isBehind(handshake, now: now) {
            return reject(guest, .behind, HandshakeResponse.behind, now: now)
        }
        var actions: [Action] = []
        if let older = seats.connection(of: guest.deviceID).flatMap({ guests[$0] }) {
            if isOvertaken(guest, by: older) { return drop(guest, .overtaken, now: now) }
            let why = "The same device has connected again."
            actions += reject(older, .duplicate, why, now: now)
        }
        switch seats.seat(for: guest.source, over: guest.transport) {
        case .free: break
        case .none(let why): return actions + reject(guest, .full, why, now: now)
        case .taken(let other):
            actions += guests[other].map { reject($0, .full, Self.givesItsSeat, now: now) } ?? []
        }
        actions += welcome(guest, handshake, now: now)
        return log.isOver ? actions + leaveAfterAsking(guest, now: now) : actions
    }

    // MARK: Nodes of a mesh

    /// The event is another from now on: its nodes are let go, and come back as such of that, and readers
    /// once its founder's log is here.
    ///
    /// - Parameter log: one without lines, by the event's id.
    public func move(to log: EventLog, now: Moment) -> [Action] {
        guestsInOrder.filter { $0.node != nil }.flatMap { drop($0, .anotherLog, now: now) }
            + serve(log, now: now)
    }

    /// A node wants a link.
    private func accept(
        _ node: String, _ handshake: Handshake, from guest: RoomGuest, by links: Links, now: Moment
    ) -> [Action] {
        var actions: [Action] = []
        if let older = seats.connection(of: guest.deviceID).flatMap({ guests[$0] }) {
            if isOvertaken(guest, by: older) { return drop(guest, .overtaken, now: now) }
            actions += drop(older, .overtaken, now: now)
        }
        if let event = handshake.event, event != log.session.wireName {
            look(at: event, where: node, handshake, from: guest, by: links, now: now)
            return actions
                + reject(guest, .anotherEvent, "This is another event.", in: log.session, now: now)
        }
        let exporter = exporters[guest.id]?()
        if let exporter {
            shelf?.prove(
                .guest(guest.id), by: LinkProof(key: handshake.key, proof: handshake.proof),
                as: .dialler, over: exporter)
        }
        let key = shelf?.key(of: .guest(guest.id))
        if let reason = links.refusal(of: node, as: key) {
            return actions + reject(guest, reason, "There is a link already.", now: now)
        }
        var response = HandshakeResponse(status: .accepted)
        response.protocol = Handshake.currentProtocol
        (response.session, response.node) = (log.session.wireName, links.own)
        (response.runs, response.firstSeq, response.lastSeq) = ([0], 1, 0)
        response.eventName = configuration.eventName
        response.deviceName = configuration.deviceName
        response.keepAliveInterval = configuration.timing.keepAliveInterval.seconds
        response.timestamp = now.wall
        response.logs = Handshake.currentLogs
        if let exporter {
            let proof = LinkProof(by: links.signer, as: .dialled, over: exporter)
            (response.key, response.proof) = (proof?.key, proof?.proof)
        }
        let pause = configuration.timing.keepAlivePause(using: &generator)
        guest.join(at: blank.reader(after: 0), with: response, keepAliveIn: pause, now: now)
        guest.isNode(node)
        seats.take(guest)
        links.accept(
            node, called: guest.name, as: key, by: guest.id, from: guest.source, now: now.uptime)
        return actions + [.report(.guestConnected(guest.description, after: 0)), .send(guest.id)]
            + tellNodes(now: now)
    }

    /// A node takes part in another event. If this node may go over to that event, it dials the
    /// other node to find out: nobody else may have its address.
    private func look(
        at event: String, where node: String, _ handshake: Handshake, from guest: RoomGuest,
        by links: Links, now: Moment
    ) {
        guard let event = UUID(uuidString: event)?.wireName, event < log.session.wireName,
            let address = handshake.port.flatMap({ Peers.Peer.address(at: $0, of: guest.peer) })
        else { return }
        links.told(of: node, at: [address], by: guest.peer, isOwnWord: true, now: now.uptime)
    }

    /// A node says where it is to be found, and others are.
    private func hear(_ said: Peers, from guest: RoomGuest, now: Moment) {
        let own = Peers.Peer(said, at: guest.peer)
        if let node = guest.node?.id, let own {
            links?.told(
                of: node, at: own.addresses, by: guest.peer, isOwnWord: true, now: now.uptime)
        }
        for peer in said.peers.prefix(Limits.nodes).dropFirst() {
            guard let node = UUID(uuidString: peer.node)?.wireName else { continue }
            links?.told(of: node, at: peer.addresses, by: guest.peer, now: now.uptime)
        }
    }

    /// Tells nodes what they have not told themselves, and sends away those who have given way to a link from
    /// here.
    private func tellNodes(now: Moment) -> [Action] {
        guard let links, let shelf else { return [] }
        let surplus = links.takeSurplus().compactMap { guests[$0] }.filter(\.isAccepted)
        let refused = surplus.flatMap { guest in
            reject(guest, .duplicate, "There is a link already.", now: now)
                + perform(shelf.ended(.guest(guest.id), now: now), for: guest)
        }
        let known = links.known
        return refused
            + guestsInOrder.filter { guest in
                // Readers go on with one of them, too.
                let hasPeers = guest.tell(of: known, now: now.uptime)
                guard guest.node != nil else { return hasPeers }
                let served = shelf.served(to: .guest(guest.id), now: now.uptime)
                return guest.offer(served, configuration.timing, now: now) || hasPeers
            }.map { .send($0.id) }
    }

    /// Whether it has more of another's log than is here, or what is here cannot be proven yet: its
    /// lines would come to it twice, or in the place of others.
    private func isBehind(_ handshake: Handshake, now: Moment) -> Bool {
        // A node that has nothing of the founder's log yet has nothing for readers.
        if links != nil, !log.isSigned { return true }
        guard log.isHeld, handshake.logs == Handshake.currentLogs else { return false }
        guard log.head(configuration.timing, now: now) != nil else { return true }
        guard let resume = handshake.resume, resume.session.lowercased() == log.session.wireName
        else { return false }
        let run = resume.run ?? 1
        return run > log.runs.current || run == log.runs.current && resume.after > log.lastSeq
    }

    private static let givesItsSeat =
        "This host is full, and no address has more guests here than this one: its newest gives its "
        + "place to a guest from elsewhere."

    /// Whether the same device has said hello a little later than this connection, and is here
    /// already: a handshake that was long under way, of a connection that its guest has given up,
    /// must not push out the guest itself. By its own clock: where that was set back, or another
    /// machine uses the same id, the guest comes in a little later.
    private func isOvertaken(_ guest: RoomGuest, by other: RoomGuest) -> Bool {
        guard let late = guest.saidHelloAt, let said = other.saidHelloAt else { return false }
        return said > late && said < late + configuration.timing.handshakeLateness.seconds
    }

    private func welcome(
        _ guest: RoomGuest, _ handshake: Handshake, now: Moment
    ) -> [Action] {
        let reader = log.reader(after: lastLine(of: handshake))
        var response = HandshakeResponse(status: .accepted)
        response.protocol = Handshake.currentProtocol
        response.session = log.session.wireName
        response.runs = log.runs.after
        response.eventName = configuration.eventName
        response.deviceName = configuration.deviceName
        response.firstSeq = log.firstSeq
        response.lastSeq = log.lastSeq
        response.keepAliveInterval = configuration.timing.keepAliveInterval.seconds
        response.timestamp = now.wall
        let record = handshake.logs == Handshake.currentLogs ? log.record : nil
        if record != nil { response.logs = Handshake.currentLogs }
        if guest.transport == .network, let voices {
            response.voice = voices
            guest.mayUseVoices = true
        }
        let pause = configuration.timing.keepAlivePause(using: &generator)
        guest.join(at: reader, with: response, keepAliveIn: pause, now: now)
        seats.take(guest)
        if let record { guest.introduce(record, log.head(configuration.timing, now: now)) }
        if record != nil {
            introduceOthers(to: guest, now: now)
            if let peers = holders.peers(besides: guest) { guest.queue(.peers(peers)) }
        }
        guest.announceHistory(of: log)
        guest.queueAlerts(of: log)
        if learnsOfResume(guest, handshake) {
            let message = "The host is back, and the event goes on where it was."
            guest.queue(.alert(Alert(.sessionResumed, message, sentTimestamp: now.wall)))
        }
        return [
            .report(.guestConnected(guest.description, after: reader.seq - 1)), .send(guest.id),
        ]
    }

    /// A device that was here before the host was started anew learns that this is the same event,
    /// once.
    private func learnsOfResume(_ guest: RoomGuest, _ handshake: Handshake) -> Bool {
        guard log.runs.current > 1, let resume = handshake.resume,
            resume.session.lowercased() == log.session.wireName,
            (resume.run ?? 1) < log.runs.current, knowOfResume.count < Limits.rememberedDevices
        else { return false }
        return knowOfResume.insert(guest.deviceID).inserted
    }

    /// The newest line that a guest has, or does not want.
    private func lastLine(of handshake: Handshake) -> Int {
        if let resume = handshake.resume, resume.session.lowercased() == log.session.wireName {
            let valid = log.runs.valid(through: resume.after, of: resume.run)
            return min(max(valid, 0), log.lastSeq)
        }
        // Who reads proofs begins at a number that the log's writer has signed.
        if handshake.history == Handshake.noHistory {
            return handshake.logs == Handshake.currentLogs ? log.countedLines : log.lastSeq
        }
        return min(max(handshake.from ?? 1, 1) - 1, log.lastSeq)
    }

    private func reject(
        _ guest: RoomGuest, _ reason: HandshakeResponse.Reason, _ message: String,
        in other: UUID? = nil, now: Moment
    ) -> [Action] {
        let why = CloseReason.rejected(reason).description
        let event: HostEvent =
            guest.acceptedAt == nil
            ? .connectionRefused(peer: guest.peer, why: why)
            : .guestLeft(guest.description, why: why, wasStable: guest.phase == .stable)
        seats.leave(guest)
        var refusal = HandshakeResponse(rejecting: reason, message)
        if let other {
            (refusal.session, refusal.eventName) = (other.wireName, configuration.eventName)
        }
        if reason == .full, log.isSigned, guest.knowsOfLogs {
            refusal.peers = holders.takeTurn(for: guest)?.peers
        }
        guest.refuse(refusal, now: now.uptime)
        return [.report(event), .send(guest.id)]
    }

    // MARK: What guests get

    /// How an attempt to send everything ended.
    public enum Drained: Equatable, Sendable {
        /// The connection has everything.
        case completely
        /// The connection has everything, and nothing will follow: close the sending side. Told
        /// once.
        case forGood
        /// `send` took less than it was given.
        case untilBlocked
    }

    /// Hands over what there is for a guest, in pieces, until there is nothing left, `limit`
    /// bytes were taken or `send` takes no more.
    ///
    /// - Parameter send: gets bytes that are valid during the call, and returns how many it took.
    public func drain<Failure>(
        _ handle: Handle, limit: Int = .max, now: Moment,
        _ send: (UnsafeRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) -> Drained {
        let guest = handle.guest
        var left = limit
        while true {
            let main = main(of: guest)
            let output = guest.output(of: main)
            if output.isEmpty { return guest.finish(now: now.uptime) ? .forGood : .completely }
            guard left > 0 else { return .untilBlocked }
            let count = try send(output)
            guest.sent(count, of: main, now: now.uptime)
            sentBytes += count
            left -= count
            guard count == output.count else { return .untilBlocked }
        }
    }

    /// A guest's connection has taken some of what was drained.
    public func noteProgress(of handle: Handle, now: Duration) {
        handle.guest.noteProgress(now: now)
    }

    /// Lets the oldest finals go from memory where there are too many. To be called after a batch
    /// was sent, so that only a guest that lags can miss something.
    public func trim() -> [Action] {
        for side in introduced.values.map(\.served.log) {
            _ = side.trim { survivor in
                for guest in guests.values {
                    guest.keepFrame(before: survivor, of: side, main: main(of: guest))
                }
            }
        }
        return log.trim { survivor in
            for guest in guests.values {
                guest.keepFrame(before: survivor, of: log, main: main(of: guest))
            }
        }.map { .report($0) }
    }

    /// Ends the event for everybody: each guest gets the rest of the transcript and the alert, then
    /// the connection ends; so does a guest whose handshake is still under way. Done when
    /// ``hasConnections`` is false.
    ///
    /// - Parameter kind: ``Alert/Kind/ended`` or ``Alert/Kind/hostDisconnected``.
    public func finish(_ kind: Alert.Kind, _ message: String, now: Moment) -> [Action] {
        log.end(kind, message, now: now)
        return guestsInOrder.filter(\.isAccepted).flatMap { guest in
            log.isOver && !guest.logsWithGaps.isEmpty
                ? leaveAfterAsking(guest, now: now) : leave(guest, now: now)
        }
    }

    private func leave(_ guest: RoomGuest, now: Moment) -> [Action] {
        seats.leave(guest)
        tellLastHeads(to: guest, now: now)
        guest.leave(now: now.uptime)
        return [.send(guest.id)]
    }

    /// Sends the heads of the other logs before the main log's: a guest that learns first that the
    /// event is over could go before it learns what else was said. The heads also tell which lines
    /// are missing, for example because their writer brought too many at once. The writer is told,
    /// too.
    private func tellLastHeads(to guest: RoomGuest, now: Moment) {
        if log.isOver, links == nil {
            shelf?.lastRequests(to: .guest(guest.id)).forEach { guest.queue($0) }
        }
        let others = introduced.values.map(\.served.log).filter { $0.isOver || $0.isHeld }
            .sorted { $0.session.wireName < $1.session.wireName }
        others.forEach { $0.set(isOfOverEvent: isOver) }
        for head in (others + [log]).compactMap({ $0.head(configuration.timing, now: now) }) {
            _ = guest.tell(head)
        }
    }

    /// The event is over, and the guest has yet to ask for other logs. It comes now and was told of
    /// them a moment ago, or doubts that lines of one are gone and asks again.
    private func leaveAfterAsking(_ guest: RoomGuest, now: Moment) -> [Action] {
        guard guest.readsProofs, !hasAll(guest) else { return leave(guest, now: now) }
        tellLastHeads(to: guest, now: now)
        guest.mayAsk(until: now.uptime + Limits.lateAsking)
        return [.send(guest.id)]
    }

    // MARK: Time

    /// Looks at every connection's times. To be called every ``Timing/checkInterval`` while
    /// ``hasConnections``, after what the sockets had to say was taken in.
    public func tick(_ now: Moment) -> [Action] {
        forgiveOwnAbsence(now: now.uptime)
        lastTick = now.uptime
        let heads = dueHeads(now: now)
        let tellsPeers = holders.isTelling(now: now.uptime)
        let news = perform(shelf?.tick(now: now) ?? [])
        return news + tellNodes(now: now)
            + guestsInOrder.flatMap { guest in
                let actions = look(at: guest, now: now)
                var isNews = tell(heads, to: guest)
                if tellsPeers, guest.isAccepted, guest.readsProofs,
                    let peers = holders.peers(besides: guest)
                {
                    guest.queue(.peers(peers))
                    isNews = true
                }
                return isNews ? actions + [.send(guest.id)] : actions
            }
    }

    /// Tells guests how the logs stand, where that is news.
    public func tellHeads(now: Moment) -> [Action] {
        let heads = dueHeads(now: now)
        return guestsInOrder.filter { tell(heads, to: $0) }.map { .send($0.id) }
    }

    private func dueHeads(now: Moment) -> [[UInt8]] {
        let head = log.dueHead(configuration.timing, now: now)
        return [head].compactMap(\.self) + dueHeadsOfOthers(now: now)
    }

    /// - Returns: whether it is one that wants to know.
    private func tell(_ heads: [[UInt8]], to guest: RoomGuest) -> Bool {
        guest.node == nil && heads.reduce(false) { guest.tell($1) || $0 }
    }

    /// A host that was itself asleep has heard nobody, which says nothing about its guests.
    private func forgiveOwnAbsence(now: Duration) {
        guard let lastTick, now - lastTick > configuration.timing.checkInterval * 3 else { return }
        for guest in guests.values {
            guest.forgiveSilence(now: now)
            shelf?.forgiveSilence(of: .guest(guest.id), now: now)
        }
    }

    private func look(at guest: RoomGuest, now: Moment) -> [Action] {
        let timing = configuration.timing
        if let reason = guest.overdue(timing, of: main(of: guest), now: now.uptime) {
            return drop(guest, reason, now: now)
        }
        guard guest.isAccepted else { return [] }
        var actions: [Action] = []
        if guest.passGate(timing.gate, now: now.uptime) {
            actions.append(.report(.guestJoined(guest.description)))
        }
        let isDue = guest.keepAlive(
            timing, from: device, of: main(of: guest), inputAge: log.inputAge(now.uptime),
            pause: { timing.keepAlivePause(using: &generator) }, now: now)
        check(guest)
        if isDue { actions.append(.send(guest.id)) }
        // What it has not asked for by now it has, or does not want.
        if let end = guest.asksUntil, now.uptime >= end {
            return actions + leave(guest, now: now)
        }
        return actions + requestLacking(from: guest, now: now)
    }

    private func requestLacking(from guest: RoomGuest, now: Moment) -> [Action] {
        guard let shelf else { return [] }
        do throws(GuestViolation) {
            try shelf.requestLacking(
                from: .guest(guest.id), for: configuration.timing.silenceTimeout, guest.requests,
                now: now)
            return ask()
        } catch {
            return drop(guest, .badLog(error.clause), now: now)
        }
    }

    // MARK: What there is to see

    /// How many lines the guest had not taken in that is farthest behind, when it last said so.
    public var greatestLag: Int { guests.values.reduce(0) { max($0, $1.isAccepted ? $1.lag : 0) } }

    /// How each guest fares, by name.
    public func guestReports(now: Moment) -> [GuestReport] {
        guests.values.compactMap { report(on: $0, now: now) }
            .sorted { ($0.guest.name, $0.guest.peer) < ($1.guest.name, $1.guest.peer) }
    }

    private func report(on guest: RoomGuest, now: Moment) -> GuestReport? {
        guard let state = GuestReport.State(guest.phase) else { return nil }
        var report = GuestReport(
            guest: guest.description, state: state, lagLines: 0, lagSeconds: 0,
            latency: guest.latency, unstable: unstable[guest.deviceID])
        if state != .connecting, guest.lag > 0 {
            report.lagLines = guest.lag
            // Of a line that is gone from memory nobody knows when it came.
            let came = log.final(guest.applied + 1)?.sentTimestamp ?? now.wall
            report.lagSeconds = max(0, now.wall - came)
        }
        return report
    }

    private func check(_ guest: RoomGuest) {
        assert(broken(guest) == nil, broken(guest) ?? "")
    }

    private func broken(_ guest: RoomGuest) -> String? {
        seats.broken(guest, isHere: guests[guest.id] != nil) ?? guest.brokenInvariant
    }

    /// What is wrong with the room or its log; nil where nothing is. Looks at everything: for tests.
    package var brokenInvariant: String? {
        log.brokenInvariant ?? seats.brokenInvariant(seating: guests.values.filter(\.isAccepted))
            ?? holders.brokenInvariant(among: Array(guests.values))
            ?? guests.values.lazy.compactMap { self.broken($0) }.first
    }
}
