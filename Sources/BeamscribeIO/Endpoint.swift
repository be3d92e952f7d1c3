internal import CLinux
internal import Glibc

/// An address and a TCP port.
public struct Endpoint: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The TCP port.
    public var port: UInt16

    /// A port at an address.
    public init(_ address: IPAddress, port: UInt16) {
        self.address = address
        self.port = port
    }

    /// Calls `body` with the endpoint as the system wants it.
    func withSocketAddress<Result>(
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var storage = sockaddr_storage()
        let length = withUnsafeMutableBytes(of: &storage) { fill($0) }
        return withUnsafePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
        }
    }

    private func fill(_ storage: UnsafeMutableRawBufferPointer) -> socklen_t {
        if address.isIPv4 {
            var inner = sockaddr_in()
            inner.sin_family = sa_family_t(AF_INET)
            inner.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &inner.sin_addr) { $0.copyBytes(from: address.bytes) }
            storage.storeBytes(of: inner, as: sockaddr_in.self)
            return socklen_t(MemoryLayout<sockaddr_in>.size)
        }
        var inner = sockaddr_in6()
        inner.sin6_family = sa_family_t(AF_INET6)
        inner.sin6_port = port.bigEndian
        inner.sin6_scope_id = address.scope
        withUnsafeMutableBytes(of: &inner.sin6_addr) { $0.copyBytes(from: address.bytes) }
        storage.storeBytes(of: inner, as: sockaddr_in6.self)
        return socklen_t(MemoryLayout<sockaddr_in6>.size)
    }

    /// The endpoint in `storage`; an IPv4 address mapped into IPv6 becomes IPv4 again.
    init?(_ storage: sockaddr_storage) {
        var copy = storage
        let parsed: (bytes: [UInt8], port: UInt16, scope: UInt32)? = withUnsafeBytes(of: &copy) {
            switch Int32(storage.ss_family) {
            case AF_INET:
                let inner = $0.load(as: sockaddr_in.self)
                let bytes = withUnsafeBytes(of: inner.sin_addr) { Array($0) }
                return (bytes, UInt16(bigEndian: inner.sin_port), 0)
            case AF_INET6:
                let inner = $0.load(as: sockaddr_in6.self)
                let bytes = withUnsafeBytes(of: inner.sin6_addr) { Array($0) }
                return (bytes, UInt16(bigEndian: inner.sin6_port), inner.sin6_scope_id)
            default: return nil
            }
        }
        guard let parsed, let address = IPAddress(bytes: parsed.bytes, scope: parsed.scope) else {
            return nil
        }
        self.init(address, port: parsed.port)
    }
}

extension Endpoint: CustomStringConvertible {
    public var description: String {
        address.isIPv4 ? "\(address):\(port)" : "[\(address)]:\(port)"
    }
}
