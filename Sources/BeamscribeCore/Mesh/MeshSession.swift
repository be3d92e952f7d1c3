public import FoundationEssentials

/// One node of a mesh: its links to others, as far as they are dialled from here, and what goes over them,
/// without sockets, clocks or threads. Those that others dial are guests of a ``Room`` on the same ``Shelf`` and
/// ``Links``.
///
///     driver ---- heard, connected, received, tick ----> MeshSession ---- Action ----> driver
///     Room   ---- changed(now:) --------------------------^
///
/// Invariant: there is a ``NodeLink`` for each connection from here that stands, by the number by which
/// ``Links`` has it dialled.
public final class MeshSession {
    /// Who a node is.
    public struct Configuration: Sendable {
        /// The machine's name for people.
        public var deviceName: String
        /// The event's id.
        public var event: UUID
        /// The event's name.
        public var eventName = ""
        /// Whether this node has the event's code: it proves that, and links with nobody who asks for none.
        public var hasCode = false
        /// The protocol's times.
        public var timing = Timing()

        /// A node of an event without a code.
        public init(deviceName: String, event: UUID) {
            (self.deviceName, self.event) = (deviceName, event)
        }
    }

    /// What the driver is to do.
    public enum Action: Equatable {
        /// Connect to one of these addresses; report ``MeshSession/connected(_:as:now:)`` or
        /// ``MeshSession/disconnected(_:why:now:)`` by the number.
        case dial(Int, [String])
        case send(Int, [UInt8])
        /// The other side of a link asks for the event's code: report ``MeshSession/codeShare(_:for:now:)``.
        case proveCode(Int, salt: [UInt8])
        /// It has answered the share: report ``MeshSession/codeJudged(_:for:now:)``.
        case judgeCode(Int, share: [UInt8], confirm: [UInt8])
        /// There may be output for a link: ask for ``MeshSession/output(_:limit:)``.
        case pull(Int)
        /// Close a connection, or stop trying.
        case hangUp(Int)
        /// Something of a log for whoever reads here.
        case report(GuestEvent)
        /// A node is in another state.
        case peer(MeshPeer)
        /// Another node serves another event, of this name.
        case met(event: UUID, name: String)
        /// This event and another of its name were begun apart, and the other goes before: its id is lower.
        /// Sign one's own record for it, and call ``MeshSession/move(to:now:)``.
        case goOver(to: UUID)
        /// Nobody has the record of who has founded the event, without which nobody's words count in it: he is gone.
        /// Found another by one's own log, and call ``MeshSession/move(to:now:)``.
        case foundAnew
        /// A link has ended, and why.
        case ended(node: String?, why: String)
    }

    /// With whom there is to be a link.
    public let links: Links
    private var configuration: Configuration
    private let shelf: Shelf
    private var open: [Int: NodeLink] = [:]
    private var nodes: [Int: String] = [:]
    private var toldPeers: [Int: ToldPeers] = [:]
    /// Where links from here lead.
    private var addresses: [Int: [String]] = [:]
    /// By the addresses of those who have said that they take part in another event of this name,
    /// with a lower id, that event.
    private var strangers: [String: UUID] = [:]
    /// Links by which such an event is looked at: whether its founder has opened it.
    private var looks: [Int: (event: UUID, shelf: Shelf)] = [:]
    /// The event that the driver has been asked to go over to.
    private var wanted: UUID?
    private let crypto: any LogCrypto
    /// Where this node is to be found.
    private var place: Peers.Peer?
    private var lastTick: Duration?
    /// Since when this node takes part in an event whose founder's record has not come, and since when together
    /// with others who have not got it either.
    private var unfounded: (since: Duration, togetherSince: Duration?)?
    /// Whether nobody has brought it for so long that any other event of the name is better.
    package private(set) var isForsaken = false
    private var generator: SeededGenerator

    /// - Parameter node: its id, a lower-case UUID.
    public init(
        _ configuration: Configuration, of node: String, with shelf: Shelf,
        proving crypto: any LogCrypto, signing signer: any LogSigner, seed: UInt64
    ) {
        (self.configuration, self.shelf, self.crypto) = (configuration, shelf, crypto)
        links = Links(of: node, configuration.timing, signing: signer, seed: seed)
        generator = SeededGenerator(seed: seed &+ 1)
    }

    private var openInOrder: [(Int, NodeLink)] { open.sorted { $0.key < $1.key } }

    // MARK: Who is known

    /// A node of the event may be had there; without its id only the address is known.
    public func heard(of node: String?, at addresses: [String], now: Moment) -> [Action] {
        links.heard(of: node, at: addresses, now: now.uptime)
        return decide(now: now)
    }

    /// This node is to be found there, which others are told.
    public func serves(_ place: Peers.Peer, now: Moment) -> [Action] {
        self.place = place
        return tellPeers(now: now)
    }

    /// Says where this node is to be found, and others are, where that is news.
    private func tellPeers(now: Moment) -> [Action] {
        guard let place else { return [] }
        let known = [place] + links.known
        return openInOrder.flatMap { link, peer -> [Action] in
            guard let node = nodes[link],
                let news = toldPeers[link, default: ToldPeers()].news(
                    of: known, besides: node, now: now.uptime)
            else { return [] }
            return perform(peer.tell(Peers(news)), by: link, now: now)
        }
    }

    /// The nodes with whom there is a link and that have proved with whose key they write, by their ids.
    public var members: [MeshMember] {
        links.linked.compactMap { node, name, link in
            shelf.key(of: link).map { key in
                let labels = shelf.titles.filter { $0.writer == key }.map(\.label)
                return MeshMember(node: node, names: [name] + labels, key: key)
            }
        }.sorted { $0.node < $1.node }
    }

    // MARK: Connections

    /// A connection stands, as safe as it is meant to be.
    ///
    /// - Parameters:
    ///   - device: who this node is to the other.
    ///   - exporter: what only the two ends of the connection have (`EXPORTER-beamscribe-peer`); nil where there
    ///     is nothing of that kind.
    public func connected(
        _ link: Int, as device: UUID, over exporter: [UInt8]? = nil, now: Moment
    ) -> [Action] {
        var (event, shelf) = (configuration.event, shelf)
        if let other = takeStranger(at: addresses[link] ?? []) {
            (event, shelf) = (
                other, Shelf(joining: other, proving: crypto, order: EventOrder())
            )
            looks[link] = (event, shelf)
        }
        let own = NodeLink.Introduction(
            node: links.own, displayName: configuration.deviceName, event: event.wireName,
            hasCode: configuration.hasCode, port: place?.addresses.first?.port,
            signer: links.signer)
        let new = NodeLink(
            own, as: device, with: shelf, by: .dialled(link), configuration.timing,
            seed: generator.next(), now: now)
        open[link] = new
        return perform(new.begin(over: exporter, now: now), by: link, now: now)
    }

    private func takeStranger(at addresses: [String]) -> UUID? {
        let event = addresses.lazy.compactMap { self.strangers[$0] }.first
        for address in addresses { strangers[address] = nil }
        return event
    }

    /// A connection is gone, or was not made.
    public func disconnected(_ link: Int, why: String, now: Moment) -> [Action] {
        guard let gone = open[link] else {
            addresses[link] = nil
            return perform(links.ended(link, now: now.uptime), now: now)
                + [.ended(node: nil, why: why)] + decide(now: now)
        }
        return perform(gone.disconnected(why, now: now), by: link, now: now) + decide(now: now)
    }

    /// Bytes came in; none at the end of what came at once in pieces.
    public func received(
        _ bytes: UnsafeRawBufferPointer, by link: Int, isPiece: Bool = false, now: Moment
    ) -> [Action] {
        guard let from = open[link] else { return [] }
        let actions = from.received(bytes, isPiece: isPiece, now: now)
        return perform(actions, by: link, now: now) + (isPiece ? [] : changed(now: now))
            + goOver(by: link)
    }

    /// An event that was looked at may be one to go over to.
    private func goOver(by link: Int) -> [Action] {
        guard let look = looks[link], goesBefore(look.event), look.event != wanted,
            look.shelf.isOpenEvent(
                called: configuration.eventName, byWord: .dialled(link))
        else { return [] }
        wanted = look.event
        return [.goOver(to: look.event)]
    }

    /// Whether this node goes over to an event of the same name, where that is one.
    public func goesBefore(_ event: UUID) -> Bool {
        event.wireName < configuration.event.wireName
            || isForsaken && event != configuration.event
    }

    /// This node takes part in another event from now on. Whoever it had links with comes over as well, sooner
    /// or later.
    public func move(to event: UUID, now: Moment) -> [Action] {
        guard event != configuration.event else { return [] }
        let actions = openInOrder.flatMap { perform($1.close(now: now), by: $0, now: now) }
        configuration.event = event
        (strangers, looks, wanted) = ([:], [:], nil)
        (unfounded, isForsaken) = (nil, false)
        shelf.move(to: event)
        return actions + decide(now: now)
    }

    /// Something came, though nothing whole.
    public func heard(by link: Int, now: Moment) { open[link]?.heard(now: now) }

    /// The driver has made the share for a link's code; nil where that failed.
    public func codeShare(_ share: [UInt8]?, for link: Int, now: Moment) -> [Action] {
        perform(open[link]?.codeShare(share, now: now) ?? [], by: link, now: now)
    }

    /// The driver has judged the answer.
    public func codeJudged(
        _ verdict: GuestSession.CodeVerdict, for link: Int, now: Moment
    ) -> [Action] {
        perform(open[link]?.codeJudged(verdict, now: now) ?? [], by: link, now: now)
    }

    /// What is to be sent next by a link, at most about `limit` bytes; empty for nothing.
    public func output(_ link: Int, limit: Int) -> [UInt8] {
        open[link]?.output(limit: limit) ?? []
    }

    // MARK: What there is to be told

    /// Something was said here, or has come: whoever reads here is told, and the other sides of links.
    public func changed(now: Moment) -> [Action] {
        let told = shelf.takeUntold().map { Action.report($0) }
        let passed = openInOrder.flatMap { perform($1.passOn(now: now), by: $0, now: now) }
        // They may have come and gone in a room, too.
        return told + passed + perform(links.takeUnsaid(), now: now) + tellPeers(now: now)
    }

    private func perform(
        _ actions: [NodeLink.Action], by link: Int, now: Moment
    ) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .send(let bytes): return [.send(link, bytes)]
            case .pull: return [.pull(link)]
            case .proveCode(let salt): return [.proveCode(link, salt: salt)]
            case .judgeCode(let share, let confirm):
                return [.judgeCode(link, share: share, confirm: confirm)]
            // Of what is only looked at nobody is told.
            case .report(let event): return looks[link] == nil ? [.report(event)] : []
            case .hear(let peers):
                hear(peers, from: addresses[link]?.first ?? "", now: now)
                return decide(now: now)
            case .accepted(let welcome): return accepted(welcome, by: link, now: now)
            case .end(let end):
                open[link] = nil
                let node = nodes.removeValue(forKey: link)
                (toldPeers[link], looks[link]) = (nil, nil)
                note(end, of: link)
                addresses[link] = nil
                return [.hangUp(link)]
                    + perform(links.ended(link, now: now.uptime), now: now) + told(end, node)
            }
        }
    }

    private func accepted(_ welcome: NodeLink.Welcome, by link: Int, now: Moment) -> [Action] {
        guard open[link] != nil else { return [] }
        nodes[link] = welcome.node
        return perform(
            links.accepted(
                link, by: welcome.node, called: welcome.deviceName,
                as: (looks[link]?.shelf ?? shelf).key(of: .dialled(link)), now: now.uptime),
            now: now) + tellPeers(now: now)
    }

    /// Somebody may take part in an event to go over to.
    private func note(_ end: NodeLink.End, of link: Int) {
        guard case .anotherEvent(let event, let name) = end, let place = addresses[link],
            goesBefore(event), EventName.isSame(name, configuration.eventName)
        else { return }
        // Addresses that nobody answers at any more keep out no others.
        if strangers.count >= Limits.nodes,
            let other = strangers.keys.sorted().randomElement(using: &generator)
        {
            strangers[other] = nil
        }
        for address in place { strangers[address] = event }
    }

    private func told(_ end: NodeLink.End, _ node: String?) -> [Action] {
        switch end {
        case .refused(.duplicate): []
        case .anotherEvent(let event, let name): [.met(event: event, name: name)]
        default: [.ended(node: node, why: end.words)]
        }
    }

    /// - Parameter teller: the address that was dialled.
    private func hear(_ peers: Peers, from teller: String, now: Moment) {
        for peer in peers.peers.prefix(Limits.nodes) {
            guard let node = UUID(uuidString: peer.node) else { continue }
            links.told(of: node.wireName, at: peer.addresses, by: teller, now: now.uptime)
        }
    }

    private func perform(_ actions: [Links.Action], now: Moment) -> [Action] {
        actions.flatMap { action -> [Action] in
            switch action {
            case .dial(let link, let addresses): dial(link, addresses)
            case .hangUp(let link):
                open[link].map { perform($0.close(now: now), by: link, now: now) }
                    ?? [.hangUp(link)]
            case .report(let peer): [.peer(peer)]
            }
        }
    }

    private func dial(_ link: Int, _ addresses: [String]) -> [Action] {
        self.addresses[link] = addresses
        return [.dial(link, addresses)]
    }

    private func decide(now: Moment) -> [Action] {
        perform(links.tick(now: now.uptime), now: now)
    }

    // MARK: Time

    /// When ``tick(_:)`` is to be called next; nil for not before something happens.
    public var nextDeadline: Duration? {
        // How logs stand is looked at as often as a room does.
        let look = lastTick.map { $0 + configuration.timing.checkInterval }
        return (open.values.map(\.nextDeadline) + [links.nextDeadline, look]).compactMap(\.self)
            .min()
    }

    /// Time has passed.
    public func tick(_ now: Moment) -> [Action] {
        forgiveOwnAbsence(now: now.uptime)
        lastTick = now.uptime
        for case .event(let event) in shelf.tick(now: now) { shelf.leave(event) }
        return lookForFounder(now: now.uptime)
            + openInOrder.flatMap { perform($1.tick(now), by: $0, now: now) } + decide(now: now)
            + changed(now: now)
    }

    /// Who is alone has nothing to found an event for, and waits for its founder to be within reach again.
    private func lookForFounder(now: Duration) -> [Action] {
        guard !shelf.isFounded else {
            (unfounded, isForsaken) = (nil, false)
            return []
        }
        let since = unfounded?.since ?? now
        let together = links.linked.isEmpty ? nil : unfounded?.togetherSince ?? now
        unfounded = (since, together)
        isForsaken = now - since >= Limits.foundersRecord
        guard let together, now - together >= Limits.foundersRecord else { return [] }
        unfounded = nil
        return [.foundAnew]
    }

    /// A machine that was itself asleep has heard nobody, which says nothing about others.
    private func forgiveOwnAbsence(now: Duration) {
        guard let lastTick, now - lastTick > configuration.timing.checkInterval * 3 else { return }
        for link in open.values { link.forgiveSilence(now: now) }
        unfounded = nil
    }

    /// This node leaves: its links are closed, and no other is dialled.
    public func stop(now: Moment) -> [Action] {
        openInOrder.flatMap { perform($1.close(now: now), by: $0, now: now) }
    }
}
