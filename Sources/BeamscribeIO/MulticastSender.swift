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

    /// Sends `packet` from the group's own port on each of `interfaces`, by each family that leaves
    /// there.
    public static func send(_ packet: [UInt8], to group: Group, on interfaces: [UInt32]) {
        for index in interfaces {
            for address in [group.ipv4, group.ipv6] {
                let endpoint = Endpoint(address, port: group.port)
                try? MulticastSocket.open(group: endpoint, on: index).send(packet)
            }
        }
    }
}
