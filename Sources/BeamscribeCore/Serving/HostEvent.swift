/// What a host session tells its operator.
public enum HostEvent: Equatable, Sendable {
    /// A guest's handshake was accepted; `after` is the last line that it had already.
    case guestConnected(GuestDescription, after: Int)
    /// A guest has stayed for the gate's time.
    case guestJoined(GuestDescription)
    /// A guest went. `wasStable` tells one that had joined from one that came and went.
    case guestLeft(GuestDescription, why: String, wasStable: Bool)
    /// A guest serves the event to others at these addresses, who read on there if this host goes.
    case guestServes(GuestDescription, at: [String])
    /// A guest serves the event to browsers, too, at this address; `isAdmitted` where phones are sent
    /// there once the host is gone.
    case pageServed(GuestDescription, at: String, isAdmitted: Bool)
    /// A guest brings a log that its writer wants to be one of the event's, its own or that of somebody whom it
    /// serves: he is not let in yet.
    case writerAsks(GuestDescription, LogTitle)
    /// A writer's log is one of the event's from now on.
    case writerLetIn(LogTitle)
    /// A writer brings more lines than are taken at once: his log is read more slowly.
    case writerFloods(LogTitle)
    /// A writer may write in the event, and there is no place for this log.
    case writerRefused(LogTitle, WriterRefusal)
    /// How another's log stands.
    case logStands(LogTitle, LogStanding)
    /// A connection ended that never was a guest.
    case connectionRefused(peer: String, why: String)
    /// Too many wrong codes came from an address; nobody from there is let in for a while.
    case doorClosed(source: String)
    /// The oldest lines were let go from memory.
    case historyTrimmed(firstSeq: Int)
    /// The transcript cannot be saved for now; the event goes on from memory.
    case storageFailed(String)
    /// It is saved again, up to this line.
    case storageRestored(through: Int)
    /// These lines went from memory before they could be saved.
    case storageGap(from: Int, through: Int)
}

/// A guest, for people.
public struct GuestDescription: Equatable, Sendable {
    /// The guest's name, free of control characters.
    public var name: String
    /// The address it comes from.
    public var peer: String
}

/// How many guests there are, by state.
public struct GuestCounts: Equatable, Sendable {
    /// Connected, handshake not done.
    public var connecting = 0
    /// Accepted, not yet past the gate.
    public var syncing = 0
    /// Joined.
    public var stable = 0
    /// Those of them that serve the event to others.
    public var serving = 0
    /// Guests that went within ``Timing/unstableWithin``, so far.
    public var unstable = 0

    /// Nobody.
    public init() {}
}
