import BeamscribeCore
internal import CLinux
internal import Glibc

/// An IPv4 or IPv6 address; a link-local IPv6 address with its interface.
public struct IPAddress: Hashable, Sendable {
    /// The address's 4 or 16 bytes in network order.
    public let bytes: [UInt8]
    /// The index of the interface that a link-local IPv6 address belongs to, else 0.
    public let scope: UInt32

    /// Nil unless there are 4 or 16 bytes.
    public init?(bytes: [UInt8], scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        self.bytes = bytes
        let isLinkLocal = bytes.count == 16 && bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
        self.scope = isLinkLocal ? scope : 0
    }

    /// Reads `192.0.2.1`, `2001:db8::1` or `fe80::1%eth0`.
    public init?(_ text: String) {
        let parts = text.split(separator: "%", maxSplits: 1)
        guard let address = parts.first.map(String.init) else { return nil }
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, address, &bytes) == 1, parts.count == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, address, &bytes) == 1 {
            let zone = parts.count == 2 ? String(parts[1]) : ""
            let scope = zone.isEmpty ? 0 : UInt32(zone) ?? if_nametoindex(zone)
            guard zone.isEmpty || scope != 0 else { return nil }
            self.init(bytes: bytes, scope: scope)
        } else {
            return nil
        }
    }

    /// Whether it is of IPv4; else it is of IPv6.
    public var isIPv4: Bool { bytes.count == 4 }
    /// Whether it leads to this machine itself (127.0.0.0/8, ::1).
    public var isLoopback: Bool {
        isIPv4 ? bytes[0] == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes[15] == 1
    }
    /// Whether it is valid on its link only (169.254.0.0/16, fe80::/10).
    public var isLinkLocal: Bool {
        isIPv4
            ? bytes[0] == 169 && bytes[1] == 254 : bytes[0] == 0xFE && bytes[1] & 0xC0 == 0x80
    }
    /// Whether it stands for every address of the machine (0.0.0.0, ::).
    public var isAny: Bool { bytes.allSatisfy { $0 == 0 } }

    /// Every IPv4 address of the machine: 0.0.0.0.
    public static let anyIPv4 = IPAddress(bytes: [0, 0, 0, 0])!
    /// Every IPv6 address of the machine: `::`.
    public static let anyIPv6 = IPAddress(bytes: [UInt8](repeating: 0, count: 16))!
}

extension IPAddress: CustomStringConvertible {
    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        inet_ntop(isIPv4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(clamping: text.count))
        let address = String(terminated: text)
        guard scope != 0 else { return address }
        return "\(address)%\(Interfaces.name(of: scope) ?? "\(scope)")"
    }
}
