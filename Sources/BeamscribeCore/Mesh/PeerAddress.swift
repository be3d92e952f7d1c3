/// An IP address and port as a node says it: `192.0.2.7:23267` or `[2001:db8::7]:23267`.
struct PeerAddress: Equatable {
    /// Where packets to an address can come to.
    enum Scope {
        /// This machine alone.
        case loopback
        /// The machines of one link.
        case link
        /// Any network, private ones included.
        case network
        /// No single machine: unspecified, multicast, broadcast and reserved addresses.
        case none
    }

    /// The address: IPv6 in brackets, as RFC 5952 writes it, and IPv4 in IPv6 as IPv4.
    let host: String
    /// The port; nil where none was read.
    let port: UInt16?
    /// The scope of the address.
    let scope: Scope
    /// Whether it is an IPv4 address, also one that is written as IPv6.
    let isIPv4: Bool

    /// Reads an address and a port above 0.
    ///
    /// - Returns: nil for a name, and for an address of one interface (`fe80::1%eth0`), which means
    ///   nothing on another machine.
    init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
            let port = UInt16(text[text.utf8.index(after: colon)...]), port > 0
        else { return nil }
        self.init(literal: text[..<colon], port: port)
    }

    /// Reads the address of a connection's other end, whose port and interface may follow.
    init?(host text: String) {
        let plain = text.split(separator: "%", maxSplits: 1).first ?? ""
        if plain.count < text.count {
            self.init(literal: plain.hasPrefix("[") ? plain + "]" : plain)
        } else if let colon = text.lastIndex(of: ":"), text.hasPrefix("[") || !plain.contains("::")
        {
            self.init(literal: text.hasSuffix("]") ? text[...] : text[..<colon])
        } else {
            self.init(literal: text[...])
        }
    }

    private init?(literal: Substring, port: UInt16? = nil) {
        self.port = port
        if literal.hasPrefix("["), literal.hasSuffix("]") {
            guard let groups = Self.groups(literal.dropFirst().dropLast()) else { return nil }
            if groups.prefix(5).allSatisfy({ $0 == 0 }), groups[5] == 0xffff {
                let address = UInt32(groups[6]) << 16 | UInt32(groups[7])
                (host, isIPv4, scope) = (Self.text(address), true, Self.scope(address))
            } else {
                (host, isIPv4, scope) = (Self.text(groups), false, Self.scope(groups))
            }
        } else {
            guard let address = Self.ipv4(literal) else { return nil }
            (host, isIPv4, scope) = (Self.text(address), true, Self.scope(address))
        }
    }

    /// The address and its port, in one spelling whatever spelling was read.
    var description: String { port.map { "\(host):\($0)" } ?? host }

    /// Whether somebody at another address can mean a node by it: an address of this machine or
    /// link says something only where the teller is on the same one.
    ///
    /// - Parameter teller: nil where the teller's address is unknown.
    func mayBeTold(from teller: PeerAddress?) -> Bool {
        switch scope {
        case .network: true
        case .loopback: teller?.scope == .loopback
        case .link: teller?.scope == .link && teller?.isIPv4 == isIPv4
        case .none: false
        }
    }

    // MARK: Writing

    private static func text(_ address: UInt32) -> String {
        [24, 16, 8, 0].map { String(address >> $0 & 0xff) }.joined(separator: ".")
    }

    /// The longest run of zeros, the first of several, becomes `::` (RFC 5952, section 4).
    private static func text(_ groups: [UInt16]) -> String {
        var longest = 0..<0
        var start = 0
        while start < groups.count {
            let end = groups[start...].firstIndex { $0 != 0 } ?? groups.count
            if end - start > max(longest.count, 1) { longest = start..<end }
            start = end + 1
        }
        func text(_ part: ArraySlice<UInt16>) -> String {
            part.map { String($0, radix: 16) }.joined(separator: ":")
        }
        guard !longest.isEmpty else { return "[\(text(groups[...]))]" }
        return "[\(text(groups[..<longest.lowerBound]))::\(text(groups[longest.upperBound...]))]"
    }

    // MARK: Reading

    private static func scope(_ address: UInt32) -> Scope {
        switch address >> 24 {
        case 127: .loopback
        case 0, 224...255: .none
        default: address >> 16 == 0xa9fe ? .link : .network
        }
    }

    private static func scope(_ groups: [UInt16]) -> Scope {
        if groups.dropLast().allSatisfy({ $0 == 0 }) {
            return groups[7] == 1 ? .loopback : .none
        }
        // IPv4-compatible and translated addresses lead to an IPv4 address that is not looked at
        // here.
        if groups.prefix(6).allSatisfy({ $0 == 0 }) || groups[0] == 0x64 && groups[1] == 0xff9b {
            return .none
        }
        if groups[0] == 0x2002 { return .none }
        if groups[0] & 0xffc0 == 0xfe80 || groups[0] & 0xffc0 == 0xfec0 { return .link }
        return groups[0] >> 8 == 0xff ? .none : .network
    }

    private static func ipv4(_ text: Substring) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var address: UInt32 = 0
        for part in parts {
            guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(isDigit),
                part.count == 1 || part.first != "0", let byte = UInt8(part)
            else { return nil }
            address = address << 8 | UInt32(byte)
        }
        return address
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    /// The eight groups of an IPv6 address (RFC 4291, section 2.2).
    private static func groups(_ text: Substring) -> [UInt16]? {
        guard text.utf8.count <= 45 else { return nil }
        var (front, back, hasGap): ([UInt16], [UInt16], Bool) = ([], [], false)
        var rest = text
        if rest.hasPrefix("::") {
            (hasGap, rest) = (true, rest.dropFirst(2))
        }
        while !rest.isEmpty {
            let word = rest.prefix { $0 != ":" }
            rest = rest.dropFirst(word.count)
            var values: [UInt16] = []
            if rest.isEmpty, word.contains(".") {
                guard let inner = ipv4(word) else { return nil }
                values = [UInt16(clamping: inner >> 16), UInt16(clamping: inner & 0xffff)]
            } else {
                guard (1...4).contains(word.utf8.count), !word.hasPrefix("+"), !word.hasPrefix("-"),
                    let value = UInt16(word, radix: 16)
                else { return nil }
                values = [value]
            }
            if hasGap { back += values } else { front += values }
            if rest.hasPrefix("::") {
                guard !hasGap else { return nil }
                (hasGap, rest) = (true, rest.dropFirst(2))
            } else if !rest.isEmpty {
                rest = rest.dropFirst()
                guard !rest.isEmpty else { return nil }
            }
        }
        let count = front.count + back.count
        guard hasGap ? count < 8 : count == 8 else { return nil }
        return front + Array(repeating: 0, count: 8 - count) + back
    }
}
