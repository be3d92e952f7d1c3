internal import CLinux
internal import Glibc

/// Sends one datagram to a multicast group on every interface that can carry it.
public enum MulticastSender {
    /// A group to send to, in both families.
    public struct Group: Sendable {
        /// The group's IPv4 address.
        public var ipv4: IPAddress
        /// The group's IPv6 address.
        public var ipv6: IPAddress
        /// The UDP port, sent to and from.
        public var port: UInt16

        /// A group by its addresses.
        public init(ipv4: IPAddress, ipv6: IPAddress, port: UInt16) {
            self.ipv4 = ipv4
            self.ipv6 = ipv6
            self.port = port
        }
    }

    /// Sends `packet` from the group's own port with a hop limit of 255, as mDNS wants it
    /// (RFC 6762, section 11), on each of `interfaces`.
    ///
    /// - Returns: on how many interfaces and families it went out.
    @discardableResult
    public static func send(_ packet: [UInt8], to group: Group, on interfaces: [UInt32]) -> Int {
        interfaces.reduce(0) { count, index in
            count + (sendIPv4(packet, to: group, on: index) ? 1 : 0)
                + (sendIPv6(packet, to: group, on: index) ? 1 : 0)
        }
    }

    private static func sendIPv4(_ packet: [UInt8], to group: Group, on index: UInt32) -> Bool {
        guard let socket = datagramSocket(AF_INET, Endpoint(.anyIPv4, port: group.port)) else {
            return false
        }
        var request = ip_mreqn()
        request.imr_ifindex = Int32(index)
        set(socket.number, Int32(IPPROTO_IP), IP_MULTICAST_IF, &request)
        var hops: Int32 = 255
        set(socket.number, Int32(IPPROTO_IP), IP_MULTICAST_TTL, &hops)
        return send(packet, to: Endpoint(group.ipv4, port: group.port), by: socket)
    }

    private static func sendIPv6(_ packet: [UInt8], to group: Group, on index: UInt32) -> Bool {
        guard let socket = datagramSocket(AF_INET6, Endpoint(.anyIPv6, port: group.port)) else {
            return false
        }
        var interface = Int32(index)
        set(socket.number, Int32(IPPROTO_IPV6), IPV6_MULTICAST_IF, &interface)
        var hops: Int32 = 255
        set(socket.number, Int32(IPPROTO_IPV6), IPV6_MULTICAST_HOPS, &hops)
        return send(packet, to: Endpoint(group.ipv6, port: group.port), by: socket)
    }

    /// A socket beside the ones that a daemon has on the same port, closed by its owner.
    private static func datagramSocket(_ family: Int32, _ local: Endpoint) -> Descriptor? {
        let type =
            Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            | Int32(SOCK_CLOEXEC.rawValue)
        let number = socket(family, type, 0)
        guard number >= 0 else { return nil }
        let descriptor = Descriptor(owning: number)
        var one: Int32 = 1
        set(number, SOL_SOCKET, SO_REUSEADDR, &one)
        set(number, SOL_SOCKET, SO_REUSEPORT, &one)
        if family == AF_INET6 { set(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &one) }
        guard local.withSocketAddress({ bind(number, $0, $1) }) == 0 else { return nil }
        return descriptor
    }

    private static func send(
        _ packet: [UInt8], to endpoint: Endpoint, by socket: borrowing Descriptor
    ) -> Bool {
        let number = socket.number
        return endpoint.withSocketAddress {
            sendto(number, packet, packet.count, 0, $0, $1)
        } == packet.count
    }

    private static func set<Value: BitwiseCopyable>(
        _ number: Int32, _ level: Int32, _ option: Int32, _ value: inout Value
    ) {
        setsockopt(number, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}
