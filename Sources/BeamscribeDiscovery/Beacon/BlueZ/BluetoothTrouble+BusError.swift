import BeamscribeCore
import BeamscribeIO
import Glibc

extension BluetoothTrouble {
    /// Why bluetoothd, or an adapter of it, cannot be used, by the error of a call.
    init(_ error: BusError, adapter: String? = nil) {
        switch error {
        case .refused(let name, let message):
            self = Self.refused(name, message, adapter)
        case .failed(ETIMEDOUT): self = .unanswered
        case .failed(let code): self = .refused(SystemError("", code: code).reason)
        case .unreadable: self = .refused("bluetoothd's answer is not understood")
        }
    }

    /// Why there is no bus, by the error of its connection.
    init(connecting error: BusError) {
        switch error {
        case .failed(EACCES), .failed(EPERM): self = .denied
        default: self = .noBus
        }
    }

    static let unanswered = BluetoothTrouble.refused("bluetoothd does not answer")

    private static func refused(
        _ name: String, _ message: String, _ adapter: String?
    ) -> BluetoothTrouble {
        let word = name.split(separator: ".").last.map(String.init) ?? name
        switch word {
        case "ServiceUnknown", "NameHasNoOwner": return .noDaemon
        case "AccessDenied", "AuthFailed", "NotAuthorized", "InteractiveAuthorizationRequired":
            return .denied
        case "NoReply", "Timeout", "TimedOut": return .unanswered
        case "NotReady": return .poweredOff(adapters: adapter.map { [$0] } ?? [])
        default: break
        }
        // The bus has tried to start it: itself, or by systemd.
        let starters = ["org.freedesktop.DBus.Error.Spawn.", "org.freedesktop.systemd1."]
        if starters.contains(where: name.hasPrefix) { return .noDaemon }
        return .refused(SafeText.label(message.isEmpty ? name : message, bytes: reasonBytes))
    }

    /// Words come from the daemon and go into one line of a warning.
    private static let reasonBytes = 200
}
