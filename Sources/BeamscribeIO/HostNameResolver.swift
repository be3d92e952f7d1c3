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
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_ADDRCONFIG
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        return sequence(first: first, next: { $0?.pointee.ai_next }).compactMap { $0 }
            .compactMap { address(of: $0.pointee) }
    }

    /// This machine's name, without its domain.
    public static var ownName: String {
        fullName.split(separator: ".").first.map(String.init) ?? "localhost"
    }

    /// This machine's name as it has it, perhaps with a domain.
    public static var fullName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        let length = buffer.firstIndex(of: 0) ?? 0
        return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func address(of info: addrinfo) -> IPAddress? {
        guard let raw = info.ai_addr else { return nil }
        var storage = sockaddr_storage()
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: raw, count: Int(info.ai_addrlen)))
        }
        return Endpoint(storage)?.address
    }
}
