import Testing

@testable import BeamscribeCommand

/// What is said of the firewall, and how it is opened.
@Suite struct FirewallCheckTests {
    private let machine = Machine(hasSystemd: true, packages: .apt, isRoot: false)

    private func check(_ findings: FirewallFindings) -> FirewallCheck {
        FirewallCheck(findings: findings, interfaces: ["eth0"], port: 23_267, machine: machine)
    }

    private func findings(rules: String, policy: String = "accept") throws -> FirewallFindings {
        var findings = FirewallFindings()
        findings.rules = NftRuleset(Ruleset.json(rules, policy: policy))
        try #require(findings.rules != nil)
        return findings
    }

    @Test func firewall_isOpen_whenTheRulesLetEverythingIn() throws {
        let result = check(try findings(rules: "")).result
        #expect(result.status == .ok)
        #expect(result.found.contains("nftables"))
    }

    @Test func firewall_isAProblem_whenTheRulesDropThePort() throws {
        let check = check(try findings(rules: Ruleset.rule(Ruleset.dport("tcp", "23267"), "drop")))
        #expect(check.result.status == .problem)
        #expect(check.result.found == "The rules drop connections to TCP port 23267.")
        let command = "`sudo nft insert rule inet filter input tcp dport 23267 accept`"
        #expect(check.result.advice?.contains(command) == true)
        #expect(check.opening(for: .connections(port: 23_267)).contains(command))
    }

    @Test func firewall_isAProblem_whenThePolicyDropsAll() throws {
        let result = check(try findings(rules: "", policy: "drop")).result
        #expect(result.found.contains("connections to TCP port 23267 and mDNS (UDP port 5353)"))
        #expect(result.advice?.contains("udp dport 5353 accept") == true)
    }

    @Test func firewall_isAWarning_whenItDependsOnTheGuest() throws {
        let source = #"{"payload":{"protocol":"ip","field":"saddr"}}"#
        let condition = #"{"match":{"op":"==","left":\#(source),"right":"192.0.2.9"}}"#
        let check = check(try findings(rules: Ruleset.rule(condition, "drop")))
        #expect(check.result.status == .warning)
        #expect(check.result.found.contains("depends on who sends"))
    }

    @Test func firewall_isUnknown_whenNothingMayBeRead() {
        let result = check(FirewallFindings()).result
        #expect(result.status == .note)
        #expect(result.advice == "To have them read: `sudo beamscribe doctor`.")
        var withoutReader = FirewallFindings()
        withoutReader.hasReader = false
        #expect(check(withoutReader).result.found.contains("without `nft`"))
        let opening = check(FirewallFindings()).opening(for: .multicastDNS)
        #expect(opening.contains("`sudo ufw allow 5353/udp`"))
    }

    @Test func ufw_isOpenedByItsCommand() throws {
        var ufw = FirewallFindings()
        ufw.isUFWEnabled = true
        #expect(check(ufw).result.status == .warning)
        #expect(check(ufw).result.advice?.contains("`sudo ufw allow 23267/tcp`") == true)
        ufw.rules = try findings(rules: "", policy: "drop").rules
        #expect(check(ufw).result.advice?.contains("`sudo ufw allow 5353/udp`") == true)
    }

    @Test func firewalld_isOpenedByItsCommand() {
        var findings = FirewallFindings()
        findings.firewalld = .init(letsInMulticastDNS: false, letsInConnections: false)
        let advice = check(findings).result.advice
        #expect(check(findings).result.status == .problem)
        #expect(advice?.contains("`sudo firewall-cmd --add-port=23267/tcp`") == true)
        #expect(advice?.contains("`sudo firewall-cmd --add-service=mdns`") == true)
        findings.firewalld = .init(letsInMulticastDNS: true, letsInConnections: true)
        #expect(check(findings).result.status == .ok)
        findings.firewalld = .init(letsInMulticastDNS: true, letsInConnections: nil)
        #expect(check(findings).result.status == .warning)
    }
}
