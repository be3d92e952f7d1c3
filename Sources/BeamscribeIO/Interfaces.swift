import BeamscribeCore
internal import CLinux
internal import Glibc

/// The machine's network interfaces and their addresses.
public enum Interfaces {
    /// An address of an interface that is up.
    public struct Entry: Hashable, Sendable {
        /// The interface's name, for example `eth0`.
        public var interface: String
        public var index: UInt32
        public var address: IPAddress
        public var isMulticast: Bool
    }

    /// The addresses of all interfaces that are up, loopback included, in the system's order.
    public static func addresses() -> [Entry] { all(entry) }

    /// What `body` makes of each of the system's entries (getifaddrs(3)): one an address, and one an
    /// interface.
    static func all<Result>(_ body: (ifaddrs) -> Result?) -> [Result] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        return sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap { $0 }
            .compactMap { body($0.pointee) }
    }

    /// The name of the interface with this index, while there is one.
    public static func name(of index: UInt32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else { return nil }
        return String(terminated: buffer)
    }

    private static func entry(of raw: ifaddrs) -> Entry? {
        guard raw.ifa_flags & UInt32(clamping: IFF_UP) != 0, let address = raw.ifa_addr,
            let address = Endpoint(at: address)?.address
        else { return nil }
        let name = String(cString: raw.ifa_name)
        return Entry(
            interface: name, index: if_nametoindex(name), address: address,
            isMulticast: raw.ifa_flags & UInt32(clamping: IFF_MULTICAST) != 0)
    }
}
