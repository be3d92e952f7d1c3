import Beamscribe
import BeamscribeCore

extension KeepingTrouble {
    /// Says why one of an event's other logs is not on the disk.
    func sentence(of label: String) -> String {
        let why =
            switch self {
            case .ownEvent:
                "its id is that of an event that is on this disk, which stays as it is"
            case .inUse: "another program on this machine has its files"
            case .notProven(let session):
                "session \(session.prefix(8)) on this disk has other lines with its id"
            case .distrusted(let refusal): "\(refusal)"
            case .system(let error): "\(error)"
            }
        return "What \"\(SafeText.quoted(label))\" says is shown and not saved here: \(why)."
    }
}
