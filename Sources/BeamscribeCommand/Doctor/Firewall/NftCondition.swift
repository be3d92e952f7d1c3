import BeamscribeCore
import BeamscribeIO

/// A condition of a rule in nftables' JSON (libnftables-json(5)): `left op right`.
struct NftCondition {
    let left: JSONValue
    let operation: String
    let right: JSONValue
    /// The elements of a named set.
    let elements: (String) -> [JSONValue]?
    let packet: FirewallPacket

    /// Whether the condition holds for the packet.
    var holds: RuleMatch {
        switch operation {
        case "==", "in": isEqual
        case "!=": isEqual.inverted
        default: .perhaps
        }
    }

    private var isEqual: RuleMatch {
        guard let (kind, value) = left.only else { return .perhaps }
        switch kind {
        case "meta": return meta(value["key"]?.string ?? "")
        case "payload":
            return payload(value["protocol"]?.string ?? "", value["field"]?.string ?? "")
        // A first packet belongs to no connection yet.
        case "ct" where value["key"]?.string == "state": return one(of: ["new"])
        default: return .perhaps
        }
    }

    private func meta(_ key: String) -> RuleMatch {
        switch key {
        case "iifname", "iif": one(of: [packet.interface])
        case "l4proto": one(of: names(of: packet.transport))
        case "nfproto": one(of: [packet.isIPv6 ? "ipv6" : "ipv4"])
        case "protocol": one(of: [packet.isIPv6 ? "ip6" : "ip"])
        case "pkttype": one(of: packet.group != nil ? ["multicast"] : ["host", "unicast"])
        default: .perhaps
        }
    }

    private func payload(_ layer: String, _ field: String) -> RuleMatch {
        switch layer {
        case packet.transport, "th": return transport(field)
        case packet.isIPv6 ? "ip6" : "ip":
            switch field {
            case "protocol", "nexthdr": return one(of: names(of: packet.transport))
            case "daddr": return destination
            default: return .perhaps
            }
        case "ip", "ip6", "tcp", "udp", "icmp", "icmpv6", "igmp", "sctp", "dccp", "esp", "ah":
            return .no
        default: return .perhaps
        }
    }

    private func transport(_ field: String) -> RuleMatch {
        switch field {
        case "dport": holds { number($0, packet.port) }
        // mDNS is sent from its own port too; a guest's is any.
        case "sport" where packet.group != nil: holds { number($0, packet.port) }
        default: .perhaps
        }
    }

    private var destination: RuleMatch {
        guard let address = packet.group else { return .perhaps }
        return holds { candidate in
            if let text = candidate.string { return RuleMatch(IPAddress(text) == address) }
            guard let prefix = candidate["prefix"], let length = prefix["len"]?.number,
                let network = prefix["addr"]?.string.flatMap({ IPAddress($0) })
            else { return .perhaps }
            return RuleMatch(address.isIn(network, length: length))
        }
    }

    // MARK: The right side

    private func one(of names: [String]) -> RuleMatch {
        holds { candidate in
            guard let text = candidate.string ?? candidate.number.map({ "\($0)" }) else {
                return .perhaps
            }
            let isPattern = text.hasSuffix("*")
            return RuleMatch(
                names.contains { isPattern ? $0.hasPrefix(text.dropLast()) : $0 == text })
        }
    }

    private func number(_ candidate: JSONValue, _ value: Int) -> RuleMatch {
        if let number = candidate.number { return RuleMatch(number == value) }
        guard let range = candidate["range"]?.array, range.count == 2,
            let low = range[0].number, let high = range[1].number
        else { return .perhaps }
        return RuleMatch((low...max(low, high)).contains(value))
    }

    /// Whether one of the values on the right fits.
    private func holds(_ fits: (JSONValue) -> RuleMatch) -> RuleMatch {
        guard let values else { return .perhaps }
        // In a set an element may come with a timeout or a counter.
        let matches = values.map { fits($0["elem"]?["val"] ?? $0) }
        if matches.contains(.yes) { return .yes }
        return matches.contains(.perhaps) ? .perhaps : .no
    }

    private var values: [JSONValue]? {
        if let name = right.string, name.hasPrefix("@") {
            return elements(String(name.dropFirst()))
        }
        return right["set"]?.array ?? right.array ?? [right]
    }

    /// A protocol's name and its number, as rules have them.
    private func names(of transport: String) -> [String] {
        [transport, transport == "tcp" ? "6" : "17"]
    }
}

extension IPAddress {
    /// Whether the first `length` bits are those of `network`.
    fileprivate func isIn(_ network: IPAddress, length: Int) -> Bool {
        guard bytes.count == network.bytes.count, (0...bytes.count * 8).contains(length) else {
            return false
        }
        return (0..<length).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(clamping: bit % 8)
            return bytes[bit / 8] & mask == network.bytes[bit / 8] & mask
        }
    }
}
