import BeamscribeCore
import BeamscribeIO

/// A guest's socket at the host.
///
/// Invariant: write interest is asked for exactly while `isBlocked`.
final class HostConnection {
    let id: ConnectionID
    let socket: Socket
    /// The session's record; nil for a connection that it did not let in.
    var guest: HostGuest?
    var registration: Registration?

    /// The kernel takes no more for now, or the connection's turn was over.
    var isBlocked = false {
        didSet {
            guard isBlocked != oldValue else { return }
            registration?.interest = isBlocked ? [.read, .write] : .read
        }
    }

    init(_ id: ConnectionID, _ socket: consuming Socket) {
        self.id = id
        self.socket = socket
    }

    deinit {
        registration?.cancel()
    }
}
