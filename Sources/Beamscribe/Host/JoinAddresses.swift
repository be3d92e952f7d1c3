import BeamscribeDiscovery
package import BeamscribeIO

/// The addresses that a guest can type.
package enum JoinAddresses {
    /// Where `listening` can be reached from other machines, the likeliest first: what a network
    /// gave before what a link gives, IPv4 before IPv6 (it is easier to type), never container
    /// and virtual bridges. Where there is no network, this machine's own loopback.
    package static func of(_ listening: [Endpoint], on interfaces: [Interfaces.Entry]) -> [Endpoint]
    {
        let named = listening.filter { !$0.address.isAny }
        let open = listening.filter { $0.address.isAny }
        let candidates = interfaces.filter { !InterfaceName.isVirtual($0.interface) }
            .map(\.address)
        let found = open.flatMap { endpoint in
            candidates.filter { $0.isIPv4 == endpoint.address.isIPv4 }
                .map { Endpoint($0, port: endpoint.port) }
        }
        let any = named + found
        let all = any.filter(\.address.isIPv4) + any.filter { !$0.address.isIPv4 }
        let remote = all.filter { !$0.address.isLoopback && !($0.address.isLinkLocal) }
        if !remote.isEmpty { return remote }
        let onLink = all.filter { !$0.address.isLoopback }
        return onLink.isEmpty ? Array(all.prefix(1)) : onLink
    }
}
