import BeamscribeCore
internal import CLinux
internal import Glibc

/// Finds the addresses of a host's name with the system's resolver.
public enum HostNameResolver {
    /// The addresses of `name`, IPv6 and IPv4 in the system's order of preference (RFC 6724). A
    /// numeric address needs no lookup. Blocks while the system asks; not to be called on a loop.
    ///
    /// - Returns: nothing if the name is not known.
    public static func addresses(of name: String) -> [IPAddress] {
        if let address = IPAddress(name) { return [address] }
        var hints = addrinfo()
        hints.ai_socktype = Int32(clamping: SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { $0 }
            .compactMap { info in info.pointee.ai_addr.flatMap { Endpoint(at: $0)?.address } }
    }

    /// This machine's name, without its domain.
    public static var ownName: String {
        fullName.split(separator: ".").first.map(String.init) ?? "localhost"
    }

    /// This machine's name as it has it, perhaps with a domain.
    public static var fullName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(terminated: buffer)
    }
}
