import BeamscribeCore
internal import CLinux
internal import Glibc

/// A network interface and what it can do, whether or not it is up.
public struct NetworkInterface: Equatable, Sendable {
    /// For example `eth0`.
    public var name: String
    /// The system's number for it.
    public var index: UInt32
    /// Whether somebody has switched it on.
    public var isUp = true
    /// Whether the cable is in, or the radio associated (IFF_RUNNING).
    public var hasCarrier = true
    public var isLoopback = false
    public var isMulticast = true
    /// Whether there is one peer and no network behind it, as with most VPNs.
    public var isPointToPoint = false
    /// Its addresses; none while it is down.
    public var addresses: [IPAddress] = []

    /// Every interface of the machine, also those without an address (getifaddrs(3)).
    public static func all() -> [NetworkInterface] {
        let entries = Interfaces.addresses()
        var seen: Set<String> = []
        return Interfaces.all { raw in
            let name = String(cString: raw.ifa_name)
            guard seen.insert(name).inserted else { return nil }
            let has = { (flag: Int) in raw.ifa_flags & UInt32(clamping: flag) != 0 }
            return NetworkInterface(
                name: name, index: if_nametoindex(name), isUp: has(Int(IFF_UP)),
                hasCarrier: has(Int(IFF_RUNNING)), isLoopback: has(Int(IFF_LOOPBACK)),
                isMulticast: has(Int(IFF_MULTICAST)), isPointToPoint: has(Int(IFF_POINTOPOINT)),
                addresses: entries.filter { $0.interface == name }.map(\.address))
        }
    }
}
