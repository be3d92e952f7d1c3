import BeamscribeCore
public import BeamscribeIO

/// A beamscribe host that was found on the network. Its text is free of control characters.
public struct DiscoveredHost: Equatable, Sendable, Identifiable {
    /// The announced instance name, which tells two hosts apart.
    public var id: String { instanceName }
    /// The name that it is announced under, at most 63 bytes.
    public var instanceName: String
    /// The event's whole name.
    public var eventName: String
    /// The host's machine for people.
    public var deviceName: String
    /// The session's id; nil if the host does not say.
    public var session: String?
    /// `plain`, `code` or `tls`.
    public var security: String
    /// The machine's name on the network, for example `stage.local`.
    public var hostName: String
    /// Where to connect, in the order to be tried.
    public var endpoints: [Endpoint]
    /// Whether the port answered.
    public var reachability: Reachability

    /// What a look at the port gave.
    public enum Reachability: Equatable, Sendable {
        case unknown
        case reachable
        case unreachable(String)
    }

    /// The service's type.
    public static let serviceType = "_beamscribe._tcp"

    /// Reads what a host announces; nil where it leads nowhere.
    public init?(_ instance: ServiceInstance) {
        let endpoints = EndpointOrder.sorted(instance.addresses, port: instance.port)
        guard instance.port != 0, !endpoints.isEmpty else { return nil }
        self.endpoints = Array(endpoints.prefix(Limits.addressesPerHost))
        instanceName = SafeText.label(instance.name, bytes: Limits.instanceNameBytes)
        let event = instance.txt["event"] ?? instance.name
        eventName = SafeText.label(event, bytes: Limits.eventNameBytes)
        let device = instance.txt["deviceName"] ?? instance.hostName
        deviceName = SafeText.label(device, bytes: Limits.deviceNameBytes)
        session = instance.txt["session"].map { SafeText.label($0.lowercased(), bytes: 36) }
        security = SafeText.label(instance.txt["sec"] ?? "plain", bytes: 16)
        hostName = SafeText.label(instance.hostName, bytes: 255)
        reachability = .unknown
    }
}
