import BeamscribeCore
internal import CLinux
internal import Glibc

/// A UDP socket on a multicast group's port, beside those that other programs have there.
final class MulticastSocket {
    private let descriptor: Descriptor
    private let group: Endpoint
    private let index: UInt32

    var number: Int32 { descriptor.number }

    /// Opens a socket at the group's port.
    ///
    /// - Parameters:
    ///   - group: the group's address and port.
    ///   - index: the interface that it sends on.
    init(group: Endpoint, on index: UInt32) throws(SystemError) {
        let isIPv4 = group.address.isIPv4
        (self.group, self.index) = (group, index)
        descriptor = try .socket(
            "make a socket for", "\(group)", isIPv4 ? AF_INET : AF_INET6, SOCK_DGRAM)
        try set(SOL_SOCKET, SO_REUSEADDR, Int32(1))
        try set(SOL_SOCKET, SO_REUSEPORT, Int32(1))
        if !isIPv4 { try set(Self.ipv6, IPV6_V6ONLY, Int32(1)) }
        let (local, number) = (Endpoint(isIPv4 ? .anyIPv4 : .anyIPv6, port: group.port), number)
        try system("use", "UDP port \(group.port)") {
            local.withSocketAddress { bind(number, $0, $1) }
        }
        try choose(isIPv4: isIPv4)
    }

    /// The interface to send on, that this machine hears it too, and the hop limit of mDNS (RFC 6762,
    /// section 11).
    private func choose(isIPv4: Bool) throws(SystemError) {
        if isIPv4 {
            try set(Self.ipv4, IP_MULTICAST_IF, request)
            try set(Self.ipv4, IP_MULTICAST_LOOP, Int32(1))
            try set(Self.ipv4, IP_MULTICAST_TTL, Int32(255))
        } else {
            try set(Self.ipv6, IPV6_MULTICAST_IF, Int32(bitPattern: index))
            try set(Self.ipv6, IPV6_MULTICAST_LOOP, Int32(1))
            try set(Self.ipv6, IPV6_MULTICAST_HOPS, Int32(255))
        }
    }

    /// Begins to receive what is sent to the group on the interface.
    func join() throws(SystemError) {
        if group.address.isIPv4 {
            try set(Self.ipv4, IP_ADD_MEMBERSHIP, request)
        } else {
            var request = ipv6_mreq()
            request.ipv6mr_interface = index
            withUnsafeMutableBytes(of: &request.ipv6mr_multiaddr) {
                $0.copyBytes(from: group.address.bytes)
            }
            try system("join", "\(group)") {
                descriptor.set(Self.ipv6, IPV6_JOIN_GROUP, request)
            }
        }
    }

    func send(_ packet: [UInt8]) throws(SystemError) {
        try system("send to", "\(group)") {
            group.withSocketAddress {
                sendto(descriptor.number, packet, packet.count, 0, $0, $1)
            }
        }
    }

    /// The next packet that waits; nil if none does.
    func receive() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 9_000)
        let count = recv(descriptor.number, &buffer, buffer.count, 0)
        return count >= 0 ? Array(buffer.prefix(count)) : nil
    }

    private var request: ip_mreqn {
        var request = ip_mreqn()
        request.imr_ifindex = Int32(bitPattern: index)
        withUnsafeMutableBytes(of: &request.imr_multiaddr) {
            $0.copyBytes(from: group.address.bytes)
        }
        return request
    }

    private func set<Value: BitwiseCopyable>(
        _ level: Int32, _ option: Int32, _ value: Value
    ) throws(SystemError) {
        try system("set up a socket for", "\(group)") { descriptor.set(level, option, value) }
    }

    private static let ipv4 = Int32(clamping: IPPROTO_IP)
    private static let ipv6 = Int32(clamping: IPPROTO_IPV6)
}
