import BeamscribeCore
public import BeamscribeIO

/// In which order a host's addresses are tried.
public enum EndpointOrder {
    /// The addresses as endpoints: loopback first (it is this machine), then those that are valid
    /// beyond a link, then link-local ones, the families alternating within each (RFC 8305,
    /// section 4). Addresses found on container and virtual bridges are left out unless there is
    /// no other.
    public static func sorted(
        _ addresses: [ServiceInstance.Address], port: UInt16
    ) -> [Endpoint] {
        let real = addresses.filter { !InterfaceName.isVirtual($0.interface) }
        let usable = (real.isEmpty ? addresses : real).map(\.address)
        let groups = [
            usable.filter(\.isLoopback),
            usable.filter { !$0.isLoopback && !$0.isLinkLocal },
            usable.filter(\.isLinkLocal),
        ]
        var seen: Set<IPAddress> = []
        return groups.flatMap(alternating).filter { seen.insert($0).inserted }
            .map { Endpoint($0, port: port) }
    }

    private static func alternating(_ addresses: [IPAddress]) -> [IPAddress] {
        let six = addresses.filter { !$0.isIPv4 }
        let four = addresses.filter(\.isIPv4)
        return (0..<max(six.count, four.count)).flatMap { index in
            Array(four.dropFirst(index).prefix(1)) + Array(six.dropFirst(index).prefix(1))
        }
    }
}
