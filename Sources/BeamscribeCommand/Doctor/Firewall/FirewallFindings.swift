import BeamscribeCore
import BeamscribeIO

/// What could be found out about the machine's firewall.
struct FirewallFindings: Equatable, Sendable {
    /// The packet filter's rules; nil where they could not be read.
    var rules: NftRuleset?
    /// Whether the program that reads the rules is installed.
    var hasReader = true
    var isUFWEnabled = false
    var firewalld: Firewalld?

    /// What firewalld says of its default zone; nil where it does not.
    struct Firewalld: Equatable, Sendable {
        var letsInMulticastDNS: Bool?
        var letsInConnections: Bool?
    }

    /// Asks for all that this user may know. Blocks for up to three times `patience`.
    static func collect(
        port: UInt16, in files: SystemFiles, environment: [String: String], patience: Duration
    ) -> FirewallFindings {
        let ask = { (tool: String, arguments: [String]) -> SystemTool.Answer? in
            SystemTool.path(of: tool, environment: environment).flatMap {
                SystemTool.run($0, arguments, patience: patience)
            }
        }
        var findings = FirewallFindings()
        findings.hasReader = SystemTool.path(of: "nft", environment: environment) != nil
        if let list = ask("nft", ["-j", "list", "ruleset"]), list.code == 0 {
            findings.rules = NftRuleset(list.output)
        }
        findings.isUFWEnabled = isUFWEnabled(files)
        // Exit codes, unlike words, are the same in every language (firewall-cmd(1)).
        guard ask("firewall-cmd", ["--state"])?.code == 0 else { return findings }
        let answer = { (question: String) -> Bool? in
            switch ask("firewall-cmd", [question])?.code {
            case 0: true
            case 1: false
            default: nil
            }
        }
        findings.firewalld = Firewalld(
            letsInMulticastDNS: answer("--query-service=mdns"),
            letsInConnections: answer("--query-port=\(port)/tcp"))
        return findings
    }

    private static func isUFWEnabled(_ files: SystemFiles) -> Bool {
        let lines = files.text("/etc/ufw/ufw.conf")?.lowercased().split(separator: "\n") ?? []
        return lines.contains {
            $0.filter { !$0.isWhitespace && $0 != "\"" }.hasPrefix("enabled=yes")
        }
    }
}
