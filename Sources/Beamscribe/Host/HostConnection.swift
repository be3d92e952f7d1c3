import BeamscribeCore
import BeamscribeIO

/// A guest's socket at the host.
///
/// Invariant: write interest is asked for exactly while `isBlocked`.
final class HostConnection {
    let id: ConnectionID
    let socket: SecureSocket
    /// What is held against whom: an address without its port.
    let source: String
    /// The room's record.
    var guest: Room.Handle?

    /// The kernel takes no more for now, or the connection's turn was over.
    var isBlocked = false {
        didSet {
            guard isBlocked != oldValue else { return }
            socket.interest = isBlocked ? [.read, .write] : .read
        }
    }

    init(_ id: ConnectionID, _ socket: SecureSocket, from source: String) {
        (self.id, self.socket, self.source) = (id, socket, source)
    }
}
