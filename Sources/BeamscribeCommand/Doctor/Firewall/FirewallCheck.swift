import BeamscribeCore

/// Whether the firewall lets in what beamscribe needs, as far as it can be known.
struct FirewallCheck {
    let findings: FirewallFindings
    /// The names of the interfaces that lead to a network.
    let interfaces: [String]
    let port: UInt16
    let machine: Machine

    var result: CheckResult {
        if let rules = findings.rules { return judged(rules) }
        if let firewalld = findings.firewalld { return judged(firewalld) }
        if findings.isUFWEnabled {
            return CheckResult(
                .firewall, .warning,
                "ufw is switched on; what it lets in cannot be read \(without).",
                "If guests cannot connect: \(machine.asRoot("ufw allow \(port)/tcp")).")
        }
        return CheckResult(
            .firewall, .note, "No ufw or firewalld is on. Other rules cannot be read \(without).",
            findings.hasReader
                ? "To have them read: `sudo beamscribe doctor`."
                : "Nothing is needed unless guests cannot connect.")
    }

    private var without: String { findings.hasReader ? "without root" : "without `nft`" }

    /// How the firewall is opened for `service`, where it is to be.
    func opening(for service: FirewallOpening.Service) -> String {
        FirewallOpening(manager: manager(for: service), machine: machine).sentence(for: service)
    }

    private func manager(for service: FirewallOpening.Service) -> FirewallOpening.Manager {
        if findings.firewalld != nil { return .firewalld }
        if findings.isUFWEnabled { return .ufw }
        let fates = findings.rules.map { self.fates($0, service) } ?? []
        for case .dropped(let chain) in fates { return .nftables(chain) }
        for case .uncertain(let chain) in fates { return .nftables(chain) }
        return .unknown
    }

    private func fates(
        _ rules: NftRuleset, _ service: FirewallOpening.Service
    ) -> [NftRuleset.Fate] {
        // Without a network, the rules can still be asked about the one that there may be later.
        (interfaces.isEmpty ? ["eth0"] : interfaces).flatMap { interface in
            [false, true].map { isIPv6 in
                rules.fate(of: FirewallPacket(service, on: interface, isIPv6: isIPv6))
            }
        }
    }

    // MARK: Judging

    private var services: [(service: FirewallOpening.Service, words: String)] {
        [
            (.connections(port: port), "connections to TCP port \(port)"),
            (.multicastDNS, "mDNS (UDP port 5353)"),
        ]
    }

    private func judged(_ rules: NftRuleset) -> CheckResult {
        var dropped: [String] = []
        var doubtful: [String] = []
        var advice: [String] = []
        for (service, words) in services {
            let fates = self.fates(rules, service)
            if fates.allSatisfy({ $0 == .passes }) { continue }
            let isDropped = fates.allSatisfy { if case .dropped = $0 { true } else { false } }
            if isDropped { dropped.append(words) } else { doubtful.append(words) }
            advice.append(opening(for: service))
        }
        let sentences =
            [
                dropped.isEmpty ? nil : "The rules drop \(WordList.of(dropped)).",
                doubtful.isEmpty
                    ? nil
                    : "It depends on who sends whether the rules let in "
                        + "\(WordList.of(doubtful)).",
            ].compactMap(\.self)
        guard !sentences.isEmpty else {
            return .ok(
                .firewall,
                "The packet filter (nftables) lets in mDNS and TCP port \(port).")
        }
        return CheckResult(
            .firewall, dropped.isEmpty ? .warning : .problem, sentences.joined(separator: " "),
            advice.joined(separator: " "))
    }

    private func judged(_ firewalld: FirewallFindings.Firewalld) -> CheckResult {
        let answers = [firewalld.letsInConnections, firewalld.letsInMulticastDNS]
        let closed = zip(services, answers).filter { $0.1 == false }.map(\.0)
        if !closed.isEmpty {
            return CheckResult(
                .firewall, .problem,
                "firewalld's default zone drops \(WordList.of(closed.map(\.words))).",
                closed.map { opening(for: $0.service) }.joined(separator: " "))
        }
        if answers.contains(nil) {
            return CheckResult(
                .firewall, .warning,
                "firewalld runs; what it lets in may not be asked by this user.",
                "To have it asked: `sudo beamscribe doctor`.")
        }
        return .ok(.firewall, "firewalld's default zone lets in mDNS and TCP port \(port).")
    }
}
