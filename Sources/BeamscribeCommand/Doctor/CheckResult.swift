/// What one check came to.
struct CheckResult: Equatable, Encodable {
    var check: Check
    var status: Status
    /// What was found, in a sentence.
    var found: String
    /// What to do about it, in a sentence; nil where all is well.
    var advice: String?

    /// What is looked at, in the order of the report. The raw values are the JSON's.
    enum Check: String, CaseIterable, Encodable {
        case avahi
        case dbus
        case multicast
        case port
        case virtualInterfaces = "virtual-interfaces"
        case firewall
        case bluetooth
        case clock
        case stateFolder = "state-folder"
        case diskSpace = "disk-space"
    }

    /// How bad it is. Only a problem keeps beamscribe from doing its main job.
    enum Status: String, Encodable {
        case ok
        case note
        case warning
        case problem
    }

    /// All is well.
    static func ok(_ check: Check, _ found: String) -> CheckResult {
        CheckResult(check: check, status: .ok, found: found)
    }

    /// Something is to be said.
    init(check: Check, status: Status, found: String, advice: String? = nil) {
        self.check = check
        self.status = status
        self.found = found
        self.advice = advice
    }
}

extension CheckResult.Check {
    /// The name for people.
    var title: String {
        switch self {
        case .avahi: "Avahi"
        case .dbus: "D-Bus"
        case .multicast: "Multicast"
        case .port: "Port"
        case .virtualInterfaces: "Interfaces"
        case .firewall: "Firewall"
        case .bluetooth: "Bluetooth"
        case .clock: "Clock"
        case .stateFolder: "State folder"
        case .diskSpace: "Disk space"
        }
    }
}
