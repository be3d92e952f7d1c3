/// What carries a connection between a host and a guest.
public enum Transport: String, Codable, Sendable {
    /// TCP, over whatever network there is.
    case network
    /// An L2CAP channel over Bluetooth Low Energy. It has no end of its own, so a mark in the stream
    /// says that nothing follows, and a host takes few of them.
    case bluetooth
    /// Streams at a NATS server, from where this machine serves itself; see ``BackboneDesk``.
    case backbone = "nats"

    /// Whether the end of the stream is marked in it.
    public var marksEnd: Bool { self == .bluetooth }
}
