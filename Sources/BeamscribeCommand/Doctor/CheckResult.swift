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
        case recogniser
        case sound
        case words

        /// The name for people.
        var title: String {
            switch self {
            case .dbus: "D-Bus"
            case .virtualInterfaces: "Interfaces"
            default:
                rawValue.prefix(1).uppercased() + rawValue.dropFirst().replacing("-", with: " ")
            }
        }
    }

    /// How bad it is. Only a problem keeps beamscribe from doing its main job.
    enum Status: String, Encodable {
        case ok
        case note
        case warning
        case problem
    }

    init(_ check: Check, _ status: Status, _ found: String, _ advice: String? = nil) {
        (self.check, self.status, self.found, self.advice) = (check, status, found, advice)
    }

    /// All is well.
    static func ok(_ check: Check, _ found: String) -> CheckResult {
        CheckResult(check, .ok, found)
    }
}
