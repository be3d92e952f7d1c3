import BeamscribeDiscovery
import BeamscribeIO

/// Whether multicast works on the interfaces that lead to a network, and Avahi with it.
enum MulticastCheck {
    struct Findings: Equatable {
        var survey: InterfaceSurvey
        /// A packet for each interface and family that was tried.
        var packets: [Packet] = []
        /// What came of an announcement of our own; nil where Avahi could not be asked.
        var echo: AvahiEcho.Findings?
    }

    /// What became of a packet on one interface.
    struct Packet: Equatable, Sendable {
        var interface: String
        var isIPv6: Bool
        var outcome: MulticastProbe.Outcome
    }

    /// - Parameter opening: the sentence that says how the firewall is opened for mDNS.
    static func result(_ findings: Findings, opening: String) -> CheckResult {
        let survey = findings.survey
        guard !survey.networks.isEmpty else { return withoutNetwork(survey) }
        let silent = survey.networks.filter { !$0.isMulticast }.map(\.name)
        guard silent.count < survey.networks.count else {
            return CheckResult(
                .multicast, .problem,
                "\(WordList.of(silent)) cannot carry multicast, so no event is found.",
                "Allow it with `sudo ip link set \(silent[0]) multicast on`, or join by address.")
        }
        return ofPackets(findings, opening) ?? ofAvahi(findings) ?? ofRest(findings, silent)
    }

    private static func withoutNetwork(_ survey: InterfaceSurvey) -> CheckResult {
        let names = survey.unconnected.map(\.name)
        let found =
            names.isEmpty
            ? "No network: no interface that leads to one is up."
            : "No network: \(WordList.of(names)) \(names.count == 1 ? "has" : "have") no cable, "
                + "no Wi-Fi or no address."
        return CheckResult(
            .multicast, .problem, found,
            "Connect this machine to the network that the guests are on.")
    }

    private static func ofPackets(_ findings: Findings, _ opening: String) -> CheckResult? {
        // An address that came a moment ago may not be used yet; another tells enough.
        let ready = findings.packets.filter { !$0.isTooEarly }
        let tried = ready.isEmpty ? findings.packets : ready
        let bad = tried.filter { $0.outcome != .cameBack }
        guard let first = bad.first else { return nil }
        let places = WordList.of(bad.map { "\($0.interface) (\($0.family))" })
        let status: CheckResult.Status = bad.count < tried.count ? .warning : .problem
        guard case .failed(let error) = first.outcome else {
            return CheckResult(
                .multicast, status,
                "A question sent by multicast was not heard again on \(places).", opening)
        }
        let advice =
            error.isAddressInUse
            ? "Another program keeps UDP port 5353 to itself; `sudo ss -ulpn sport = 5353` tells "
                + "which."
            : opening
        return CheckResult(
            .multicast, status, "Multicast cannot be used on \(places): \(error.reason).", advice)
    }

    private static func ofAvahi(_ findings: Findings) -> CheckResult? {
        guard let echo = findings.echo else { return nil }
        switch echo.announcement {
        case .refused(let reason):
            return CheckResult(
                .multicast, .problem, "\(reason).",
                "Allow it in \(settings): disable-publishing and disable-user-service-publishing "
                    + "must be `no`.")
        case .pending:
            return CheckResult(
                .multicast, .warning,
                "Avahi took longer than usual to announce a service of our own.",
                "Run `beamscribe doctor` again; if it stays so, look at `journalctl -u "
                    + "avahi-daemon`.")
        case .done: break
        }
        let names = carriers(findings)
        let missing = names.filter { !echo.interfaces.contains($0) }
        guard !missing.isEmpty else { return nil }
        return CheckResult(
            .multicast, missing.count < names.count ? .warning : .problem,
            "Avahi does not work on \(WordList.of(missing)).",
            "Look at allow-interfaces and deny-interfaces in \(settings).")
    }

    private static func ofRest(_ findings: Findings, _ silent: [String]) -> CheckResult {
        let places = WordList.of(carriers(findings))
        let avahi =
            findings.echo == nil ? "Avahi was not tried." : "Avahi finds there what it announces."
        let found =
            "On \(places) a question sent by multicast is heard again. \(avahi) Whether the "
            + "network passes it on to others cannot be seen from one machine."
        guard silent.isEmpty else {
            return CheckResult(
                .multicast, .note, "\(found) \(WordList.of(silent)) cannot carry multicast.",
                "Guests who are on \(WordList.of(silent)) join by address.")
        }
        return .ok(.multicast, found)
    }

    private static func carriers(_ findings: Findings) -> [String] {
        findings.survey.networks.filter(\.isMulticast).map(\.name)
    }

    private static let settings = "/etc/avahi/avahi-daemon.conf"
}

extension MulticastCheck.Packet {
    fileprivate var family: String { isIPv6 ? "IPv6" : "IPv4" }

    fileprivate var isTooEarly: Bool {
        if case .failed(let error) = outcome { error.isAddressNotReady } else { false }
    }
}
