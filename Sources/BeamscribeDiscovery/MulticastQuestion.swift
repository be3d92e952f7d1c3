import BeamscribeCore
public import BeamscribeIO

/// The "poke": one mDNS question put past the local daemon.
///
/// A daemon that missed an announcement (the radio was out) asks again only after a pause that
/// grows to an hour, and makes no exception for a new browser. The answers to a question of
/// anybody's are multicast, though, and the daemon takes them in. Asked a few times, the silence
/// also clears services that are gone from its cache (RFC 6762, section 10.5).
public enum MulticastQuestion {
    /// A query for the PTR records of `type` in `local`, multicast answers wanted (RFC 6762).
    public static func packet(type: String) -> [UInt8] {
        let header: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]
        let labels = type.split(separator: ".").map(String.init) + ["local"]
        let name = labels.flatMap { label -> [UInt8] in
            [UInt8(clamping: label.utf8.count)] + label.utf8
        }
        let rootPointerInternet: [UInt8] = [0, 0, 12, 0, 1]
        return header + name + rootPointerInternet
    }

    /// Asks on every interface that carries multicast, loopback included.
    static func ask(type: String) {
        let interfaces = Set(Interfaces.addresses().filter(\.isMulticast).map(\.index))
        let groups = [group.ipv4, group.ipv6].map { Endpoint($0, port: group.port) }
        MulticastSender.send(packet(type: type), to: groups, on: interfaces.sorted())
    }

    /// The group of mDNS (RFC 6762, section 3).
    public static let group = (
        ipv4: IPAddress(bytes: [224, 0, 0, 251])!,
        ipv6: IPAddress(bytes: [0xFF, 0x02] + [UInt8](repeating: 0, count: 13) + [0xFB])!,
        port: UInt16(5_353)
    )
}
