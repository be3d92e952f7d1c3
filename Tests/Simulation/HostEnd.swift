import BeamscribeCore

/// A connection at the host, as `Stranger` and then `HostConnection` are in the program.
final class HostEnd {
    let id: ConnectionID
    let connection: Connection
    let socket: SecureEnd
    /// The room's record.
    var guest: Room.Handle?
    var isBlocked = false
    /// Nothing follows what the connection has, and its end is still to be said.
    var isFinishing = false

    init(_ id: ConnectionID, _ connection: Connection, _ socket: SecureEnd) {
        self.id = id
        self.connection = connection
        self.socket = socket
    }
}
