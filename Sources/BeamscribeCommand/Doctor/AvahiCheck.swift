import BeamscribeDiscovery
import BeamscribeIO

/// Whether the Avahi daemon is there to announce and find events.
enum AvahiCheck {
    enum Findings: Equatable {
        /// D-Bus, by which it is asked, is down.
        case notAsked
        /// It took the question and gave no answer in time.
        case silent
        case answered(AvahiCondition)
    }

    /// - Parameter isInstalled: whether the daemon's program is on the machine.
    static func result(
        _ findings: Findings, isInstalled: Bool, on machine: Machine
    ) -> CheckResult {
        switch findings {
        case .notAsked:
            CheckResult(
                .avahi, .note,
                "It could not be asked, because D-Bus does not work.",
                "Repair D-Bus first, as the next check says.")
        case .silent:
            problem(
                "The Avahi daemon is there but does not answer.",
                "Start it anew with \(machine.restart("avahi-daemon")).")
        case .answered(let condition): result(condition, isInstalled, machine)
        }
    }

    private static func result(
        _ condition: AvahiCondition, _ isInstalled: Bool, _ machine: Machine
    ) -> CheckResult {
        let name = condition.hostName ?? "a name that it does not tell"
        switch condition.state {
        case .running:
            return .ok(
                .avahi, "\(condition.version ?? "Avahi") is running; this machine is \(name).")
        case .registering:
            return CheckResult(
                .avahi, .warning,
                "Avahi is starting: it still claims the name \(name).",
                "Run `beamscribe doctor` again in a few seconds.")
        case .collision:
            return CheckResult(
                .avahi, .warning,
                "Another machine on the network has the name \(name) too; Avahi looks for "
                    + "another.",
                "Run `beamscribe doctor` again in a few seconds, or give this machine "
                    + "a name of its own.")
        case .notRunning: return notRunning(isInstalled, machine)
        case .failed(let reason):
            return problem(
                "Avahi cannot be used: \(reason).",
                "Start it anew with \(machine.restart("avahi-daemon")).")
        }
    }

    private static func notRunning(_ isInstalled: Bool, _ machine: Machine) -> CheckResult {
        if isInstalled {
            return problem(
                "The Avahi daemon is not running, so no event can be announced or found.",
                "Start it with \(machine.start("avahi-daemon")).")
        }
        let command = machine.install("avahi-daemon", "avahi")
        return problem(
            "Avahi is not installed, so no event can be announced or found.",
            command.map { "Install it with \($0)." } ?? "Install Avahi's daemon.")
    }

    private static func problem(_ found: String, _ advice: String) -> CheckResult {
        CheckResult(
            .avahi, .problem, found,
            advice + " Without it guests can join by address.")
    }
}
