import BeamscribeCore
import BeamscribeIO

/// The first packet of something that has to get into this machine: what a guest begins a connection
/// with, or what mDNS sends (RFC 6762).
struct FirewallPacket: Equatable {
    /// `tcp` or `udp`.
    let transport: String
    let port: Int
    let isIPv6: Bool
    /// The one that it comes in by.
    let interface: String
    /// The group that it goes to; nil for one that goes to any of the machine's addresses.
    let group: IPAddress?

    init(_ service: FirewallOpening.Service, on interface: String, isIPv6: Bool) {
        transport = service.transport
        port = Int(service.port)
        (self.interface, self.isIPv6) = (interface, isIPv6)
        let group = isIPv6 ? "ff02::fb" : "224.0.0.251"
        self.group = service == .multicastDNS ? IPAddress(group) : nil
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
