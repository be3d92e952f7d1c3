/// With which of a mesh's nodes there is to be a link, and who dials whom.
///
///     discovered -> connecting -> syncing -> stable
///                        ^           |         |
///                        '--- unstable        lost
///
/// Each node has a link with the four before it and the four behind it by the order of ids, where those of which
/// none has answered of late count for nothing; up to nine nodes that is a full mesh. The lower dials; the higher
/// does where it has waited for ``Limits/dialledByOther``. Nobody is ever given up: who was gone for an hour is
/// dialled again as one who was gone for a minute.
///
/// What others say of addresses is hearsay: it costs dials of its own limit, shared fairly among
/// those who say it, one address at a time, and changes neither pauses nor what is known from
/// elsewhere.
///
/// Invariant: with each node there is one link, and at most ``Limits/nodes`` are known. Of two links the one that
/// the lower has dialled stays, where it stands; of two that one side has dialled, the older; and whoever says the
/// id of one with whom there is a link, and does not prove the same key, changes nothing.
public final class Links {
    /// What is to be done.
    enum Action: Equatable {
        /// Connect from here, by this number.
        case dial(Int, [String])
        /// A connection from here is not wanted any more.
        case hangUp(Int)
        case report(MeshPeer)
    }

    /// This node's id, a lower-case UUID.
    public let own: String
    /// What it writes with.
    let signer: any LogSigner
    private let timing: Timing
    private var nodes: [Node] = []
    private var lastLink = 0
    private var generator: SeededGenerator
    /// Limits dials to addresses that were typed or discovered, or at which a node was met.
    private var ownDials = DialLimiter(Limits.dials)
    /// Limits dials to addresses of which only others have told.
    private var toldDials = DialLimiter(Limits.dialsByHearsay)
    private var toldAddresses = AddressPauses()
    /// In which turn each teller's hearsay was dialled last.
    private var turns: [String: Int] = [:]
    private var lastTurn = 0
    /// Connections of others that are not wanted any more.
    private var surplus: [ConnectionID] = []
    private var unsaid: [Action] = []

    private final class Node {
        /// Nil for one of which only an address is known.
        var id: String?
        /// With whose key whoever is at the link's other end writes, as he has proved.
        var key: Fingerprint?
        var name = ""
        /// Those that were typed or discovered, or at which it was met; the newest first.
        var addresses: [String]
        /// Those of which only others have told, or itself of its port.
        var told: [(address: String, teller: String)] = []
        /// Whether its address was typed.
        var isGiven = false
        /// Whether there was ever a link to it.
        var isMet = false
        /// A connection from here.
        var dialled: Dialled?
        /// One from there, which was let in.
        var accepted: (connection: ConnectionID, at: Duration)?
        /// The source of the link that it had last; nil before there was one.
        var source: String?
        /// The time for which its past links held, in all.
        var linkedFor = Duration.zero
        /// Since when there is no link.
        var linkless: Duration
        var retryAt: Duration
        var backoff = Backoff()
        /// Whether the last try to dial it has failed.
        var isFailing = false
        /// How it is while there is neither a link nor a try.
        var rest = MeshPeer.State.discovered
        /// The state that was reported last.
        var reported: MeshPeer.State?

        init(_ id: String?, at addresses: [String], now: Duration) {
            (self.id, self.addresses, linkless, retryAt) = (id, addresses, now, now)
        }

        var linkedAt: Duration? { dialled?.linkedAt ?? accepted?.at }
        var isLinked: Bool { linkedAt != nil }
        var hasAddress: Bool { !addresses.isEmpty || !told.isEmpty }
        /// Who has told of it, where nothing else is known of it.
        var onlyTeller: String? {
            isMet || !addresses.isEmpty || id == nil ? nil : told.first?.teller
        }
        /// The addresses that others are told of.
        var allAddresses: [String] {
            Array((addresses + told.map(\.address)).prefix(Limits.addressesPerNode))
        }
    }

    private struct Dialled {
        let link: Int
        /// The address of hearsay that is tried; nil for those of the node's own.
        var told: String?
        /// When the other side has let this node in; nil before.
        var linkedAt: Duration?
    }

    /// - Parameter seed: for the random part of pauses.
    public init(of own: String, _ timing: Timing, signing signer: any LogSigner, seed: UInt64) {
        (self.own, self.timing, self.signer) = (own, timing, signer)
        generator = SeededGenerator(seed: seed)
    }

    // MARK: Who is known

    /// A node may be had at addresses that were typed or discovered.
    ///
    /// - Parameter id: nil where only the address is known: a node that was met there is meant.
    func heard(of id: String?, at addresses: [String], now: Duration) {
        guard id != own, !addresses.isEmpty else { return }
        if let node = node(of: id, at: addresses) {
            node.isGiven = node.isGiven || id == nil
            let new = addresses.filter { !node.addresses.contains($0) }
            guard !new.isEmpty else { return }
            node.addresses = merged(new, node.addresses)
            node.told.removeAll { node.addresses.contains($0.address) }
            // News of it are a reason to try at once.
            if !node.isLinked, node.dialled == nil { node.retryAt = min(node.retryAt, now) }
            return
        }
        guard makeRoom(for: .discovered) else { return }
        let node = Node(id, at: Array(addresses.prefix(Limits.addressesPerNode)), now: now)
        node.isGiven = id == nil
        nodes.append(node)
        report(node, now)
    }

    /// Somebody says that a node may be had there. Such words never make anybody try again sooner.
    ///
    /// - Parameters:
    ///   - addresses: those that cannot be a node's are skipped; see
    ///     ``PeerAddress/mayBeTold(from:)``.
    ///   - teller: the address that this comes from.
    ///   - isOwnWord: the node itself says at which port of that address it listens.
    func told(
        of id: String, at addresses: [String], by teller: String, isOwnWord: Bool = false,
        now: Duration
    ) {
        let origin = PeerAddress(host: teller)
        let usable = addresses.prefix(Limits.addressesPerNode).compactMap { text -> String? in
            guard let address = PeerAddress(text) else { return isOwnWord ? text : nil }
            return isOwnWord || address.mayBeTold(from: origin) ? address.description : nil
        }
        guard id != own, !usable.isEmpty else { return }
        let group = origin?.host ?? teller
        if let node = nodes.first(where: { $0.id == id }) {
            for address in usable { add(address, by: group, to: node) }
            return
        }
        guard makeRoom(for: .hearsay(group)) else { return }
        let node = Node(id, at: [], now: now)
        for address in usable { add(address, by: group, to: node) }
        nodes.append(node)
        report(node, now)
    }

    /// An address that was not tried yet stays, whatever else is told; one that has failed makes
    /// room.
    private func add(_ address: String, by teller: String, to node: Node) {
        guard !node.addresses.contains(address),
            !node.told.contains(where: { $0.address == address })
        else { return }
        if node.addresses.count + node.told.count >= Limits.addressesPerNode {
            guard let failed = node.told.firstIndex(where: { toldAddresses.hasFailed($0.address) })
            else { return }
            node.told.remove(at: failed)
        }
        node.told.append((address, teller))
    }

    private func node(of id: String?, at addresses: [String]) -> Node? {
        if let id { return nodes.first { $0.id == id } }
        return nodes.first { !Set($0.addresses).isDisjoint(with: addresses) }
    }

    /// For whom there is to be room among those that are known.
    private enum Newcomer {
        /// Somebody else has told of him.
        case hearsay(String)
        /// He was discovered, or his address typed.
        case discovered
        /// He is here himself.
        case himself
    }

    /// - Returns: whether there is room for one more: where there was none, somebody who is not here gives way.
    private func makeRoom(for newcomer: Newcomer) -> Bool {
        guard nodes.count >= Limits.nodes else { return true }
        guard let index = absent(for: newcomer) else { return false }
        hangUp(nodes[index])
        nodes.remove(at: index)
        return true
    }

    /// The node without a link that is evicted for a newcomer: one that cannot be dialled, then one
    /// known by hearsay alone. Hearsay evicts no others. A discovered node also evicts one that
    /// failed to answer. A node that is here itself also evicts one that may yet answer.
    private func absent(for newcomer: Newcomer) -> Int? {
        let others = nodes.indices.filter { !nodes[$0].isLinked }
        if let index = others.first(where: { !nodes[$0].hasAddress && !nodes[$0].isMet }) {
            return index
        }
        if case .hearsay(let teller) = newcomer { return hearsay(givingWayTo: teller) }
        if let index = others.first(where: { !nodes[$0].hasAddress }) { return index }
        if let index = hearsay(givingWayTo: nil) { return index }
        let named = others.filter { nodes[$0].rest == .discovered && !nodes[$0].isMet }
        if let index = named.first(where: { nodes[$0].isFailing }) { return index }
        guard case .himself = newcomer else { return nil }
        return named.first ?? leastMissed(among: others)
    }

    /// One of the source with the most of them: the one whose links held for the shortest time.
    ///
    /// So a stranger who comes under ever new ids evicts those ids, and no node that took part.
    private func leastMissed(among met: [Int]) -> Int? {
        let counts = met.reduce(into: [:]) { $0[nodes[$1].source, default: 0] += 1 }
        func worth(_ index: Int) -> (Int, Duration, Duration) {
            let node = nodes[index]
            return (-counts[node.source, default: 0], node.linkedFor, node.linkless)
        }
        return met.min { worth($0) < worth($1) }
    }

    /// One of those of whom the teller who has named the most has told alone: one that has failed
    /// before others.
    ///
    /// - Parameter teller: who wants the place, and has named fewer; nil for somebody who needs no
    ///   teller.
    private func hearsay(givingWayTo teller: String?) -> Int? {
        let named = nodes.indices.filter { nodes[$0].onlyTeller != nil && !nodes[$0].isLinked }
        let counts = named.reduce(into: [String: Int]()) {
            $0[nodes[$1].onlyTeller ?? "", default: 0] += 1
        }
        guard let most = counts.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else {
            return nil
        }
        let theirs = named.filter { nodes[$0].onlyTeller == most.key }
        if let failed = theirs.first(where: { nodes[$0].isFailing && nodes[$0].dialled == nil }) {
            return failed
        }
        guard teller.map({ most.value > counts[$0, default: 0] + 1 }) ?? true else { return nil }
        return theirs.last
    }

    private func node(dialledBy link: Int) -> Node? {
        nodes.first { $0.dialled?.link == link }
    }

    // MARK: Whom to dial

    private var linkCount: Int { nodes.count { $0.isLinked } }

    /// Those with whom there is to be a link: neighbours among all, and among those who are known
    /// by more than hearsay, so that names that somebody has made up take nobody's place. Nodes
    /// whose address was typed are wanted, too, and those whose links held for the longest time:
    /// nobody surrounds a node by ids next to its own.
    private var wanted: [Node] {
        let all = nodes.filter { $0.id != nil }.sorted { $0.id! < $1.id! }
        guard all.count > 2 * Limits.neighbours else { return nodes }
        var chosen: [Node] = nodes.filter { $0.id == nil || $0.isGiven }
        let anchors = all.filter { $0.linkedFor >= timing.gate }
            .sorted { $0.linkedFor > $1.linkedFor }.prefix(Limits.neighbours)
        for node in anchors where !chosen.contains(where: { $0 === node }) { chosen.append(node) }
        choose(among: all.filter { $0.onlyTeller == nil }, &chosen)
        choose(among: all, &chosen)
        return chosen
    }

    /// - Parameter known: by their ids.
    private func choose(among known: [Node], _ chosen: inout [Node]) {
        let start = known.firstIndex { $0.id! > own } ?? known.count
        for step in [1, -1] {
            var (live, index) = (0, step > 0 ? start : start - 1)
            for _ in known.indices where live < Limits.neighbours {
                let node = known[(index + known.count) % known.count]
                if !chosen.contains(where: { $0 === node }) { chosen.append(node) }
                if node.isLinked || !node.isFailing && mayAnswer(node) { live += 1 }
                index = (index + step) % known.count
            }
        }
    }

    /// Whether it has an address of its own, or one of hearsay at which not everybody has failed.
    private func mayAnswer(_ node: Node) -> Bool {
        !node.addresses.isEmpty || node.told.contains { !toldAddresses.hasFailed($0.address) }
    }

    /// Whom to dial now.
    func tick(now: Duration) -> [Action] {
        let due = wanted.filter { isDue($0, now) }
        for (node, address) in inTurn(due, now) {
            guard toldDials.take(now: now) else { break }
            dial(node, at: address, now)
        }
        for node in due where node.dialled == nil && !node.addresses.isEmpty {
            guard ownDials.take(now: now) else { break }
            dial(node, at: nil, now)
        }
        for node in nodes {
            // A link that has held for that long begins the pauses anew.
            if let linked = node.linkedAt, now - linked >= timing.gate { node.backoff.reset() }
            report(node, now)
        }
        return takeUnsaid()
    }

    private func dial(_ node: Node, at told: String?, _ now: Duration) {
        lastLink += 1
        node.dialled = Dialled(link: lastLink, told: told)
        unsaid.append(.dial(lastLink, told.map { [$0] } ?? node.addresses))
        report(node, now)
    }

    /// The addresses of hearsay that are tried now, those of each teller in turn. Where there are
    /// addresses of another kind each third try goes to hearsay.
    private func inTurn(_ due: [Node], _ now: Duration) -> [(Node, String)] {
        var waiting: [String: [(Node, String)]] = [:]
        for node in due where node.addresses.isEmpty || node.backoff.attempts % 3 == 2 {
            guard let next = nextTold(of: node), toldAddresses.retryAt(next.address) <= now else {
                continue
            }
            waiting[next.teller, default: []].append((node, next.address))
        }
        turns = turns.filter { waiting[$0.key] != nil }
        var (chosen, taken): ([(Node, String)], Set<String>) = ([], [])
        // More than a burst is dialled at no time.
        while !waiting.isEmpty, chosen.count < Limits.dialsByHearsay.burst {
            let teller = waiting.keys.min {
                (turns[$0, default: 0], $0) < (turns[$1, default: 0], $1)
            }!
            let (node, address) = waiting[teller]!.removeFirst()
            if waiting[teller]!.isEmpty { waiting[teller] = nil }
            // Of two names at one address the other has its turn later.
            guard taken.insert(address).inserted else { continue }
            lastTurn += 1
            turns[teller] = lastTurn
            chosen.append((node, address))
        }
        return chosen
    }

    /// The address of hearsay that is tried next: one that has not failed before others.
    private func nextTold(of node: Node) -> (address: String, teller: String)? {
        node.told.min { toldAddresses.retryAt($0.address) < toldAddresses.retryAt($1.address) }
    }

    private func isDue(_ node: Node, _ now: Duration) -> Bool {
        guard node.dialled == nil, !node.isLinked, node.retryAt <= now, node.hasAddress
        else { return false }
        return isToDial(node) || now - node.linkless >= Limits.dialledByOther
    }

    private func isToDial(_ node: Node) -> Bool { node.id.map { own < $0 } ?? true }

    /// When ``tick(now:)`` is to be called next.
    var nextDeadline: Duration? {
        wanted.compactMap { node in
            if let linked = node.linkedAt {
                return node.reported == .stable ? nil : linked + timing.gate
            }
            guard node.dialled == nil, node.hasAddress else { return nil }
            let due =
                isToDial(node)
                ? node.retryAt : max(node.retryAt, node.linkless + Limits.dialledByOther)
            guard node.addresses.isEmpty else { return max(due, ownDials.next) }
            let address = nextTold(of: node).map { toldAddresses.retryAt($0.address) } ?? .zero
            return max(due, address, toldDials.next)
        }.min()
    }

    // MARK: Connections from here

    /// A connection from here is gone, or was not made.
    ///
    /// - Parameter isOwn: it leads to this node itself.
    func ended(_ link: Int, isOwn: Bool = false, now: Duration) -> [Action] {
        guard let node = node(dialledBy: link) else { return takeUnsaid() }
        let wasLinked = node.dialled?.linkedAt
        if let told = node.dialled?.told, wasLinked == nil {
            toldAddresses.failed(told, now: now, using: &generator)
        }
        node.dialled = nil
        node.isFailing = wasLinked == nil && node.accepted == nil
        if isOwn { nodes.removeAll { $0 === node } }
        unlinked(node, since: wasLinked, now)
        return takeUnsaid()
    }

    private func unlinked(_ node: Node, since linkedAt: Duration?, _ now: Duration) {
        if !node.isLinked {
            if let linkedAt {
                node.linkless = now
                node.linkedFor += now - linkedAt
                node.rest = now - linkedAt < timing.unstableWithin ? .unstable : .lost
            }
            if node.dialled == nil {
                node.retryAt = now + node.backoff.next(using: &generator)
            }
        }
        report(node, now)
    }

    /// The other side has let this node in, and has said who it is.
    ///
    /// - Parameter key: with whose key it has proved to write; nil for nobody's.
    func accepted(
        _ link: Int, by id: String, called name: String, as key: Fingerprint? = nil, now: Duration
    ) -> [Action] {
        guard let node = node(dialledBy: link) else {
            unsaid.append(.hangUp(link))
            return takeUnsaid()
        }
        guard id != own else {
            unsaid.append(.hangUp(link))
            nodes.removeAll { $0 === node }
            return takeUnsaid()
        }
        let known = identify(node, as: id, now)
        guard known.dialled?.link == link || known.dialled == nil else {
            // It is known by another address, and is being dialled there.
            unsaid.append(.hangUp(link))
            return takeUnsaid()
        }
        known.isFailing = false
        guard known.accepted == nil || known.key == key else {
            hangUp(known)
            return takeUnsaid()
        }
        let address = known.dialled?.told ?? known.addresses.first
        known.source = address.flatMap { PeerAddress(host: $0)?.host } ?? address
        if let told = known.dialled?.told { isMet(known, at: told) }
        (known.dialled, known.isMet) = (Dialled(link: link, linkedAt: now), true)
        (known.name, known.key) = (name, key)
        if let other = known.accepted {
            if own < id {
                surplus.append(other.connection)
                known.accepted = nil
            } else {
                hangUp(known)
            }
        }
        report(known, now)
        return takeUnsaid()
    }

    /// Where a node was met it is dialled as one that was discovered there.
    private func isMet(_ node: Node, at address: String) {
        toldAddresses.answered(address)
        node.told.removeAll { $0.address == address }
        node.addresses = merged([address], node.addresses)
    }

    private func hangUp(_ node: Node) {
        if let dialled = node.dialled { unsaid.append(.hangUp(dialled.link)) }
        node.dialled = nil
    }

    /// Whoever answers at an address may be known by others.
    private func identify(_ node: Node, as id: String, _ now: Duration) -> Node {
        guard node.id != id else { return node }
        let other = nodes.first { $0.id == id }
        let told = node.dialled?.told
        guard node.id == nil else {
            // Another answers where a node was: it is to be looked for elsewhere.
            let new = other ?? Node(id, at: told == nil ? node.addresses : [], now: node.linkless)
            if new.dialled == nil { new.dialled = node.dialled }
            if new === other, told == nil { new.addresses = merged(node.addresses, new.addresses) }
            node.dialled = nil
            if let told { node.told.removeAll { $0.address == told } } else { node.addresses = [] }
            report(node, now)
            if other == nil, makeRoom(for: .himself) { nodes.append(new) }
            return new
        }
        guard let other else {
            node.id = id
            return node
        }
        other.addresses = merged(node.addresses, other.addresses)
        if other.dialled == nil { other.dialled = node.dialled }
        nodes.removeAll { $0 === node }
        return other
    }

    private func merged(_ first: [String], _ second: [String]) -> [String] {
        Array((first + second.filter { !first.contains($0) }).prefix(Limits.addressesPerNode))
    }

    // MARK: Connections from others

    /// A node has said who it is.
    ///
    /// - Parameter key: with whose key it has proved to write; nil for nobody's.
    /// - Returns: why it is not let in; nil where it is.
    func refusal(of id: String, as key: Fingerprint? = nil) -> HandshakeResponse.Reason? {
        if id == own { return .duplicate }
        guard let node = nodes.first(where: { $0.id == id }) else {
            let hasRoom = nodes.count < Limits.nodes || absent(for: .himself) != nil
            return linkCount < Limits.links && hasRoom ? nil : .full
        }
        if node.accepted != nil { return .duplicate }
        if node.dialled?.linkedAt != nil { return own < id || node.key != key ? .duplicate : nil }
        if linkCount < Limits.links { return nil }
        return wanted.contains { $0 === node } ? nil : .full
    }

    /// It was let in.
    ///
    /// - Parameter source: what is held against whoever connects from there; nil for nothing.
    func accept(
        _ id: String, called name: String, as key: Fingerprint? = nil, by connection: ConnectionID,
        from source: String? = nil, now: Duration
    ) {
        let node =
            nodes.first { $0.id == id }
            ?? {
                let node = Node(id, at: [], now: now)
                if makeRoom(for: .himself) { nodes.append(node) }
                return node
            }()
        (node.accepted, node.isMet, node.source) = ((connection, now), true, source)
        (node.name, node.key, node.isFailing) = (name, key, false)
        // What the lower has dialled stays; what is only under way from here is decided when it stands.
        if own > id, node.dialled != nil { hangUp(node) }
        report(node, now)
    }

    /// Its connection is gone.
    func left(_ connection: ConnectionID, now: Duration) {
        guard let node = nodes.first(where: { $0.accepted?.connection == connection }) else {
            return
        }
        let since = node.accepted?.at
        node.accepted = nil
        unlinked(node, since: since, now)
    }

    /// Connections of others that have given way to one from here.
    func takeSurplus() -> [ConnectionID] {
        defer { surplus = [] }
        return surplus
    }

    // MARK: What there is to see

    /// Something was decided while others came or went.
    func takeUnsaid() -> [Action] {
        defer { unsaid = [] }
        return unsaid
    }

    private func report(_ node: Node, _ now: Duration) {
        let state = self.state(of: node, now)
        guard let id = node.id, state != node.reported else { return }
        node.reported = state
        unsaid.append(.report(MeshPeer(node: id, name: node.name, state: state)))
    }

    private func state(of node: Node, _ now: Duration) -> MeshPeer.State {
        if let linkedAt = node.linkedAt { return now - linkedAt < timing.gate ? .syncing : .stable }
        return node.dialled == nil ? node.rest : .connecting
    }

    /// By what the nodes with whom there is a link are known to a shelf.
    var linked: [(node: String, name: String, link: Shelf.Link)] {
        nodes.compactMap { node in
            guard let id = node.id, node.isLinked else { return nil }
            if let dialled = node.dialled, dialled.linkedAt != nil {
                return (id, node.name, .dialled(dialled.link))
            }
            return node.accepted.map { (id, node.name, .guest($0.connection)) }
        }
    }

    /// Those with whom there is a link, as others are told of them.
    var known: [Peers.Peer] {
        nodes.compactMap { node in
            guard let id = node.id, node.isLinked, node.hasAddress else { return nil }
            return Peers.Peer(node: id, addresses: node.allAddresses, role: "peer")
        }
    }

    /// All nodes that are known, by their ids.
    public var peers: [MeshPeer] {
        nodes.compactMap { node in
            node.id.map { MeshPeer(node: $0, name: node.name, state: node.reported ?? .discovered) }
        }.sorted { $0.node < $1.node }
    }
}
