import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// What a guest knows of where its host is.
struct Whereabouts {
    /// What the guest was started with.
    private var given: [Endpoint]
    private var found: [Endpoint] = []
    private var lastGood: Endpoint?
    /// Where the host takes channels over Bluetooth.
    private(set) var channels: [ChannelEndpoint]

    init(of target: GuestConfiguration.Target) {
        switch target {
        case .endpoints(let endpoints, _): (given, channels) = (endpoints, [])
        case .host(let host): (given, channels) = (host.endpoints, host.channels)
        }
    }

    /// Where to try, each once, the likeliest first.
    var endpoints: [Endpoint] {
        var seen: Set<Endpoint> = []
        return ([lastGood].compactMap(\.self) + found + given)
            .filter { seen.insert($0).inserted }
    }

    /// A connection was made.
    mutating func led(to destination: Destination) {
        if case .network(let endpoint) = destination { lastGood = endpoint }
    }

    /// The host was found, or several that may be it, and what is new of them.
    mutating func take(_ hosts: [DiscoveredHost]) -> [Destination] {
        let (oldEndpoints, oldChannels) = (endpoints, channels)
        found = Array(hosts.flatMap(\.endpoints).prefix(Limits.waysToHost))
        let heard = hosts.flatMap(\.channels)
        // A channel stays known while nothing newer is heard: nobody listens while there is one.
        if !heard.isEmpty { channels = heard }
        return found.filter { !oldEndpoints.contains($0) }.map { .network($0) }
            + heard.filter { !oldChannels.contains($0) }.map { .channel($0) }
    }
}
