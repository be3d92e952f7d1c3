import BeamscribeCore
import CAvahi

/// Why the Avahi daemon cannot be used for now.
enum AvahiTrouble: Equatable, Sendable {
    case notRunning
    /// It, or the D-Bus between, gives no answer.
    case silent
    /// It gives this reason.
    case failed(String)

    /// What an error of libavahi means.
    init(code: Int32) {
        switch code {
        case Int32(clamping: AVAHI_ERR_NO_DAEMON), Int32(clamping: AVAHI_ERR_DISCONNECTED):
            self = .notRunning
        case Int32(clamping: AVAHI_ERR_DBUS_ERROR), Int32(clamping: AVAHI_ERR_TIMEOUT):
            self = .silent
        default: self = .failed("Avahi: \(String(cString: avahi_strerror(code)))")
        }
    }

    /// The reason in words, as they go on with "so nothing can be found".
    var reason: String {
        switch self {
        case .notRunning: "the Avahi daemon is not running"
        case .silent: "Avahi, or the system D-Bus by which it is asked, does not answer"
        case .failed(let reason): reason
        }
    }
}
