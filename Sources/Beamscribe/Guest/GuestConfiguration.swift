public import BeamscribeCore
public import BeamscribeDiscovery
public import BeamscribeIO
public import BeamscribeTLS
import FoundationEssentials

/// Which event a guest joins, as whom, and what it asks of the host.
public struct GuestConfiguration: Sendable {
    /// Where the host is.
    public var target: Target
    /// Who the guest is and where it begins.
    public var session: Session
    /// What the guest's ids at hosts are made of.
    public var device: DeviceSecret
    /// What is asked of the host.
    public var security: GuestSecurity
    /// How the event is served to others while the guest reads it; nil to read only. An event that is
    /// not signed is served by its host alone.
    public var holding: HoldingConfiguration?
    /// Where the event is kept, too, for where nobody else who has it is found; nil for nowhere. Nothing but
    /// what the event's host has signed is believed from there.
    public var backbone: BackbonePlace?
    /// The guest's part of the event's voices; nil to do without.
    public var intercom: Intercom?
    /// Whether to listen for beacons, and to take the captions over Bluetooth where no network
    /// leads to the host.
    public var usesBluetooth = true
    /// The D-Bus address by which BlueZ is reached.
    public var bluetoothBus = BusAddress.bluetooth(environment: [:])
    /// How often ``GuestEvent/stats(_:)`` is told while there is a connection; nil for never.
    public var statistics: Duration?
    /// After this without a host's answer the guest gives up; nil for never.
    public var searchTimeout: Duration?

    /// Who a guest is and what it wants.
    public typealias Session = GuestSession.Configuration

    /// Where a host is.
    public enum Target: Sendable, Equatable {
        /// A host at known addresses. `name` is what the user typed, for messages.
        case endpoints([Endpoint], name: String)
        /// A host that was found; when it is lost it is looked for again.
        case host(DiscoveredHost)
    }

    /// Events that may wait for the reader before the guest reads no more.
    public var waitingEvents = Limits.waitingEvents

    /// A guest that waits for its host for ever.
    public init(
        target: Target, session: Session, device: DeviceSecret,
        security: GuestSecurity
    ) {
        self.target = target
        self.device = device
        self.session = session
        self.security = security
    }

    /// A guest that nobody has seen before and that remembers nobody: it takes whoever answers, with
    /// encryption, wants all that was said, and waits for its host for ever.
    ///
    /// - Parameter displayName: the guest's name for people.
    public init(target: Target, displayName: String) {
        self.init(
            target: target, session: Session(displayName: displayName),
            device: DeviceSecret(UUID()), security: GuestSecurity())
    }
}
