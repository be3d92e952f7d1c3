import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import BeamscribeTLS
import FoundationEssentials

/// Drives a ``MeshSession`` with a network: finds other nodes of the event, dials them, and announces this one.
///
/// Invariant: `links` are the connections that the session has dialled; none stands once this has ended.
final class MeshLinks {
    /// Told once something has come that is to be given out here.
    var changed: () -> Void = {}
    /// Something of a log for whoever reads here.
    var report: (GuestEvent) -> Void = { _ in }
    var tell: (MeshNews) -> Void = { _ in }
    /// The event is to be another, which was begun apart under its name.
    var goOver: (UUID) -> Void = { _ in }
    /// The event is to be one that this node founds.
    var foundAnew: () -> Void = {}
    /// What is decided, and with whom there is to be a link.
    let session: MeshSession

    private let configuration: HostConfiguration
    private var membership: MeshMembership
    private let surroundings: any Surroundings
    private let security: GuestSecurity
    private var links: [Int: Link] = [:]
    /// Who this node is to each of the others: nobody learns what another knows of it.
    private var devices: [Fingerprint: UUID] = [:]
    private var browser: (any ServiceBrowser)?
    /// Who announces that he takes part in an event, this one or another.
    private var announced: [MeshNode] = []
    private var advertiser: (any ServiceAdvertiser)?
    private var addressMonitor: AnyObject?
    private var listening: [Endpoint] = []
    private var isEnded = false
    private var isLooking = false
    /// Told once the links are gone.
    private var leaving: (() -> Void)?
    @OwnedTimer private var deadline: LoopTimer?
    @OwnedTimer private var patience: LoopTimer?
    @OwnedTimer private var refresh: LoopTimer?

    private final class Link {
        let connection: GuestLink
        let code: GuestCode?

        init(_ connection: GuestLink, _ code: GuestCode?) {
            (self.connection, self.code) = (connection, code)
        }
    }

    private var network: any Network { surroundings.network }
    private var now: Moment { network.loop.now }

    init(
        _ membership: MeshMembership, of configuration: HostConfiguration, on shelf: Shelf,
        signing signer: any LogSigner, in surroundings: any Surroundings
    ) throws(TLSError) {
        (self.membership, self.configuration) = (membership, configuration)
        self.surroundings = surroundings
        var core = MeshSession.Configuration(
            deviceName: configuration.deviceName, event: membership.event)
        core.eventName = configuration.eventName
        core.hasCode = membership.code != nil
        core.timing = configuration.timing
        session = MeshSession(
            core, of: membership.node, with: shelf, proving: try LogSHA256(), signing: signer,
            seed: surroundings.seed())
        var security = GuestSecurity()
        security.code = membership.code
        if let make = membership.makeSecret { security.makeSecret = make }
        self.security = security
    }

    // MARK: Beginning and end

    /// Others can come in here: they are told, and looked for.
    func begin(at listening: [Endpoint], joinable: [Endpoint]) {
        self.listening = listening
        perform(session.serves(place(joinable), now: now))
        if configuration.announces { announce() }
        hearOfGiven()
        look()
        addressMonitor = try? network.watchAddresses { [unowned self] in addressesChanged() }
        perform(session.tick(now))
    }

    private func place(_ joinable: [Endpoint]) -> Peers.Peer {
        Peers.Peer(
            node: membership.node,
            addresses: joinable.prefix(Limits.addressesPerNode).map(\.description), role: "peer")
    }

    /// Nobody is dialled any more; what there is to be sent goes, and then the links.
    ///
    /// - Parameter done: called once they are gone, never from within this call.
    func leave(_ done: @escaping () -> Void) {
        guard !isEnded, leaving == nil else { return }
        leaving = done
        advertiser?.stop()
        (browser, addressMonitor, deadline, refresh) = (nil, nil, nil, nil)
        perform(session.changed(now: now))
        for (number, link) in links.sorted(by: { $0.key < $1.key }) {
            link.connection.finish()
            if link.connection.transport == nil { links[number] = nil }
        }
        patience = network.loop.schedule(after: Limits.partingPatience) { [unowned self] in end() }
        endIfGone()
    }

    /// Whether no link is left.
    var isGone: Bool { isEnded }

    private func endIfGone() {
        guard leaving != nil, links.isEmpty else { return }
        // One of them may be what tells of this.
        patience = network.loop.schedule(after: .zero) { [unowned self] in end() }
    }

    /// The links are gone at once.
    func end() {
        guard !isEnded else { return }
        isEnded = true
        perform(session.stop(now: now))
        for link in inOrder {
            link.connection.happened = { _ in }
            link.connection.disconnect()
        }
        (links, browser, addressMonitor) = ([:], nil, nil)
        (deadline, patience, refresh) = (nil, nil, nil)
        advertiser?.stop()
        leaving.take()?()
    }

    private func addressesChanged() {
        perform(
            session.serves(
                place(JoinAddresses.of(listening, on: network.interfaceAddresses())), now: now))
    }

    /// This node takes part in another event from now on.
    func move(to event: UUID) {
        membership.event = event
        perform(session.move(to: event, now: now))
        if configuration.announces, !listening.isEmpty { announce() }
        // Others are of this event than were of the one before.
        hearOfAnnounced()
    }

    // MARK: Finding one another

    private func announce() {
        advertiser?.stop()
        guard let port = listening.first?.port else { return }
        let advertiser = surroundings.discovery.advertiser(
            of: Advertisement(
                node: membership.node, of: membership.event.wireName, configuration.eventName,
                on: configuration.deviceName, as: "peer", configuration.security,
                writing: configuration.session.wireName, port: port,
                interfaces: Advertisement.interfaces(
                    of: configuration.addresses, among: network.interfaceAddresses())))
        advertiser.handler = { [unowned self] event in
            if case .unavailable(let reason) = event { tell(.announcementFailed(reason)) }
        }
        self.advertiser = advertiser
        advertiser.start()
    }

    private func look() {
        lookAgain()
        guard configuration.announces else { return }
        let browser = surroundings.discovery.browser(for: DiscoveredHost.holderServiceType)
        browser.handler = { [unowned self] event in
            guard case .changed(let instances) = event else { return }
            announced = instances.compactMap(MeshNode.init)
            hearOfAnnounced()
        }
        self.browser = browser
        browser.start()
    }

    /// Who was not there as this began, or behind a partition, may have been missed.
    private func lookAgain() {
        refresh = network.loop.schedule(after: Limits.nodesSought) { [unowned self] in
            browser?.refresh()
            hearOfGiven()
            arm()
            lookAgain()
        }
    }

    /// Nodes may be at the addresses that were given, whatever was learnt of others since.
    private func hearOfGiven() {
        for endpoint in membership.addresses where !isOwn(endpoint) {
            perform(session.heard(of: nil, at: [endpoint.description], now: now))
        }
    }

    private func hearOfAnnounced() {
        for node in announced where isWanted(node) && node.id != membership.node {
            perform(
                session.heard(of: node.id, at: node.endpoints.map(\.description), now: now))
        }
        arm()
    }

    /// Whether it takes part in this event, or in one of the same name that goes before it.
    private func isWanted(_ node: MeshNode) -> Bool {
        node.event == membership.event
            || session.goesBefore(node.event)
                && EventName.isSame(node.eventName, configuration.eventName)
    }

    /// Whether this node itself listens there.
    private func isOwn(_ endpoint: Endpoint) -> Bool {
        listening.contains { $0.port == endpoint.port }
            && (endpoint.address.isLoopback
                || network.interfaceAddresses().contains {
                    $0.address.bytes == endpoint.address.bytes
                })
    }

    // MARK: Connections

    private func dial(_ number: Int, _ addresses: [String]) {
        let endpoints = addresses.compactMap { Endpoint($0) }.filter { !isOwn($0) }
        guard !endpoints.isEmpty, let trust = try? HostTrust(security) else {
            return fail(number, "it has no address that could be tried")
        }
        let connection = GuestLink(trusting: trust, over: network, isToBeFound: true)
        let link = Link(connection, GuestCode(security))
        connection.stuckTimeout = configuration.timing.stuckTimeout
        connection.way = { _ in .holder }
        connection.refill = { [unowned self] in
            session.output(number, limit: Limits.offeredAtOnce)
        }
        connection.happened = { [unowned self] in happened($0, on: number) }
        links[number] = link
        connection.connect(to: endpoints, or: [])
    }

    private func fail(_ number: Int, _ why: String) {
        // Never from within the step that wanted the connection.
        network.loop.schedule(after: .zero) { [weak self] in
            guard let self, !isEnded else { return }
            perform(session.disconnected(number, why: why, now: now))
            arm()
        }
    }

    private func happened(_ event: GuestLink.Event, on number: Int) {
        switch event {
        case .connected(_, let judgement, _):
            let key = judgement.security.fingerprint
            let device = key.flatMap { devices[$0] } ?? newDevice()
            if let key, devices.count < Limits.nodes { devices[key] = device }
            perform(
                session.connected(
                    number, as: device, over: links[number]?.connection.exportedKey(.peer),
                    now: now))
        case .failed(let failure):
            links[number] = nil
            perform(session.disconnected(number, why: failure.words, now: now))
        case .bytes(let bytes):
            perform(session.received(bytes, by: number, isPiece: true, now: now))
            return
        case .read:
            perform(
                session.received(.init(start: nil, count: 0), by: number, now: now))
            changed()
        case .life: session.heard(by: number, now: now)
        case .closed(let trouble):
            links[number] = nil
            perform(session.disconnected(number, why: trouble.why, now: now))
            changed()
        case .turnedAway, .passedOver, .sent: return
        }
        endIfGone()
        arm()
    }

    /// Something was said here, or others who have dialled this node have brought something.
    func look(at now: Moment) {
        guard !isEnded, !isLooking else { return }
        isLooking = true
        defer { isLooking = false }
        perform(session.changed(now: now))
        pullAll()
        arm()
    }

    /// Never from within the step that wants it.
    private func soon(_ body: @escaping (MeshLinks) -> Void) {
        network.loop.schedule(after: .zero) { [weak self] in
            if let self, !isEnded, leaving == nil { body(self) }
        }
    }

    private var inOrder: [Link] { links.sorted { $0.key < $1.key }.map(\.value) }

    private func pullAll() { inOrder.forEach { $0.connection.pull() } }

    /// Who this node is to somebody whom it meets.
    private func newDevice() -> UUID {
        withUnsafeBytes(of: (surroundings.seed(), surroundings.seed())) {
            UUID(uuid: $0.loadUnaligned(as: uuid_t.self))
        }
    }

    private func perform(_ actions: [MeshSession.Action]) {
        for action in actions {
            switch action {
            case .dial(let number, let addresses): if leaving == nil { dial(number, addresses) }
            case .send(let number, let bytes): links[number]?.connection.send(bytes)
            case .pull(let number): links[number]?.connection.pull()
            case .hangUp(let number):
                guard let link = links.removeValue(forKey: number) else { continue }
                link.connection.happened = { _ in }
                link.connection.disconnect()
                // It may be the one that tells of this.
                network.loop.schedule(after: .zero) { withExtendedLifetime(link) {} }
            case .proveCode(let number, let salt): proveCode(number, salt)
            case .judgeCode(let number, let share, let confirm):
                let verdict = links[number]?.code?.judge(share: share, confirm: confirm)
                perform(session.codeJudged(verdict ?? .broken, for: number, now: now))
            case .report(let event): report(event)
            case .peer(let peer): if leaving == nil { tell(.peer(peer, of: session.links.peers)) }
            case .met(let event, let name): tell(.met(event: event, name: name))
            case .goOver(let event): soon { $0.goOver(event) }
            case .foundAnew: soon { $0.foundAnew() }
            case .ended(let node, let why): tell(.linkEnded(node: node, why: why))
            }
        }
    }

    // MARK: The event's code

    private func proveCode(_ number: Int, _ salt: [UInt8]) {
        guard let code = links[number]?.code else {
            return perform(session.codeShare(nil, for: number, now: now))
        }
        let recipe = code.recipe(for: salt)
        do throws(SystemError) {
            try surroundings.worker.perform(recipe) { [weak self] secret in
                self?.sayShare(secret, for: number)
            }
        } catch {
            sayShare(nil, for: number)
        }
    }

    private func sayShare(_ secret: CodeSecret?, for number: Int) {
        guard let link = links[number] else { return }
        let share = secret.flatMap { secret in
            link.connection.exportedKey().flatMap { link.code?.begin(secret, exporter: $0) }
        }
        perform(session.codeShare(share, for: number, now: now))
        arm()
    }

    // MARK: Time

    private func arm() {
        guard !isEnded, leaving == nil, let due = session.nextDeadline else { return }
        deadline = network.loop.schedule(at: max(due, network.loop.uptime)) { [unowned self] in
            perform(session.tick(now))
            if session.isForsaken { hearOfAnnounced() }
            changed()
            arm()
        }
    }
}

/// What a node of a mesh tells of others.
public enum MeshNews: Sendable, Equatable {
    /// One is in another state; and all that are known.
    case peer(MeshPeer, of: [MeshPeer])
    /// Another event is open, too.
    case met(event: UUID, name: String)
    /// Another event of this name was begun apart: this node has gone over to it.
    case wentOver
    /// Who had founded the event was gone before anybody here had his word for it: this node has founded another
    /// of its name.
    case foundedAnew
    /// A link has ended, or was not made; to whom, where that is known.
    case linkEnded(node: String?, why: String)
    /// Others cannot find this node by themselves for now.
    case announcementFailed(String)
}

extension DialFailure {
    fileprivate var words: String {
        switch self {
        case .trouble(let trouble): trouble.why
        case .refused(let refusal): "\(refusal)"
        case .violated(let what): what
        }
    }
}
