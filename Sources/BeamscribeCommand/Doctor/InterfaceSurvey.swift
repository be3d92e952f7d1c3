import BeamscribeDiscovery
import BeamscribeIO

/// The machine's interfaces, sorted by what they are to beamscribe. Those of the machine itself
/// and those without an address are nothing to it.
struct InterfaceSurvey: Equatable, Sendable {
    /// Those that lead to a network of people.
    let networks: [NetworkInterface]
    /// Those that lead to containers and virtual machines.
    let containers: [NetworkInterface]
    /// Those that lead through a tunnel to another network.
    let tunnels: [NetworkInterface]
    /// Those that could lead to a network and have no carrier or no address.
    let unconnected: [NetworkInterface]

    init(_ interfaces: [NetworkInterface]) {
        let outer = interfaces.filter { $0.isUp && !$0.isLoopback }
        let isContainers = { (one: NetworkInterface) in InterfaceName.isVirtual(one.name) }
        let isTunnel = { (one: NetworkInterface) in
            InterfaceName.isVPN(one.name) || one.isPointToPoint
        }
        containers = outer.filter { isContainers($0) && !$0.addresses.isEmpty }
        tunnels = outer.filter { !isContainers($0) && isTunnel($0) && !$0.addresses.isEmpty }
        let others = outer.filter { !isContainers($0) && !isTunnel($0) }
        networks = others.filter { $0.hasCarrier && !$0.addresses.isEmpty }
        unconnected = others.filter { !$0.hasCarrier || $0.addresses.isEmpty }
    }

    var addresses: [IPAddress] { networks.flatMap(\.addresses) }

    /// The address to keep a host to: one that guests can type.
    var likeliest: IPAddress? {
        let lasting = addresses.filter { !$0.isLinkLocal }
        return lasting.first(where: \.isIPv4) ?? lasting.first ?? addresses.first
    }
}
