import BeamscribeIO

/// The first packet of something that has to get into this machine.
struct FirewallPacket: Equatable {
    /// `tcp` or `udp`.
    var transport: String
    var port: Int
    var isIPv6: Bool
    var interface: String
    /// Where it goes; nil where that can be several addresses.
    var destination: IPAddress?
    /// Whether it goes to a group.
    var isMulticast: Bool

    /// What a guest begins a connection to a host with.
    static func connection(to port: UInt16, on interface: String, isIPv6: Bool) -> FirewallPacket {
        FirewallPacket(
            transport: "tcp", port: Int(port), isIPv6: isIPv6, interface: interface,
            destination: nil, isMulticast: false)
    }

    /// What mDNS sends (RFC 6762).
    static func multicastDNS(on interface: String, isIPv6: Bool) -> FirewallPacket {
        FirewallPacket(
            transport: "udp", port: 5_353, isIPv6: isIPv6, interface: interface,
            destination: IPAddress(isIPv6 ? "ff02::fb" : "224.0.0.251"), isMulticast: true)
    }
}

/// Whether a rule's condition holds for a packet.
enum RuleMatch: Equatable {
    case yes
    case no
    /// It depends on something that is not known beforehand, or the condition is not understood.
    case perhaps

    var inverted: RuleMatch {
        switch self {
        case .yes: .no
        case .no: .yes
        case .perhaps: .perhaps
        }
    }

    init(_ holds: Bool) {
        self = holds ? .yes : .no
    }
}
