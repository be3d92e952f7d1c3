import Glibc
import Synchronization

/// A small network of pretended hosts in namespaces of this machine, for tests of discovery and
/// of network faults.
///
/// Each host has its own eth0 (IPv4 and link-local IPv6), host name, HOME, /run, and on request
/// its own system D-Bus and avahi-daemon. All hosts are plugged into one bridge, in a namespace
/// too: the machine's own network is not touched. Everything ends with ``stop()``, with the last
/// reference, or when the test process dies.
///
/// Hold the value for as long as its hosts are needed; ``with(hosts:avahi:_:)`` does.
public final class Lan: Sendable {
    private static let count = Atomic(0)

    public let hosts: [LanHost]
    private let segment: LanSegment

    /// - Parameter avahi: Start D-Bus and Avahi on every host, and wait until Avahi is running.
    public init(hosts count: Int, avahi: Bool = false) async throws {
        let segment = try await LanSegment()
        let subnet = Lan.nextSubnet()
        hosts = try await withThrowingTaskGroup(of: LanHost.self) { group in
            for index in 0..<count {
                group.addTask {
                    let host = try await LanHost(index: index, subnet: subnet, segment: segment)
                    if avahi {
                        try await host.startBus()
                        try await host.startAvahi()
                        try await host.waitForAvahi()
                    }
                    return host
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }.sorted { $0.index < $1.index }
        }
        self.segment = segment
    }

    deinit {
        stop()
    }

    /// Makes a network, hands it to `body`, and takes it away.
    nonisolated(nonsending) public static func with<Value>(
        hosts count: Int, avahi: Bool = false, _ body: (Lan) async throws -> Value
    ) async throws -> Value {
        let lan = try await Lan(hosts: count, avahi: avahi)
        defer { lan.stop() }
        return try await body(lan)
    }

    public subscript(index: Int) -> LanHost { hosts[index] }

    /// From now on hosts of different groups do not reach each other. Hosts in no group reach
    /// everybody.
    public func partition(_ groups: [LanHost]...) async throws {
        let indices = groups.map { $0.map(\.index) }
        try await segment.change { $0.groups = indices }
    }

    /// From now on only these pairs of hosts reach each other.
    public func connectOnly(_ pairs: [[Int]]) async throws {
        let wanted = Set(pairs.map { $0.sorted() })
        let all = hosts.indices.flatMap { second in (0..<second).map { [$0, second] } }
        try await segment.change { $0.walls = all.filter { !wanted.contains($0) } }
    }

    /// Undoes ``partition(_:)`` and ``connectOnly(_:)``.
    public func unite() async throws {
        try await segment.change { ($0.groups, $0.walls) = ([], []) }
    }

    /// Kills all that runs on the hosts; the network goes with it.
    public func stop() {
        for host in hosts { host.stop() }
        segment.stop()
    }

    /// A part of 198.18.0.0/15, which RFC 2544 sets aside for tests: nobody's real network. Labs
    /// cannot meet each other; different numbers only make their logs easier to tell apart.
    private static func nextSubnet() -> String {
        let number = Int(getpid()) * 7 + count.add(1, ordering: .relaxed).oldValue
        return "198.\(18 + number / 256 % 2).\(number % 256)"
    }
}
