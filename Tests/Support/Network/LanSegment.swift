import Foundation
import Synchronization

/// The cable of a lab: a bridge in a network namespace of its own, with a port for each host.
final class LanSegment: Sendable {
    private let namespaces: Namespaces
    private let faults = Mutex(LanFaults())
    private let delays = Mutex<[RunningProgram]>([])

    init() async throws {
        // Without snooping the bridge floods multicast as a plain switch does; with it a querier
        // would be needed. The bridge itself takes no part in the network, so no addresses.
        let script = """
            echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
            ip link add name bridge type bridge mcast_snooping 0
            ip link set bridge up
            """
        namespaces = try await Namespaces(["--net"], script: script)
    }

    /// Gives `host` an eth0 that is plugged into the bridge.
    func plug(_ index: Int, into host: Namespaces, hardwareAddress: String) async throws {
        let port = LanFaults.port(index)
        let peer = "name eth0 address \(hardwareAddress) netns \(host.pid)"
        try await namespaces.ip([
            "link add name \(port) type veth peer \(peer)",
            "link set \(port) master bridge up",
        ])
    }

    /// From now on every frame from and to a host takes that much longer.
    ///
    /// The host's port moves to a bridge of its own, which a slow link joins to the other.
    func delay(_ index: Int, milliseconds: Int) async throws {
        let (near, far) = ("near\(index)", "far\(index)")
        let script = "\((#filePath as NSString).deletingLastPathComponent)/delayed-link.py"
        var launch = Launch("python3", script, near, far, "\(milliseconds)")
        launch.prefix = namespaces.prefix
        let link = try RunningProgram(launch)
        delays.withLock { $0.append(link) }
        try await link.waitForLine("the slow link to be ready") { $0 == "ready" }
        try await namespaces.ip([
            "link add name slow\(index) type bridge mcast_snooping 0",
            "link set slow\(index) up",
            "link set \(near) master slow\(index)",
            "link set \(far) master bridge",
            "link set \(LanFaults.port(index)) master slow\(index)",
        ])
    }

    func setCarrier(_ index: Int, _ isOn: Bool) async throws {
        try await namespaces.ip(["link set \(LanFaults.port(index)) \(isOn ? "up" : "down")"])
    }

    /// Whether the bridge passes on what comes from and goes to `host`.
    func isForwarding(_ index: Int) async throws -> Bool {
        let port = LanFaults.port(index)
        return try await namespaces.run("ip", "-o", "-d", "link", "show", port)
            .contains("state forwarding")
    }

    func change(_ body: @Sendable (inout LanFaults) -> Void) async throws {
        let table = faults.withLock { faults in
            body(&faults)
            return faults.table
        }
        try await namespaces.run("nft", "-f", "-", input: table)
    }

    func stop() {
        for link in delays.withLock({ $0 }) { link.stop() }
        namespaces.stop()
    }
}
