import BeamscribeDiscovery
import BeamscribeIO

/// Whether the system's D-Bus is there, by which Avahi is reached.
enum BusCheck {
    static func result(_ condition: SystemBus.Condition, on machine: Machine) -> CheckResult {
        switch condition {
        case .answers(let path):
            return .ok(.dbus, "The system D-Bus answers at \(path).")
        case .noSocket(let path):
            return problem(
                "The system D-Bus is not running: there is no \(path).",
                "Start it with \(machine.start("dbus"))", machine)
        case .refused(let path, let error):
            return problem(
                "The system D-Bus cannot be reached at \(path): \(error.reason).",
                "Start it anew with \(machine.restart("dbus"))", machine)
        case .silent(let path):
            return problem(
                "The system D-Bus takes connections at \(path) but does not answer.",
                "Start it anew with \(machine.restart("dbus"))", machine)
        case .rejected(let path):
            return problem(
                "The system D-Bus at \(path) does not let this user in.",
                "Run beamscribe as another user, or look at /etc/dbus-1/system.conf", machine)
        case .elsewhere(let address):
            return CheckResult(
                .dbus, .note,
                "DBUS_SYSTEM_BUS_ADDRESS is \(address), which was not tried here.",
                "Leave the variable out unless you know why it is set.")
        }
    }

    private static func problem(
        _ found: String, _ advice: String, _ machine: Machine
    ) -> CheckResult {
        CheckResult(
            .dbus, .problem, found,
            "\(advice), then Avahi with \(machine.start("avahi-daemon")).")
    }
}

extension SystemBus.Condition {
    /// Whether it is of use to ask somebody by this bus.
    var mayWork: Bool {
        switch self {
        case .answers, .elsewhere: true
        case .noSocket, .refused, .silent, .rejected: false
        }
    }
}
