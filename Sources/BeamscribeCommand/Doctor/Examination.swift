import Beamscribe
import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

/// Looks at the machine: every check's findings, none waited for longer than a few seconds in all.
struct Examination {
    let files: SystemFiles
    let environment: [String: String]
    let isRoot: Bool
    let port = HostConfiguration.standardNumber

    /// Everything, in the order of the checks.
    func diagnose() async -> Diagnosis {
        let machine = Machine(files, isRoot: isRoot)
        let survey = InterfaceSurvey(NetworkInterface.all())
        async let discovery = discovery(survey)
        async let packets = packets(survey)
        async let portFindings = portFindings(survey)
        async let firewallFindings = firewallFindings()
        async let bluetooth = bluetooth()
        async let rest = restOfChecks(machine)
        async let sound = SoundCheck.Findings.collect(within: Self.sound)
        async let recognisers = RecogniserSearch.run(environment: environment)
        let firewall = await FirewallCheck(
            findings: firewallFindings, interfaces: survey.networks.map(\.name), port: port,
            machine: machine)
        let (bus, avahi, echo) = await discovery
        let isInstalled = ["/usr/sbin", "/usr/bin"].contains { files.exists("\($0)/avahi-daemon") }
        // Where the networks themselves were not heard, silence elsewhere means nothing.
        let names = survey.networks.map(\.name)
        let announced = echo.flatMap { $0.interfaces.isDisjoint(with: names) ? nil : $0.interfaces }
        let multicast = await MulticastCheck.Findings(survey: survey, packets: packets, echo: echo)
        return await Diagnosis(
            [
                AvahiCheck.result(avahi, isInstalled: isInstalled, on: machine),
                BusCheck.result(bus, on: machine),
                MulticastCheck.result(multicast, opening: firewall.opening(for: .multicastDNS)),
                PortCheck.result(
                    portFindings, opening: firewall.opening(for: .connections(port: port))),
                VirtualInterfaceCheck.result(survey, announced: announced),
                firewall.result,
                BluetoothCheck.result(.init(files), bluetooth, on: machine),
            ] + rest + [
                RecogniserCheck.result(recognisers, on: machine),
                SoundCheck.result(sound, on: machine),
                WordCheck.result(),
            ])
    }

    // MARK: Discovery

    /// One after another: a bus that does not answer would hold up the question to Avahi.
    private func discovery(
        _ survey: InterfaceSurvey
    ) async -> (SystemBus.Condition, AvahiCheck.Findings, AvahiEcho.Findings?) {
        let environment = environment
        let bus =
            await BlockingCall.run(within: Self.bus.limit) {
                SystemBus.ask(environment: environment, patience: Self.bus.patience)
            } ?? .silent(path: "its socket")
        guard bus.mayWork else { return (bus, .notAsked, nil) }
        let asked = await BlockingCall.run(within: Self.avahi.limit) {
            AvahiInquiry.ask(patience: Self.avahi.patience)
        }
        guard let answer = asked ?? nil else { return (bus, .silent, nil) }
        guard answer.state == .running else { return (bus, .answered(answer), nil) }
        let names = Set(survey.networks.filter(\.isMulticast).map(\.name))
        let echo = await BlockingCall.run(within: Self.echo.limit) {
            AvahiEcho.listen(on: names, patience: Self.echo.patience)
        }
        return (bus, .answered(answer), echo ?? AvahiEcho.Findings(.pending))
    }

    // MARK: Multicast

    private func packets(_ survey: InterfaceSurvey) async -> [MulticastCheck.Packet] {
        await withTaskGroup(of: MulticastCheck.Packet.self) { group in
            for interface in survey.networks where interface.isMulticast {
                for isIPv6 in [false, true]
                where interface.addresses.contains(where: { $0.isIPv4 != isIPv6 }) {
                    group.addTask { await packet(on: interface, isIPv6: isIPv6) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
                .sorted { ($0.interface, $0.isIPv6 ? 1 : 0) < ($1.interface, $1.isIPv6 ? 1 : 0) }
        }
    }

    /// An mDNS question for a name that nobody has, so that nobody answers.
    private func packet(
        on interface: NetworkInterface, isIPv6: Bool
    ) async -> MulticastCheck.Packet {
        var seed = SystemRandomNumberGenerator()
        let name = "_bs-\(String(seed.next(), radix: 36))._udp"
        let group = MulticastQuestion.group
        let address = isIPv6 ? group.ipv6 : group.ipv4
        let outcome = await BlockingCall.run(within: Self.packet.limit) {
            MulticastProbe.run(
                MulticastQuestion.packet(type: name), to: Endpoint(address, port: group.port),
                on: interface.index, patience: Self.packet.patience)
        }
        return MulticastCheck.Packet(
            interface: interface.name, isIPv6: isIPv6, outcome: outcome ?? .lost)
    }

    // MARK: The rest

    private func portFindings(_ survey: InterfaceSurvey) async -> PortCheck.Findings? {
        let (files, port) = (files, port)
        return await BlockingCall.run(within: Self.portProbe.limit) {
            let owner = PortOwner.of(port, in: files)
            let probe = PortProbe.run(
                port: owner == nil ? port : 0, at: survey.addresses,
                patience: Self.portProbe.patience)
            return PortCheck.Findings(port: port, probe: probe, owner: owner)
        }
    }

    private func firewallFindings() async -> FirewallFindings {
        let (files, port, environment) = (files, port, environment)
        let findings = await BlockingCall.run(within: Self.firewall.limit) {
            FirewallFindings.collect(
                port: port, in: files, environment: environment, patience: Self.firewall.patience)
        }
        return findings ?? FirewallFindings()
    }

    private func bluetooth() async -> BluetoothCondition {
        let address = BusAddress.bluetooth(environment: environment)
        let condition = await BlockingCall.run(within: Self.bluetooth.limit) {
            BlueZInquiry.ask(at: address, patience: Self.bluetooth.patience)
        }
        return condition ?? .silent
    }

    private func restOfChecks(_ machine: Machine) async -> [CheckResult] {
        let folder = StateFolder(environment: environment).path
        // A folder on a file server that is gone blocks for ever.
        let state = await BlockingCall.run(within: Self.diskLimit) {
            let condition = StateFolderCondition(of: folder)
            return (condition, try? DiskSpace.of(condition.nearest))
        }
        let condition = state?.0 ?? .silent(path: folder)
        return [
            ClockCheck.result(.now(), on: machine),
            StateFolderCheck.result(condition),
            DiskSpaceCheck.result(state?.1, at: condition.nearest),
        ]
    }

    // The patience is what a probe itself waits; the limit is when its thread is given up. The
    // chain of D-Bus, Avahi and the echo is the longest: less than 5 s together.
    private static let bus = wait(700, 800)
    private static let avahi = wait(1_200, 1_400)
    private static let echo = wait(2_300, 2_500)
    private static let packet = wait(800, 1_500)
    private static let portProbe = wait(1_000, 3_000)
    private static let firewall = wait(1_000, 4_000)
    private static let bluetooth = wait(1_500, 2_000)
    private static let sound = Duration.milliseconds(1_500)
    private static let diskLimit = Duration.milliseconds(2_000)

    private static func wait(
        _ patience: Int, _ limit: Int
    ) -> (patience: Duration, limit: Duration) {
        (.milliseconds(patience), .milliseconds(limit))
    }
}
