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
    /// The protocol's times.
    public var timing = Timing()

    /// What a machine that serves an event is in it.
    public enum Role: String, Sendable {
        /// A reader.
        case peer
        /// There for others only.
        case relay
    }

    /// A reader that serves others at the usual port, announced on every interface.
    public init(deviceName: String, deviceID: UUID, security: HostSecurity) {
        (self.deviceName, self.deviceID, self.security) = (deviceName, deviceID, security)
    }
}
