import Beamscribe
import BeamscribeIO

/// Whether a host gets the usual port, and whether connections get to it.
enum PortCheck {
    struct Findings: Equatable, Sendable {
        var port = HostConfiguration.standardNumber
        /// What came of listening and connecting.
        var probe: PortProbe.Findings
        /// Who listens at the port already.
        var owner: PortOwner?
    }

    /// - Parameters:
    ///   - findings: nil where there was no time for them.
    ///   - opening: the sentence that says how the firewall is opened for the port.
    static func result(_ findings: Findings?, opening: String) -> CheckResult {
        guard let findings else {
            return CheckResult(
                .port, .warning, "The port could not be tried in time: the machine is very busy.",
                "Run `beamscribe doctor` again.")
        }
        let probe = findings.probe
        if let error = probe.refusal, !error.isAddressInUse {
            return CheckResult(
                .port, .problem,
                "No host can listen at TCP port \(findings.port): \(error.reason).",
                "Choose another port with `beamscribe host --port`.")
        }
        guard probe.unreached.isEmpty else { return unreached(findings, opening) }
        if findings.owner != nil || probe.refusal != nil { return taken(findings) }
        let tried = WordList.of(probe.reached.map(\.description))
        return .ok(
            .port,
            tried.isEmpty
                ? "TCP port \(findings.port) is free; there is no address to try it at."
                : "TCP port \(findings.port) is free, and \(tried) can be connected to.")
    }

    private static func unreached(_ findings: Findings, _ opening: String) -> CheckResult {
        let probe = findings.probe
        let addresses = WordList.of(probe.unreached.map(\.address.description))
        let why = probe.unreached.first.map { " (\(clause($0)))" } ?? ""
        return CheckResult(
            .port, probe.reached.isEmpty ? .problem : .warning,
            "A connection to this machine's own \(addresses) does not come about\(why).", opening)
    }

    /// The dialer's reason without the address that it begins with.
    private static func clause(_ unreached: PortProbe.Unreached) -> String {
        unreached.reason.split(separator: ": ").last.map(String.init) ?? unreached.reason
    }

    private static func taken(_ findings: Findings) -> CheckResult {
        let advice =
            findings.owner?.program == "beamscribe"
            ? "That is a host of yours, it seems; another one takes a free port, which is fine."
            : "A host takes a free port then, which its guests find or are told."
        return CheckResult(
            .port, .warning, "TCP port \(findings.port) is taken by \(words(for: findings.owner)).",
            advice)
    }

    private static func words(for owner: PortOwner?) -> String {
        guard let owner else { return "another program" }
        guard let program = owner.program, let process = owner.process else {
            return "a program of the user \(owner.userName), which only root may see"
        }
        return "\(program) (process \(process))"
    }
}
