public import BeamscribeCore
import BeamscribeDiscovery
public import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Takes part in an event: connects, reads, and comes back when the connection is lost.
///
/// ```swift
/// let guest = try Guest(configuration)
/// await guest.start()
/// for await batch in guest.events { ... }
/// let outcome = await guest.outcome
/// ```
///
/// While the reader does not take events, the guest stops reading its socket: the host's
/// transcript is the queue.
public actor Guest {
    /// What happens, until the guest is done.
    public nonisolated let events: EventBuffer<GuestEvent>
    /// What becomes of serving the event to others, where ``GuestConfiguration/holding`` asks for it,
    /// until the last of them has gone.
    public nonisolated let news = EventBuffer<HolderNews>(limit: Limits.waitingEvents)
    /// How it ended; nil before.
    public private(set) var outcome: GuestOutcome?

    nonisolated let surroundings: any Surroundings
    private let configuration: GuestConfiguration
    private let session: GuestSession
    private let link: GuestLink
    /// The way by a server that keeps the event; nil for none.
    private let backbone: GuestBackbone?
    private let trust: HostTrust
    /// Serves the event to others; nil where nobody asked for that.
    private let holder: Holder?
    /// What is kept of the event; nil where nobody asked for that.
    private let replica: Replica?
    /// The way to the event's voices; nil for none.
    private let voices: GuestVoices?
    /// Where the connection leads.
    private var destination: Destination?
    /// Told whenever something may have been heard of the event's other writers.
    var heardOthers: () -> Void = {}
    /// Waits for the log that is written here to be taken.
    private var sending: CheckedContinuation<Bool, Never>?
    @OwnedTimer private var sendingPatience: LoopTimer?
    /// Nil for a guest without the event's code.
    private let code: GuestCode?
    /// Who the guest is to a host that proves nothing.
    private let plainID = UUID()
    private var finder: HostFinder?
    /// What is known of where the host is.
    private var whereabouts: Whereabouts
    /// The next try to leave a stopgap for the host.
    @OwnedTimer private var moving: LoopTimer?
    /// When a host that does not answer is looked for beside being dialled.
    @OwnedTimer private var impatience: LoopTimer?
    /// When beacons are listened for no longer, while there is a channel.
    @OwnedTimer private var listening: LoopTimer?
    private var addressMonitor: AnyObject?
    @OwnedTimer private var deadline: LoopTimer?
    @OwnedTimer private var searchDeadline: LoopTimer?
    @OwnedTimer private var statistics: LoopTimer?
    /// What the host said of its event when it let the guest in last.
    private var joinedEvent: JoinedEvent?
    private var bluetoothTrouble: BluetoothTrouble?
    private var backboneTrouble: String?
    /// Other pages of the event.
    private var elsewhere = OtherPages()
    private var lastTrouble = "nobody answered"
    /// A guest that was started lives until it is done: the loop calls it.
    private var lifeline: Guest?

    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        surroundings.asUnownedSerialExecutor()
    }

    private nonisolated var loop: any Loop { surroundings.network.loop }

    /// - Parameter thread: the loop to run on; one of the guest's own by default.
    public init(
        _ configuration: GuestConfiguration, on thread: LoopThread? = nil
    ) throws(StartError) {
        try self.init(configuration, in: try .system(on: thread))
    }

    /// - Parameter replica: gets what comes, for ``held(after:)``; one that serves others has its own.
    package init(
        _ configuration: GuestConfiguration, keeping replica: Replica? = nil,
        in surroundings: any Surroundings
    ) throws(StartError) {
        self.surroundings = surroundings
        events = EventBuffer(limit: configuration.waitingEvents)
        let network = surroundings.network
        do throws(TLSError) {
            trust = try HostTrust(configuration.security)
        } catch {
            throw .cannotSecure(error)
        }
        self.configuration = configuration
        code = GuestCode(configuration.security)
        backbone = try configuration.backbone.flatMap { place throws(StartError) in
            try GuestBackbone(place, beside: network, in: surroundings)
        }
        whereabouts = Whereabouts(of: configuration.target, hasBackbone: backbone != nil)
        var core = configuration.session
        core.hasCode = configuration.security.code != nil
        core.usesVoices = configuration.intercom != nil
        voices = configuration.intercom.map { GuestVoices($0, in: surroundings) }
        let proofs = try needed(Self.proofs(configuration), orElse: StartError.cannotSecure)
        let kept = try Self.kept(configuration, trust, now: network.loop.now)
        let shelf = proofs.flatMap {
            // What is regained are lines of the main log; of the others it counts how they stand.
            Shelf(
                proving: $0, isKept: configuration.holding != nil,
                from: replica == nil ? core.start : .next)
        }
        holder = try configuration.holding.map { [news] holding throws(StartError) in
            try needed(
                Holder(holding, after: kept, others: shelf, telling: news, in: surroundings),
                orElse: StartError.cannotSecure)
        }
        self.replica = holder?.replica ?? replica
        session = GuestSession(
            core, keeping: self.replica, others: shelf, proving: proofs, seed: surroundings.seed(),
            now: network.loop.now)
        link = GuestLink(
            trusting: trust, over: backbone ?? network, isToBeFound: configuration.holding != nil)
    }

    /// Without encryption nobody knows a writer by its key.
    private static func proofs(
        _ configuration: GuestConfiguration
    ) throws(TLSError) -> LogSHA256? {
        configuration.security.isPlain ? nil : try LogSHA256()
    }

    /// What was kept of the event, where it is its host's word and that is trusted.
    private static func kept(
        _ configuration: GuestConfiguration, _ trust: HostTrust, now: Moment
    ) throws(StartError) -> KeptLog? {
        guard let holding = configuration.holding, let stored = holding.keeping?.kept else {
            return nil
        }
        let crypto = try needed(LogSHA256(), orElse: StartError.cannotSecure)
        let kept = try needed(
            KeptLog(stored, heldBy: holding.deviceName, by: crypto, now: now),
            orElse: StartError.cannotTakeUp)
        try needed(trust.takeUp(kept.held.event)) { .cannotTakeUp(.distrusted($0)) }
        return kept
    }

    /// What belongs to the loop goes on its thread.
    isolated deinit {}

    /// Begins to connect.
    public func start() {
        lifeline = self
        if holder == nil { news.finish() }
        holder?.opened = { [unowned self] in perform(session.serves($0)) }
        holder?.heard = { [unowned self] in
            let actions = session.heardElsewhere(now: loop.now)
            if !actions.isEmpty { perform(actions) }
        }
        backbone?.cameBack = { [unowned self] in
            if outcome == nil { perform(session.prospectsChanged(now: loop.now)) }
        }
        backbone?.isAway = { [unowned self] in tellAway($0) }
        link.refill = { [unowned self] in session.output(limit: Limits.offeredAtOnce) }
        link.way = { [unowned self] in whereabouts.way(to: $0) }
        link.happened = { [unowned self] event in
            switch event {
            case .connected(let destination, let judgement, let isMove):
                connected(to: destination, judgement, isMove: isMove)
            case .failed(let failure): connectionFailed(failure)
            case .turnedAway(let destination, let refusal):
                tell([.turnedAway(at: "\(destination)", refusal)])
            case .passedOver(let destination): whereabouts.tried(destination)
            case .bytes(let bytes): perform(session.received(bytes, isPiece: true, now: loop.now))
            case .read:
                perform(session.received(.init(start: nil, count: 0), now: loop.now))
            case .life: session.heard(now: loop.now)
            case .sent: endSendingIfDone()
            case .closed(let trouble): connectionClosed(trouble)
            }
        }
        beginVoices()
        let guest = self
        events.whenDrained { guest.drained() }
        addressMonitor = try? surroundings.network.watchAddresses { [unowned self] in
            addressesChanged()
        }
        if let timeout = configuration.searchTimeout {
            searchDeadline = loop.schedule(after: timeout) { [unowned self] in
                giveUpSearching()
            }
        }
        tellStatistics()
        let isRead = configuration.holding?.role != .relay
        perform(session.takeUpKept(lines: isRead, now: loop.now))
        perform(session.tick(loop.now))
    }

    /// Leaves the event.
    ///
    /// Whoever reads from here is given the rest first; a second call waits for nobody.
    public func stop() {
        holder?.hurry()
        perform(session.stop())
    }

    // MARK: A log of the event that is written here

    /// Offers a log to whoever serves the event.
    func offer(_ log: EventLog) { perform(session.offer(log, now: loop.now)) }

    /// Something was said in it.
    func offeredHasChanged() {
        if outcome == nil { perform(session.offeredHasChanged(now: loop.now)) }
    }

    /// What those say of whose turn it is who stand in for a log's writer, and he himself.
    func airClaims(besides own: String, around session: String) -> [AirClaim] {
        guard outcome == nil else { return [] }
        return self.session.airClaims(
            besides: own, around: session, mainOn: joinedEvent?.deviceName ?? "", now: loop.now)
    }

    /// Waits until all of the log that is written here, and has ended, is on its way.
    ///
    /// - Returns: whether it is; false where for ``Limits/partingPatience`` nobody reads it, or nothing of
    ///   it goes out.
    public func sendOffered() async -> Bool {
        guard outcome == nil else { return false }
        return await withCheckedContinuation { continuation in
            sending = continuation
            waitForSending(after: link.sentBytes)
            endSendingIfDone()
        }
    }

    /// The lines of this machine's own log that did not get there before the event ended, by the
    /// word of the machine that serves it; nil for none.
    public var offeredNotTaken: ClosedRange<Int>? { session.offeredNotTaken }

    private func waitForSending(after bytes: Int) {
        sendingPatience = loop.schedule(after: Limits.partingPatience) { [unowned self] in
            guard session.offeredIsRead, link.sentBytes > bytes else { return endSending(false) }
            waitForSending(after: link.sentBytes)
        }
    }

    private func endSendingIfDone() {
        if session.offeredIsSent, link.isIdle { endSending(true) }
    }

    private func endSending(_ isSent: Bool) {
        sending?.resume(returning: isSent)
        (sending, sendingPatience) = (nil, nil)
    }

    // MARK: How it stands

    /// Whether a host has let the guest in and was not turned away for what it is.
    public var hasJoined: Bool { outcome == nil && position != nil }

    /// The newest line that is here, shown or not; nil before there is an event.
    var position: Handshake.Resume? { session.position }

    /// Whether anybody has let the guest in: the host, or who serves its event.
    public var hasConnected: Bool { session.hasConnected }

    /// The shortest way to the host and back, in seconds.
    public var roundTrip: Double? { session.roundTrip }

    /// What has come behind line `seq`, up to a proven line; nil for nothing.
    func held(after seq: Int) -> RegainedLines? {
        guard let event = joinedEvent, let log = replica?.log else { return nil }
        return RegainedLines(after: seq, in: log, from: event.holder ?? event.deviceName)
    }

    private func giveUpSearching() {
        perform(session.giveUpSearching(why: lastTrouble))
    }

    // MARK: The connection

    private func connected(
        to destination: Destination, _ judgement: HostTrust.Judgement, isMove: Bool
    ) {
        whereabouts.led(to: destination, isHost: judgement.counterpart == .host)
        self.destination = destination
        impatience = nil
        stopLooking()
        let security = judgement.security
        let id = security.fingerprint.map { configuration.device.id(at: $0) } ?? plainID
        let greet =
            isMove
            ? session.moved(over:security:to:as:now:) : session.connected(over:security:to:as:now:)
        perform(greet(destination.transport, security, judgement.counterpart, id, loop.now))
    }

    // MARK: The event's code

    private func proveCode(_ salt: [UInt8]) {
        guard let code else { return perform(session.codeShare(nil, now: loop.now)) }
        if let secret = code.secret(for: salt) { return sayShare(secret) }
        let (recipe, number) = (code.recipe(for: salt), link.number)
        do throws(SystemError) {
            try surroundings.worker.perform(recipe) { [self] secret in
                // The connection that it was for may be gone.
                guard outcome == nil, link.number == number else { return }
                sayShare(secret)
            }
        } catch {
            sayShare(nil)
        }
    }

    private func sayShare(_ secret: CodeSecret?) {
        let share = secret.flatMap { secret in
            link.exportedKey().flatMap { code?.begin(secret, exporter: $0) }
        }
        perform(session.codeShare(share, now: loop.now))
    }

    private func judgeCode(_ share: [UInt8], _ confirm: [UInt8]) {
        let verdict = code?.judge(share: share, confirm: confirm) ?? .broken
        perform(session.codeJudged(verdict, now: loop.now))
    }

    // MARK: What the session wants

    private func connectionFailed(_ failure: DialFailure) {
        defer { lookAgain() }
        whereabouts.connectionEnded()
        let now = loop.now
        switch failure {
        case .trouble(let trouble):
            lastTrouble = trouble.why
            perform(session.connectionFailed(trouble, now: now))
        case .refused(let refusal): perform(session.refused(refusal, now: now))
        case .violated(let what): perform(session.violatedSecurity(what, now: now))
        }
    }

    private func connectionClosed(_ trouble: ConnectionTrouble) {
        voices?.disconnected()
        whereabouts.connectionEnded()
        perform(session.disconnected(trouble, now: loop.now))
        lookAgain()
    }

    private func perform(_ actions: [GuestSession.Action]) {
        var reports: [GuestEvent] = []
        var isLost = false
        for action in actions {
            switch action {
            case .report(.joined(let event)):
                do throws(SecurityRefusal) {
                    reports += try joined(event)
                    whereabouts.isServed()
                } catch {
                    // What came before it is the word of the same stranger.
                    return perform(session.distrusts(error))
                }
            case .report(let event):
                switch event {
                case .line, .inLog(_, .line): loop.holdWall()
                default: break
                }
                reports.append(event)
            case .send(let bytes): link.send(bytes)
            case .hear(let peers): hear(of: peers)
            case .voices(let offer): voices?.connected(to: offer, at: destination?.address)
            case .voice(let message): voices?.take(message)
            case .goElsewhere: whereabouts.hostIsFull()
            case .pull: link.pull()
            case .connect: connect()
            case .proveCode(let salt): proveCode(salt)
            case .judgeCode(let share, let confirm): judgeCode(share, confirm)
            case .disconnect:
                link.disconnect()
                whereabouts.connectionEnded()
                isLost = true
            case .finish(let outcome):
                tell(reports)
                return finish(outcome)
            }
        }
        tell(reports)
        // A guest that has ended is not here any more, and looks for nobody.
        if isLost {
            voices?.disconnected()
            lookAgain()
        }
        arm()
        holder?.serve()
        heardOthers()
    }

    private func hear(of peers: Peers) {
        whereabouts.hear(of: peers) { holder?.listens(at: $0) ?? false }
        elsewhere.hear(of: peers, from: whereabouts.host, besides: holder?.node)
    }

    private func joined(_ event: JoinedEvent) throws(SecurityRefusal) -> [GuestEvent] {
        if event.isKept {
            // It was judged before.
            joinedEvent = event
            holder?.joined(event)
            return [.joined(event)]
        }
        var event = event
        event.security = try trust.joins(event)
        if event.isHeld { whereabouts.ledToHolder() }
        do throws(KnownHostsFileError) {
            try trust.remember(event, at: loop.wall)
        } catch {
            if event.security.isNew { event.forgottenKey = "\(error)" }
        }
        joinedEvent = event
        holder?.joined(event)
        return [.joined(event)]
    }

    /// Says why the server is away that keeps the event, once until another reason is known.
    private func tellAway(_ why: String) {
        guard outcome == nil, backboneTrouble != why else { return }
        backboneTrouble = why
        tell([.trouble("the NATS server cannot be reached: \(why)")])
    }

    private func tell(_ reports: [GuestEvent]) {
        guard !events.push(reports), !link.isPaused else { return }
        link.isPaused = true
        session.readingPaused(true, now: loop.now)
    }

    /// Tells how the guest fares, and will do so again. A reader who is behind has no use for it.
    private func tellStatistics() {
        guard let interval = configuration.statistics else { return }
        if session.isConnected, !link.isPaused {
            tell([.stats(session.statistics(now: loop.now))])
        }
        statistics = loop.schedule(after: interval) { [unowned self] in tellStatistics() }
    }

    private nonisolated func drained() {
        surroundings.perform { self.assumeIsolated { $0.readOn() } }
    }

    private func readOn() {
        guard link.isPaused else { return }
        link.isPaused = false
        session.readingPaused(false, now: loop.now)
        arm()
    }

    private func arm() {
        deadline?.cancel()
        guard let due = session.nextDeadline, outcome == nil else { return }
        deadline = loop.schedule(at: due) { [unowned self] in
            perform(session.tick(loop.now))
        }
    }

    private func finish(_ outcome: GuestOutcome) {
        self.outcome = outcome
        endSending(false)
        deadline?.cancel()
        searchDeadline?.cancel()
        statistics?.cancel()
        link.disconnect()
        finder?.stop()
        finder = nil
        moving?.cancel()
        impatience = nil
        listening?.cancel()
        addressMonitor = nil
        link.happened = { _ in }
        heardOthers = {}
        events.finish()
        voices?.intercom.end()
        guard let holder else { return lifeline = nil }
        holder.end { [self] in
            news.finish()
            lifeline = nil
        }
    }

    // MARK: Voices

    private func beginVoices() {
        voices?.exportedKey = { [unowned self] in link.exportedKey($0) }
        voices?.say = { [unowned self] in say($0) }
        voices?.intercom.begin { [weak self, surroundings] message in
            surroundings.perform { [weak self] in self?.assumeIsolated { $0.say(message) } }
        }
    }

    /// Says something of voices to the host. Packets that would have to wait are dropped: nobody wants to hear them later.
    private func say(_ message: VoiceMessage) {
        guard outcome == nil else { return }
        if case .packet = message, link.waiting > Limits.voiceInLine { return }
        perform(session.say(message))
    }

    // MARK: Finding the host again, and a better way to it

    private func connect() {
        // Where it was may not be where it is, and others may have its event.
        impatience = loop.schedule(after: Limits.dialledAlone) { [unowned self] in
            if link.transport == nil, finder == nil { lookAgain() }
        }
        link.connect(
            to: whereabouts.endpoints,
            or: whereabouts.fallbacks(withChannels: configuration.usesBluetooth))
    }

    /// A host that was given by its address is looked for once it is lost: it may be back at
    /// another one, and its session tells it from all others.
    private func lookAgain() {
        moving?.cancel()
        guard outcome == nil, isFindable else { return }
        guard let finder else { return look(listening: true) }
        finder.listen()
        finder.refresh()
    }

    private func look(listening isListening: Bool) {
        let discovery = surroundings.discovery
        let scanner =
            configuration.usesBluetooth
            ? discovery.scanner(bus: configuration.bluetoothBus) : nil
        let finder = HostFinder(
            discovery.browser(for: DiscoveredHost.serviceType), scanner,
            holders: discovery.browser(for: DiscoveredHost.holderServiceType),
            probesHosts: false, over: surroundings.network)
        finder.ownNode = holder?.node
        finder.changed = { [unowned self] in takeDiscoveries() }
        self.finder = finder
        finder.start(listening: isListening)
    }

    private var isFindable: Bool {
        if case .host = configuration.target { return true }
        return session.session != nil
    }

    /// There is a connection. If it is a channel, a network may still turn up; if it is to somebody who
    /// holds the event for its host, the host; if it is by addresses of one link, others.
    private func stopLooking() {
        moving?.cancel()
        guard link.isStopgap else {
            finder?.stop()
            finder = nil
            return
        }
        if let finder { finder.listenNoMore() } else { look(listening: false) }
        moveLater()
    }

    /// The machine may have come into the host's network. Where nothing else gets through there,
    /// the host's beacon says so; it is listened for only for a while, for the air is in use.
    private func addressesChanged() {
        perform(session.prospectsChanged(now: loop.now))
        guard link.transport == .bluetooth else { return }
        moveToNetwork()
        finder?.listen()
        listening = loop.schedule(after: Limits.beaconListening) { [unowned self] in
            if link.transport == .bluetooth { finder?.listenNoMore() }
        }
    }

    private func moveLater() {
        moving = loop.schedule(after: Limits.moveInterval) { [unowned self] in
            moveToNetwork()
            moveLater()
        }
    }

    /// Leaves a stopgap for the network as soon as that leads to the host.
    private func moveToNetwork() {
        guard session.isConnected else { return }
        link.move(to: whereabouts.endpoints)
    }

    private func takeDiscoveries() {
        tellBluetoothTrouble()
        // Anybody can announce the host's session: all who do are tried.
        let hosts = finder?.hosts ?? []
        let ours = hosts.filter(isOurs)
        let worthy = ours.isEmpty ? hosts.filter(isSuccessor) : ours
        guard !worthy.isEmpty else { return }
        let news = whereabouts.take(worthy) { holder?.listens(at: $0) ?? false }
        guard !news.isEmpty else { return }
        news.destinations.forEach { link.add($0) }
        news.fallbacks.prefix(Limits.holdersTried).forEach { link.add(fallback: $0) }
        perform(session.prospectsChanged(now: loop.now))
        moveToNetwork()
    }

    private func tellBluetoothTrouble() {
        let trouble = finder?.bluetoothTrouble
        guard trouble != bluetoothTrouble else { return }
        bluetoothTrouble = trouble
        if let trouble { tell([.trouble("no beacon can be heard: \(trouble)")]) }
    }

    /// The host that was here before: by its session, or by its name while it had not told that.
    private func isOurs(_ host: DiscoveredHost) -> Bool {
        if let session = session.session { return host.mayHave(session: session) }
        guard case .host(let wanted) = configuration.target else { return false }
        if let session = wanted.session { return host.mayHave(session: session) }
        if let tag = wanted.sessionTag { return host.sessionTag == tag }
        return host.instanceName == wanted.instanceName
    }

    /// Whether it seems to be the same host, which has begun the event anew; its key shows it.
    private func isSuccessor(_ host: DiscoveredHost) -> Bool {
        guard let key = joinedEvent?.key else { return false }
        return host.fingerprint == key.short && host.eventName == joinedEvent?.eventName
    }

    // MARK: Browsers

    /// What browsers read, from the moment at which there is something to be served to others; nil before.
    public var feed: FeedSource? { holder?.pages.map { source(of: $0) } }
}

extension Guest: FeedServer {
    func standing() -> FeedStanding {
        let standing = session.standing(now: loop.now)
        let main = session.session ?? ""
        return FeedStanding(
            eventName: joinedEvent?.eventName ?? "", deviceName: joinedEvent?.deviceName ?? "",
            otherPages: elsewhere.origins,
            standIn: AirClaim.standIn(for: main, among: airClaims(besides: "", around: main)),
            held: holder.map { ($0.deviceName, standing.trouble, standing.unheardFor) })
    }

    func figures() -> HostMetrics? { holder?.metrics(now: loop.now) }

    /// It passes on no voices.
    func openFloor(_: @escaping @Sendable ([UInt8]) -> Void) -> [UInt8]? { nil }

    func announce(_ advertisement: Advertisement) { holder?.announce(advertisement) }

    func opened(_ page: OpenedPage) { holder?.opened(page: page) }

    var linkOfHost: String? { elsewhere.link }
}

extension Destination {
    /// Where it is in the network; nil where that is no network.
    fileprivate var address: IPAddress? {
        if case .network(let endpoint) = self { endpoint.address } else { nil }
    }
}

extension DiscoveredHost {
    /// Whether it has this session; one that was only heard tells no more than a tag of it, and
    /// the handshake does the rest.
    fileprivate func mayHave(session wanted: String) -> Bool {
        session.map { $0 == wanted } ?? (sessionTag == BeaconPayload.sessionTag(of: wanted))
    }
}
