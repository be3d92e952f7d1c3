import TestSupport
import Testing

/// Bridges of containers and virtual machines, whose addresses lead nowhere.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct VirtualInterfaceTests {
    @Test func containerAddresses_areNotShown() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            try await lan[0].addInterface(named: "docker0", address: "172.17.0.1")
            try await restartAvahiOnAllInterfaces(of: lan[0])
            let oracle = try await Oracle(on: lan[0])
            let host = try await lan[0].announce("Dockyard")
            try await oracle.waitForService(on: "docker0")
            let commands = host.standardErrorLines.filter { $0.contains("join --host") }
            #expect(commands == ["    beamscribe join --host \(lan[0].address):23267"])
            for machine in lan.hosts {
                let found = try await machine.listed()
                #expect(found.map(\.event) == ["Dockyard"])
                let addresses = found.flatMap(\.addresses)
                #expect(addresses.contains("\(lan[0].address):23267"))
                #expect(!addresses.contains { $0.contains("172.17.") || $0.contains("docker") })
            }
            try await host.send(1...2)
            try await lan[0].join().expectLines(1...2)
        }
    }

    /// A new address of a container's bridge is no news for guests; one of the network is.
    @Test func host_tellsNewAddresses_whenTheyAreOfTheNetwork() async throws {
        try await Lan.with(hosts: 1) { lan in
            let host = try await lan[0].host("Dockyard", "--no-bonjour")
            try await lan[0].addInterface(named: "virbr0", address: "192.168.122.1")
            try await lan[0].run("ip", "addr", "add", "198.18.255.9/24", "dev", "eth0")
            try await host.waitForLine(containing: "198.18.255.9:23267", on: .standardError)
            #expect(!host.standardErrorText.contains("192.168.122.1"))
        }
    }

    /// As most machines have it: the lab's own settings keep Avahi on eth0.
    private func restartAvahiOnAllInterfaces(of machine: LanHost) async throws {
        try await machine.stopAvahi()
        let path = try machine.folder.write(
            "[server]\nhost-name=\(machine.name)\n", to: "avahi-everywhere.conf")
        let avahi = try machine.spawn("avahi-daemon", "--no-chroot", "-f", path)
        try await avahi.waitForLine(
            containing: "Server startup complete", on: .standardError)
    }
}
