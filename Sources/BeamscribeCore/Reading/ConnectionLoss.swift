/// Why there is no connection, as far as this end can tell.
public enum LossCause: String, Sendable {
    /// Nothing comes through: the network, or the other machine, is gone.
    case networkLost = "network_lost"
    /// The other machine answers, but the host's program is gone without a word.
    case hostLost = "host_lost"
    /// The host said that it stops, and that the event may go on later.
    case hostGone = "host_gone"
}

/// A connection that ended, or one that could not be made.
public struct ConnectionTrouble: Error, Equatable, Sendable {
    /// What that says of the host.
    public var cause: LossCause
    /// What happened, as a clause: "192.0.2.7:23267: Connection refused".
    public var why: String

    /// Something that happened, and what it says.
    public init(_ cause: LossCause, _ why: String) {
        self.cause = cause
        self.why = why
    }

    /// The host ended the connection and did not say why.
    public static let closedByHost = ConnectionTrouble(
        .hostLost, "the host closed the connection")
}

/// A guest's being without its host.
public struct ConnectionLoss: Equatable, Sendable {
    /// What is wrong, as far as this end can tell. It can change while the guest tries again.
    public var cause: LossCause
    /// What happened last, as a clause.
    public var why: String
    /// When the connection was lost, by this machine's clock, in seconds since 1970.
    public var since: Double
}
