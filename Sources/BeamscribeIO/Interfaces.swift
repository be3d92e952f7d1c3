internal import CLinux
internal import Glibc

/// The machine's network interfaces and their addresses.
public enum Interfaces {
    /// An address of an interface that is up.
    public struct Entry: Hashable, Sendable {
        /// The interface's name, for example `eth0`.
        public var interface: String
        /// The interface's index.
        public var index: UInt32
        /// One of its addresses.
        public var address: IPAddress
        /// Whether multicast can be sent on the interface.
        public var isMulticast: Bool
    }

    /// The addresses of all interfaces that are up, loopback included, in the system's order.
    public static func addresses() -> [Entry] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { $0 }
            .compactMap { entry(of: $0.pointee) }
    }

    /// The name of the interface with this index, while there is one.
    public static func name(of index: UInt32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else { return nil }
        let length = buffer.firstIndex(of: 0) ?? buffer.count
        return String(decoding: buffer[..<length].map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    private static func entry(of raw: ifaddrs) -> Entry? {
        guard let socketAddress = raw.ifa_addr, raw.ifa_flags & UInt32(IFF_UP) != 0 else {
            return nil
        }
        var storage = sockaddr_storage()
        let size: Int
        switch Int32(socketAddress.pointee.sa_family) {
        case AF_INET: size = MemoryLayout<sockaddr_in>.size
        case AF_INET6: size = MemoryLayout<sockaddr_in6>.size
        default: return nil
        }
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: socketAddress, count: size))
        }
        guard let address = Endpoint(storage)?.address else { return nil }
        let name = String(cString: raw.ifa_name)
        return Entry(
            interface: name, index: if_nametoindex(name), address: address,
            isMulticast: raw.ifa_flags & UInt32(IFF_MULTICAST) != 0)
    }
}
