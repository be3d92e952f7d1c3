import Synchronization

/// The cable of a lab: a bridge in a network namespace of its own, with a port for each host.
final class LanSegment: Sendable {
    private let namespaces: Namespaces
    private let faults = Mutex(LanFaults())

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
        namespaces.stop()
    }
}
