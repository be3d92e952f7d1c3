extension IPAddress {
    private static let mappedPrefix = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

    /// What a machine's connections are counted by: its address, an IPv4 address also where it
    /// came as an IPv6 one (RFC 4291, section 2.5.5.2).
    ///
    /// Not an IPv6 address's network: the machines of a room share that, and one of them must not
    /// close the door to all.
    public var rateSource: String {
        guard bytes.count == 16, bytes.starts(with: Self.mappedPrefix),
            let mapped = IPAddress(bytes: Array(bytes[12...]))
        else { return description }
        return mapped.description
    }
}
