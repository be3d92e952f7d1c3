/// Machines that serve the event for its host: hints, and no more. Whoever dials one knows it by what it
/// serves.
public struct Peers: Codable, Equatable, Sendable {
    /// At most ``Limits/nodes`` of them.
    public var peers: [Peer]

    /// One of them.
    public struct Peer: Codable, Equatable, Sendable {
        /// Its id, a lower-case UUID.
        public var node: String
        /// Where it listens, as `192.0.2.7:23267` or `[2001:db8::7]:23267`; at most
        /// ``Limits/addressesPerNode`` of them.
        public var addresses: [String]
        /// `relay` or `peer`.
        public var role: String

        /// A machine that listens there.
        public init(node: String, addresses: [String], role: String) {
            (self.node, self.addresses, self.role) = (node, addresses, role)
        }
    }

    /// Those machines.
    public init(_ peers: [Peer]) { self.peers = peers }

    /// All addresses, as far as anybody has to look at them.
    public var addresses: [String] {
        peers.prefix(Limits.nodes).flatMap { $0.addresses.prefix(Limits.addressesPerNode) }
    }
}

extension Peers.Peer {
    /// What a host tells others of a guest that says that it serves the event: that it can be had where it
    /// comes from, and nowhere else. Nobody sends anybody to a third.
    ///
    /// - Parameter place: where the guest comes from, with its port.
    init?(_ said: Peers, at place: String) {
        guard let peer = said.peers.first, let port = peer.addresses.first?.port,
            let address = place.lastIndex(of: ":").map({ place[..<$0] }),
            // An address of one link means nothing on another machine.
            !address.contains("%")
        else { return nil }
        self.init(
            node: SafeText.label(peer.node, bytes: Limits.labelBytes),
            addresses: ["\(address):\(port)"], role: peer.role == "relay" ? "relay" : "peer")
    }
}

extension String {
    /// The port behind the last colon.
    fileprivate var port: UInt16? {
        lastIndex(of: ":").flatMap { UInt16(self[index(after: $0)...]) }.flatMap {
            $0 > 0 ? $0 : nil
        }
    }
}
