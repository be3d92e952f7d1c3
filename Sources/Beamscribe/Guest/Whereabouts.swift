import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// What a guest knows of where its event is to be had.
struct Whereabouts {
    /// What the guest was started with.
    private var given: [Endpoint]
    /// Whether a user has said where that is: it may be anybody who has the event.
    private let isGivenByUser: Bool
    private var found: [Endpoint] = []
    /// Machines that hold the event for its host; the one that was last read from comes last.
    private var holders: [Endpoint] = []
    /// Those of them that announce it.
    private var announced: [Endpoint]
    /// Those that the host, or another, has told of.
    private var heard: [Endpoint] = []
    /// The number of tries since a machine that holds the event last served this guest, by address:
    /// one address can announce any number of ports.
    private var vainTries: [IPAddress: Int] = [:]
    private var lastGood: Endpoint?
    /// Where the connection leads that was made last.
    private var last: Endpoint?
    /// Whether the host has no place, so that others are to be read from for as long as they are there.
    private var isHostFull = false
    /// Where the host takes channels over Bluetooth.
    private(set) var channels: [ChannelEndpoint]
    /// Whether a server keeps the event.
    private let hasBackbone: Bool

    init(of target: GuestConfiguration.Target, hasBackbone: Bool = false) {
        self.hasBackbone = hasBackbone
        switch target {
        case .endpoints(let endpoints, _):
            (given, isGivenByUser, announced, channels) = (endpoints, true, [], [])
        case .host(let host):
            (given, isGivenByUser) = (host.endpoints, false)
            (announced, channels) = (host.holders, host.channels)
        }
        _ = renewHolders()
    }

    /// Where the host was reached last.
    var host: Endpoint? { lastGood }

    /// Where to try, each once, the likeliest first.
    var endpoints: [Endpoint] { isHostFull ? [] : waysToHost }

    private var waysToHost: [Endpoint] {
        var seen: Set<Endpoint> = []
        return ([lastGood].compactMap(\.self) + found + given)
            .filter { seen.insert($0).inserted }
    }

    /// The ways to try if the host is not there, with a few of the machines that hold the event: the
    /// host may be back before all have had their turn.
    func fallbacks(withChannels: Bool) -> [Destination] {
        nextHolders.prefix(Limits.holdersTried).map { .network($0) }
            + (hasBackbone ? [.backbone] : [])
            + (withChannels ? channels.map { .channel($0) } : [])
    }

    /// The holders with the fewest tries first, one of each address before the others.
    private var nextHolders: [Endpoint] {
        let tries = holders.map { vainTries[$0.address, default: 0] }
        return Set(tries).sorted().flatMap { count in
            Self.fairly(zip(holders, tries).filter { $0.1 == count }.map(\.0))
        }
    }

    /// A machine that holds the event did not serve this guest.
    mutating func tried(_ destination: Destination) {
        guard case .network(let endpoint) = destination, holders.contains(endpoint) else { return }
        vainTries[endpoint.address, default: 0] += 1
        rotate(endpoint)
    }

    /// The last connection serves this guest.
    mutating func isServed() { last.map { vainTries[$0.address] = nil } }

    private mutating func rotate(_ endpoint: Endpoint) {
        guard let index = holders.firstIndex(of: endpoint) else { return }
        holders.append(holders.remove(at: index))
    }

    /// Who may be there.
    func way(to destination: Destination) -> HostTrust.Way {
        if destination == .backbone { return .backbone }
        guard case .network(let endpoint) = destination else { return .host }
        if holders.contains(endpoint) { return .holder }
        return isGivenByUser && given.contains(endpoint) ? .address : .host
    }

    /// A connection was made.
    ///
    /// - Parameter isHost: whether nothing speaks against it that the event's host is there.
    mutating func led(to destination: Destination, isHost: Bool) {
        guard case .network(let endpoint) = destination else { return last = nil }
        last = endpoint
        if holders.contains(endpoint) {
            // Of several each has its turn: one may be behind, or lie.
            tried(destination)
        } else if isHost {
            lastGood = endpoint
        }
    }

    /// Whoever the connection leads to serves the event for its host. He is not tried before the host: he
    /// may always answer first, and have nothing that can be believed.
    mutating func ledToHolder() { if lastGood == last { lastGood = nil } }

    /// The host has no place, and says who serves its event, too. That holds for the next connection.
    mutating func hostIsFull() { isHostFull = !holders.isEmpty }

    /// There is no connection any more, or there was none to be had: the host may have a place.
    mutating func connectionEnded() { isHostFull = false }

    /// What is new of where the event is to be had.
    struct News {
        var destinations: [Destination] = []
        /// Those who hold it for its host.
        var fallbacks: [Destination] = []
        var isEmpty: Bool { destinations.isEmpty && fallbacks.isEmpty }
    }

    /// The host was found, or several that may be it, and those who hold its event.
    ///
    /// - Parameter isOwn: whether this guest itself listens there.
    mutating func take(_ hosts: [DiscoveredHost], isOwn: (Endpoint) -> Bool) -> News {
        let (oldEndpoints, oldChannels) = (waysToHost, channels)
        found = Array(hosts.flatMap(\.endpoints).prefix(Limits.waysToHost))
        let inReach = hosts.flatMap(\.channels)
        // A channel stays known while nothing newer is heard: nobody listens while there is one.
        if !inReach.isEmpty { channels = inReach }
        announced = hosts.flatMap(\.holders).filter { !isOwn($0) }
        return News(
            destinations: found.filter { !isHostFull && !oldEndpoints.contains($0) }.map {
                .network($0)
            } + inReach.filter { !oldChannels.contains($0) }.map { .channel($0) },
            fallbacks: renewHolders())
    }

    /// Whoever serves the guest knows these machines that hold the event, too.
    mutating func hear(of peers: Peers, isOwn: (Endpoint) -> Bool) {
        heard = peers.addresses(toldFrom: last.map { "\($0)" }).compactMap { Endpoint($0) }
            .filter { !isOwn($0) }
        _ = renewHolders()
    }

    /// - Returns: who is new.
    private mutating func renewHolders() -> [Destination] {
        var seen: Set<Endpoint> = []
        let all = Self.fairly((announced + heard).filter { seen.insert($0).inserted })
            .prefix(Limits.nodes)
        let new = all.filter { !holders.contains($0) }
        holders = holders.filter(all.contains) + new
        vainTries = vainTries.filter { address, _ in
            holders.contains { $0.address == address }
        }
        return new.map { .network($0) }
    }

    /// One of each address, then another of each, and so on.
    private static func fairly(_ endpoints: [Endpoint]) -> [Endpoint] {
        Fairness.inTurn(endpoints, by: \.address)
    }
}
