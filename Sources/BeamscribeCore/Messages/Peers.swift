/// Machines that serve the event for its host: hints, and no more. Whoever dials one knows it by what it
/// serves.
public struct Peers: Codable, Equatable, Sendable {
    /// At most ``Limits/nodes`` of them.
    public var peers: [Peer]
    /// How whoever says this serves a page for browsers, as a ``PageDoor``; nil where it does not.
    public var page: String?
    /// What that page's link carries, of an event with a code. All who have the code may read.
    public var link: String?

    /// One of them.
    public struct Peer: Codable, Equatable, Sendable {
        /// Its id, a lower-case UUID.
        public var node: String
        /// Where it listens, as `192.0.2.7:23267` or `[2001:db8::7]:23267`; at most
        /// ``Limits/addressesPerNode`` of them.
        public var addresses: [String]
        /// `relay` or `peer`.
        public var role: String
        /// How it serves a page for browsers, as a ``PageDoor``; nil where it does not, or where nobody
        /// is to be sent there.
        public var page: String?

        /// A machine that listens there.
        public init(node: String, addresses: [String], role: String, page: PageDoor? = nil) {
            (self.node, self.addresses, self.role) = (node, addresses, role)
            self.page = page?.description
        }

        /// Its page's origin; nil where it has none.
        public var origin: String? {
            guard let place = addresses.first else { return nil }
            return page.flatMap(PageDoor.init)?.origin(at: place)
        }
    }

    /// Those machines.
    public init(_ peers: [Peer]) { self.peers = peers }

    /// The pages for browsers: of whoever says this, who is heard at `place`, and of the others but one.
    public func origins(at place: String?, besides node: String?) -> [String] {
        let own = place.flatMap { place in page.flatMap(PageDoor.init)?.origin(at: place) }
        let others = peers.prefix(Limits.nodes).filter { $0.node != node }.compactMap(\.origin)
        var seen: Set<String> = []
        return ([own].compactMap(\.self) + others).filter { seen.insert($0).inserted }
            .prefix(Limits.otherPages).map(\.self)
    }

    /// What counts of this where not the event's host says it: browsers believe a page.
    var withoutPages: Peers {
        var rest = self
        rest.page = nil
        for index in rest.peers.indices { rest.peers[index].page = nil }
        return rest
    }

    /// All addresses that may be dialled on somebody's word, as far as anybody has to look at them.
    ///
    /// - Parameter teller: the address of whoever says this, a port may follow; nil where it is
    ///   unknown. Addresses of one machine or one link are believed on the same machine or link
    ///   alone.
    package func addresses(toldFrom teller: String?) -> [String] {
        let origin = teller.flatMap { PeerAddress(host: $0) }
        return peers.prefix(Limits.nodes).flatMap { $0.addresses.prefix(Limits.addressesPerNode) }
            .compactMap { PeerAddress($0) }.filter { $0.mayBeTold(from: origin) }
            .map(\.description)
    }
}

extension Peers.Peer {
    /// The same machine, of whose page nothing is said.
    var withoutPage: Self {
        var rest = self
        rest.page = nil
        return rest
    }

    /// What a host tells others of a guest that says that it serves the event: that it can be had where it
    /// comes from, and nowhere else. Nobody sends anybody to a third.
    ///
    /// - Parameter place: where the guest comes from, with its port.
    init?(_ said: Peers, at place: String) {
        guard let peer = said.peers.first, let port = peer.addresses.first?.port,
            let address = Self.address(at: port, of: place)
        else { return nil }
        self.init(
            node: SafeText.label(peer.node, bytes: Limits.labelBytes),
            addresses: [address], role: peer.role == "relay" ? "relay" : "peer",
            page: peer.page.flatMap(PageDoor.init))
    }

    /// The address of another port on the machine at `place`.
    ///
    /// - Returns: nil for an address of one link, which means nothing on another machine.
    static func address(at port: UInt16, of place: String) -> String? {
        let address = place.lastIndex(of: ":").map { place[..<$0] }
        return address.flatMap { $0.contains("%") ? nil : "\($0):\(port)" }
    }
}

extension String {
    /// The port behind the last colon; nil for none, and for 0.
    var port: UInt16? {
        lastIndex(of: ":").flatMap { UInt16(self[index(after: $0)...]) }.flatMap {
            $0 > 0 ? $0 : nil
        }
    }
}
