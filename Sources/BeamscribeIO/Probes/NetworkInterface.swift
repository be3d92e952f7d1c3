internal import CLinux
internal import Glibc

/// A network interface and what it can do, whether or not it is up.
public struct NetworkInterface: Equatable, Sendable {
    /// For example `eth0`.
    public var name: String
    /// The system's number for it.
    public var index: UInt32
    /// Whether somebody has switched it on.
    public var isUp: Bool
    /// Whether the cable is in, or the radio associated (IFF_RUNNING).
    public var hasCarrier: Bool
    /// Whether it leads to this machine itself.
    public var isLoopback: Bool
    /// Whether multicast can be sent on it.
    public var isMulticast: Bool
    /// Whether there is one peer and no network behind it, as with most VPNs.
    public var isPointToPoint: Bool
    /// Its addresses; none while it is down.
    public var addresses: [IPAddress]

    /// An interface that is up and in order, unless it is said otherwise.
    public init(
        name: String, index: UInt32, isUp: Bool = true, hasCarrier: Bool = true,
        isLoopback: Bool = false, isMulticast: Bool = true, isPointToPoint: Bool = false,
        addresses: [IPAddress] = []
    ) {
        self.name = name
        self.index = index
        self.isUp = isUp
        self.hasCarrier = hasCarrier
        self.isLoopback = isLoopback
        self.isMulticast = isMulticast
        self.isPointToPoint = isPointToPoint
        self.addresses = addresses
    }

    /// Every interface of the machine, also those without an address (getifaddrs(3)).
    public static func all() -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { return [] }
        defer { freeifaddrs(first) }
        var found: [NetworkInterface] = []
        for raw in sequence(first: first, next: { $0?.pointee.ifa_next }).compactMap({ $0 }) {
            let name = String(cString: raw.pointee.ifa_name)
            if !found.contains(where: { $0.name == name }) {
                found.append(NetworkInterface(name: name, flags: raw.pointee.ifa_flags))
            }
        }
        return found.map { $0.with(Interfaces.addresses()) }
    }

    private init(name: String, flags: UInt32) {
        let has = { (flag: Int) in flags & UInt32(flag) != 0 }
        self.init(
            name: name, index: if_nametoindex(name), isUp: has(Int(IFF_UP)),
            hasCarrier: has(Int(IFF_RUNNING)), isLoopback: has(Int(IFF_LOOPBACK)),
            isMulticast: has(Int(IFF_MULTICAST)), isPointToPoint: has(Int(IFF_POINTOPOINT)))
    }

    private func with(_ entries: [Interfaces.Entry]) -> NetworkInterface {
        var copy = self
        copy.addresses = entries.filter { $0.interface == name }.map(\.address)
        return copy
    }
}
