import BeamscribeCore
internal import CLinux
internal import Glibc

/// An address and a TCP port.
public struct Endpoint: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The port.
    public var port: UInt16

    /// A port of an address.
    public init(_ address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Reads what ``description`` writes: `192.0.2.7:23267` or `[2001:db8::7]:23267`; nil for all else.
    public init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...]),
            port > 0
        else { return nil }
        var name = text[..<colon]
        let isIPv6 = name.hasPrefix("[") && name.hasSuffix("]")
        if isIPv6 { name = name.dropFirst().dropLast() }
        guard let address = IPAddress(String(name)), address.isIPv4 != isIPv6 else { return nil }
        self.init(address, port: port)
    }

    /// Calls `body` with the endpoint as the system wants it.
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        if address.isIPv4 {
            var inner = sockaddr_in()
            inner.sin_family = sa_family_t(clamping: AF_INET)
            inner.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &inner.sin_addr) { $0.copyBytes(from: address.bytes) }
            return withAddress(inner, body)
        }
        var inner = sockaddr_in6()
        inner.sin6_family = sa_family_t(clamping: AF_INET6)
        inner.sin6_port = port.bigEndian
        inner.sin6_scope_id = address.scope
        withUnsafeMutableBytes(of: &inner.sin6_addr) { $0.copyBytes(from: address.bytes) }
        return withAddress(inner, body)
    }

    /// The endpoint in `storage`; nil for an address of another family.
    init?(_ storage: sockaddr_storage) {
        let made = withUnsafeBytes(of: storage) { $0.baseAddress.flatMap { Endpoint(at: $0) } }
        guard let made else { return nil }
        self = made
    }

    /// The endpoint at a place of the system's, which has as many bytes as the address's family
    /// wants; nil for another family.
    init?(at raw: UnsafeRawPointer) {
        switch Int32(raw.loadUnaligned(as: sa_family_t.self)) {
        case AF_INET:
            let inner = raw.loadUnaligned(as: sockaddr_in.self)
            let address = IPAddress(bytes: withUnsafeBytes(of: inner.sin_addr) { Array($0) })
            self.init(address!, port: UInt16(bigEndian: inner.sin_port))
        case AF_INET6:
            let inner = raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = withUnsafeBytes(of: inner.sin6_addr) { Array($0) }
            let address = IPAddress(bytes: bytes, scope: inner.sin6_scope_id)
            self.init(address!, port: UInt16(bigEndian: inner.sin6_port))
        default: return nil
        }
    }
}

extension Endpoint: CustomStringConvertible {
    public var description: String {
        address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
