import BeamscribeCore

extension IPAddress {
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// The address itself where it is an IPv4 one that came as an IPv6 one (RFC 4291, section 2.5.5.2).
    public var withoutMapping: IPAddress {
        guard bytes.count == 16, bytes.starts(with: Self.mappedPrefix) else { return self }
        return IPAddress(bytes: Array(bytes[12...])) ?? self
    }

    /// What connections are counted by, as text: an IPv4 address, also where it came as an IPv6 one
    /// (RFC 4291, section 2.5.5.2), or the network of an IPv6 address, its first 64 bits.
    ///
    /// One machine may take as many of a network's 2^64 addresses as it likes (RFC 8981), so that
    /// what is counted by address is not counted at all. A link-local address counts as a whole, with
    /// its interface: all machines of all rooms have fe80::/64, and one of them must not close the
    /// door to all; whoever makes up more of those can be found on the link.
    public var rateSource: String {
        guard bytes.count == 16 else { return description }
        if bytes.starts(with: Self.mappedPrefix) { return withoutMapping.description }
        guard !isLinkLocal, !isLoopback else { return description }
        let network = Array(bytes[..<8]) + [UInt8](repeating: 0, count: 8)
        return (IPAddress(bytes: network)?.description ?? description) + "/64"
    }
}
