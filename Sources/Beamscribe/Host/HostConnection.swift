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
    /// Where its other end is in the network; nil where that is no network, or not known.
    let address: IPAddress?
    /// The room's record.
    var guest: Room.Handle?

    /// The kernel takes no more for now, or the connection's turn was over.
    var isBlocked = false {
        didSet {
            guard isBlocked != oldValue else { return }
            socket.interest = isBlocked ? [.read, .write] : .read
        }
    }

    init(_ id: ConnectionID, _ socket: SecureSocket, from peer: Destination?) {
        (self.id, self.socket, source) = (id, socket, peer.source)
        address = if case .network(let endpoint)? = peer { endpoint.address } else { nil }
    }
}
