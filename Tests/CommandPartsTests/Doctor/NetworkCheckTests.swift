import BeamscribeDiscovery
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeIO

/// Interfaces, multicast on them, and the port.
@Suite struct NetworkCheckTests {
    private let eth0 = Self.interface("eth0", "192.0.2.7", "fe80::1")
    private let eth1 = Self.interface("eth1", "198.51.100.7")
    private let loopback = NetworkInterface(
        name: "lo", index: 1, isLoopback: true, isMulticast: false,
        addresses: [IPAddress("127.0.0.1")!])

    private static func interface(_ name: String, _ addresses: String...) -> NetworkInterface {
        NetworkInterface(name: name, index: 2, addresses: addresses.map { IPAddress($0)! })
    }

    private func multicast(
        _ interfaces: [NetworkInterface], _ outcomes: [MulticastProbe.Outcome] = [.cameBack],
        echo: AvahiEcho.Findings? = nil
    ) -> CheckResult {
        let survey = InterfaceSurvey(interfaces + [loopback])
        let packets = survey.networks.filter(\.isMulticast).enumerated().map { index, one in
            MulticastCheck.Packet(
                interface: one.name, isIPv6: false, outcome: outcomes[index % outcomes.count])
        }
        let findings = MulticastCheck.Findings(survey: survey, packets: packets, echo: echo)
        return MulticastCheck.result(findings, opening: "Open it.")
    }

    // MARK: Interfaces

    @Test func survey_sortsInterfaces_byWhatTheyLeadTo() {
        let unplugged = NetworkInterface(
            name: "eth2", index: 5, hasCarrier: false, addresses: [IPAddress("192.0.2.9")!])
        let off = NetworkInterface(name: "eth3", index: 6, isUp: false)
        let tunnel = NetworkInterface(
            name: "corp", index: 7, isMulticast: false, isPointToPoint: true,
            addresses: [IPAddress("10.0.0.1")!])
        let survey = InterfaceSurvey([
            loopback, eth0, unplugged, off, tunnel, Self.interface("docker0", "172.17.0.1"),
            Self.interface("tailscale0", "100.64.0.1"), Self.interface("virbr0"),
        ])
        #expect(survey.networks.map(\.name) == ["eth0"])
        #expect(survey.containers.map(\.name) == ["docker0"])
        #expect(survey.tunnels.map(\.name) == ["corp", "tailscale0"])
        #expect(survey.unconnected.map(\.name) == ["eth2"])
        #expect(survey.likeliest?.description == "192.0.2.7")
    }

    @Test(arguments: [
        "tun0", "tap0", "wg0", "tailscale0", "zt5u4y6ejv", "ppp0", "nordlynx", "proton0",
    ])
    func vpn_isKnownByItsName(_ name: String) {
        #expect(InterfaceName.isVPN(name))
    }

    @Test(arguments: ["eth0", "enp3s0", "wlan0", "wlp2s0", "br0", "bond0", "docker0", "lo"])
    func network_isNoVPN(_ name: String) {
        #expect(!InterfaceName.isVPN(name))
    }

    @Test func virtualInterfaces_areNamed_withTheAddressToBindTo() {
        let survey = InterfaceSurvey([
            eth0, Self.interface("docker0", "172.17.0.1"), Self.interface("wg0", "10.8.0.2"),
        ])
        let result = VirtualInterfaceCheck.result(survey, announced: nil)
        #expect(result.status == .note)
        #expect(result.found.contains("docker0 (172.17.0.1)"))
        #expect(result.found.contains("wg0 (10.8.0.2)"))
        #expect(result.advice?.contains("`beamscribe host --bind 192.0.2.7 ...`") == true)
        let known = VirtualInterfaceCheck.result(survey, announced: ["eth0"])
        #expect(!known.found.contains("docker0"), "Avahi leaves it out.")
        let none = VirtualInterfaceCheck.result(InterfaceSurvey([eth0]), announced: nil)
        #expect(none.status == .ok)
    }

    // MARK: Multicast

    @Test func multicast_isFine_andSaysWhatItCannotSee() {
        let echo = AvahiEcho.Findings(.done, interfaces: ["eth0", "lo"])
        let result = multicast([eth0], echo: echo)
        #expect(result.status == .ok)
        #expect(result.found.contains("cannot be seen from one machine"))
        #expect(multicast([eth0]).found.contains("Avahi was not tried"))
    }

    @Test func multicast_isAProblem_whenItWorksNowhere() {
        let result = multicast([eth0, eth1], [.lost])
        #expect(result.status == .problem)
        #expect(result.found.contains("eth0 (IPv4) and eth1 (IPv4)"))
        #expect(result.advice == "Open it.")
    }

    @Test func multicast_isAWarning_whenItWorksSomewhere() {
        let result = multicast([eth0, eth1], [.cameBack, .lost])
        #expect(result.status == .warning)
        #expect(!result.found.contains("eth0"))
    }

    @Test func multicast_tellsTheReason_whenItCannotBeUsed() {
        let taken = SystemError("use", "UDP port 5353", code: 98)
        let result = multicast([eth0], [.failed(taken)])
        #expect(result.status == .problem)
        #expect(result.advice?.contains("ss -ulpn") == true)
        let denied = multicast([eth0], [.failed(SystemError("send to", "x", code: 1))])
        #expect(denied.found.contains("Operation not permitted"))
        #expect(denied.advice == "Open it.")
    }

    @Test func multicast_passesOverAddresses_thatAreNotReady() {
        let early = MulticastProbe.Outcome.failed(SystemError("send to", "x", code: 99))
        #expect(multicast([eth0, eth1], [.cameBack, early]).status == .ok)
        #expect(multicast([eth0, eth1], [early]).status == .problem)
    }

    @Test func multicast_asksForANetwork_whenThereIsNone() {
        let unplugged = NetworkInterface(name: "eth0", index: 2, hasCarrier: false)
        #expect(multicast([unplugged]).found.contains("eth0 has no cable"))
        let nothing = multicast([Self.interface("docker0", "172.17.0.1")])
        #expect(nothing.status == .problem)
        #expect(nothing.found.contains("no interface"))
    }

    @Test func multicast_namesInterfaces_thatCannotCarryIt() {
        var silent = eth1
        silent.isMulticast = false
        #expect(multicast([eth0, silent]).status == .note)
        #expect(multicast([eth0, silent]).found.contains("eth1 cannot carry multicast"))
        #expect(multicast([silent]).status == .problem)
        #expect(multicast([silent]).advice?.contains("ip link set eth1 multicast on") == true)
    }

    @Test func multicast_tellsWhatAvahiDoesNot() {
        let echo = { (findings: AvahiEcho.Findings) in
            multicast([eth0, eth1], echo: findings)
        }
        let refused = echo(AvahiEcho.Findings(.refused("Avahi refused: Not permitted")))
        #expect(refused.status == .problem)
        #expect(refused.advice?.contains("disable-publishing") == true)
        #expect(echo(AvahiEcho.Findings(.pending)).status == .warning)
        let partly = echo(AvahiEcho.Findings(.done, interfaces: ["eth0"]))
        #expect(partly.status == .warning)
        #expect(partly.found == "Avahi does not work on eth1.")
        #expect(echo(AvahiEcho.Findings(.done, interfaces: ["lo"])).status == .problem)
    }

    // MARK: The port

    private let addresses = [IPAddress("192.0.2.7")!, IPAddress("fe80::1")!]

    private func port(_ probe: PortProbe.Findings, owner: PortOwner? = nil) -> CheckResult {
        PortCheck.result(PortCheck.Findings(probe: probe, owner: owner), opening: "Open it.")
    }

    @Test func port_isFree_andCanBeReached() {
        let result = port(PortProbe.Findings(reached: addresses))
        #expect(result.status == .ok)
        #expect(result.found.contains("23267 is free, and 192.0.2.7 and fe80::1"))
        #expect(port(PortProbe.Findings()).status == .ok)
    }

    @Test func port_isAWarning_whenItIsTaken() {
        let probe = PortProbe.Findings(reached: addresses)
        let own = PortOwner(program: "beamscribe", process: 42, user: 0)
        #expect(port(probe, owner: own).status == .warning)
        #expect(port(probe, owner: own).found.contains("beamscribe (process 42)"))
        let hidden = PortOwner(program: nil, process: nil, user: 4_000_000_000)
        #expect(port(probe, owner: hidden).found.contains("user 4000000000"))
        let unknown = PortProbe.Findings(
            refusal: SystemError("listen on", "x", code: 98), reached: addresses)
        #expect(port(unknown).found.contains("another program"))
    }

    @Test func port_isAProblem_whenNothingGetsThere() {
        let lost = addresses.map {
            PortProbe.Unreached(address: $0, reason: "[x]:1: no answer within 1 s")
        }
        let result = port(PortProbe.Findings(unreached: lost))
        #expect(result.status == .problem)
        #expect(result.found.contains("192.0.2.7 and fe80::1 does not come about (no answer"))
        #expect(result.advice == "Open it.")
        let partly = PortProbe.Findings(reached: [addresses[0]], unreached: [lost[1]])
        #expect(port(partly).status == .warning)
    }

    @Test func port_isAProblem_whenTheSystemRefusesIt() {
        let refusal = SystemError("listen on", "x", code: 13)
        #expect(port(PortProbe.Findings(refusal: refusal)).status == .problem)
        #expect(PortCheck.result(nil, opening: "").status == .warning)
    }
}
