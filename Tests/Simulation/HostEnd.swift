import BeamscribeCore

/// A connection at the host, as `HostConnection` is in the program.
final class HostEnd {
    let id: ConnectionID
    let connection: Connection
    /// The session's record; nil for a connection that it did not let in.
    var guest: HostGuest?
    var isBlocked = false

    init(_ id: ConnectionID, _ connection: Connection) {
        self.id = id
        self.connection = connection
    }
}
