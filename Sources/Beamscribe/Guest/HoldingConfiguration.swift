public import BeamscribeCore
public import BeamscribeIO
public import FoundationEssentials

/// How a guest serves the event that it reads to others, who believe its host and not this machine.
public struct HoldingConfiguration: Sendable {
    /// The machine's name for people.
    public var deviceName: String
    /// This machine's lasting id.
    public var deviceID: UUID
    /// What the connections are encrypted by, and the code that is asked for: the event's own, where it
    /// has one.
    public var security: HostSecurity
    /// Whether this machine is here to read, too.
    public var role = Role.peer
    /// Where others come in.
    public var port = PortChoice.standard
    /// The addresses to listen at; empty for all, IPv4 and IPv6.
    public var addresses: [IPAddress] = []
    /// Announce by Bonjour that the event can be had here.
    public var announces = true
    /// Readers at once; the next is told that there is no place.
    public var maximumGuests = Limits.guests
    /// How what is held is kept on the disk, too; nil for in memory alone.
    public var keeping: Keeping?
    /// The protocol's times.
    public var timing = Timing()

    /// What a machine that serves an event is in it.
    public enum Role: String, Sendable {
        /// A reader.
        case peer
        /// There for others only.
        case relay
        /// A captioner.
        case writer
    }

    /// Where what is held is kept, and what is there of it.
    public struct Keeping: Sendable {
        /// The sessions of this machine.
        public var store: SessionStore
        /// How long it is kept after the last that was heard of it; zero for no longer than the event, nil
        /// for until somebody deletes it, or as it was.
        public var age: Duration?
        /// Where the event is joined, as the user has given it; nil where it is found.
        public var address: String?
        /// What is there of the event: served at once, and gone on with. Of it only what its writer has
        /// signed counts.
        public var kept: StoredSession?

        /// Keeps events until somebody deletes them.
        public init(in store: SessionStore) { self.store = store }
    }

    /// A reader that serves others at the usual port, announced on every interface.
    public init(deviceName: String, deviceID: UUID, security: HostSecurity) {
        (self.deviceName, self.deviceID, self.security) = (deviceName, deviceID, security)
    }
}
