import BeamscribeCore

/// What a browser knows of the services of one type.
///
/// A service is announced once for each interface and address family ("path"). It is there while
/// one path is, and it is one service however many there are.
///
/// Invariant: `services` holds only services with at least one path.
public struct ServiceTable: Sendable {
    /// A service's name, without its type.
    public struct Key: Hashable, Sendable {
        public var name: String
        /// Nearly always `local`.
        public var domain: String

        public init(name: String, domain: String) {
            self.name = name
            self.domain = domain
        }
    }

    /// The interface and the family that an announcement came by.
    public struct Path: Hashable, Comparable, Sendable {
        public var interface: Int32
        public var isIPv6: Bool

        public init(interface: Int32, isIPv6: Bool) {
            self.interface = interface
            self.isIPv6 = isIPv6
        }

        public static func < (one: Path, other: Path) -> Bool {
            one.interface == other.interface
                ? !one.isIPv6 && other.isIPv6 : one.interface < other.interface
        }
    }

    /// What resolving a path gave.
    public struct Resolution: Equatable, Sendable {
        /// The machine that offers the service.
        public var hostName: String
        public var port: UInt16
        public var txt: TXTRecord
        /// One of its addresses.
        public var address: ServiceInstance.Address

        public init(
            hostName: String, port: UInt16, txt: TXTRecord, address: ServiceInstance.Address
        ) {
            self.hostName = hostName
            self.port = port
            self.txt = txt
            self.address = address
        }
    }

    public let type: String
    private var services: [Key: [Path: Resolution?]] = [:]
    private var order: [Key] = []
    /// Those of which nothing but the name is known yet.
    private var unresolved: Set<Key> = []

    public init(type: String) {
        self.type = type
    }

    /// An announcement came. False if there are too many services to take in another.
    public mutating func appeared(_ key: Key, on path: Path) -> Bool {
        if services[key] == nil {
            guard services.count < Limits.discoveredHosts else { return false }
            order.append(key)
            unresolved.insert(key)
        }
        if services[key]?[path] == nil { services[key, default: [:]][path] = .some(nil) }
        return true
    }

    /// A path was resolved, or resolved anew; or it did not resolve (nil), and what was known of it
    /// is no longer believed.
    public mutating func resolved(_ key: Key, on path: Path, _ resolution: Resolution?) {
        guard services[key]?[path] != nil else { return }
        services[key]?[path] = .some(resolution)
        unresolved.remove(key)
    }

    public mutating func vanished(_ key: Key, on path: Path) {
        services[key]?[path] = nil
        guard services[key]?.isEmpty == true else { return }
        services[key] = nil
        unresolved.remove(key)
        order.removeAll { $0 == key }
    }

    /// Forgets the paths that `isThere` denies: they went while nobody could tell.
    public mutating func keep(where isThere: (Key, Path) -> Bool) {
        for (key, paths) in services {
            for path in paths.keys where !isThere(key, path) { vanished(key, on: path) }
        }
    }

    /// The services that resolved by at least one path, in the order in which they appeared.
    public var instances: [ServiceInstance] {
        order.compactMap { key in instance(key, services[key] ?? [:]) }
    }

    /// The same, without those that have a namesake of which more is yet to be known: whoever wants
    /// one of two by their name must see both.
    public var instancesWithoutNamesakes: [ServiceInstance] {
        let awaited = Set(unresolved.map { Self.plainName($0.name) })
        return instances.filter { !awaited.contains(Self.plainName($0.name)) }
    }

    /// A name without the number that Avahi gives to the second of the name: "Town Hall #2".
    private static func plainName(_ name: String) -> String {
        guard let sign = name.lastIndex(of: "#"), name[..<sign].hasSuffix(" "),
            !name[sign...].dropFirst().isEmpty,
            name[sign...].dropFirst().allSatisfy(\.isNumber)
        else { return name }
        return String(name[..<sign].dropLast())
    }

    private func instance(_ key: Key, _ paths: [Path: Resolution?]) -> ServiceInstance? {
        let sorted = paths.sorted { $0.key < $1.key }
        let resolutions = sorted.compactMap(\.value)
        guard let first = resolutions.first else { return nil }
        var seen: Set<ServiceInstance.Address> = []
        return ServiceInstance(
            name: key.name, type: type, domain: key.domain, hostName: first.hostName,
            port: first.port, txt: first.txt,
            addresses: resolutions.map(\.address).filter { seen.insert($0).inserted })
    }
}
