import BeamscribeCore
public import BeamscribeIO

/// A beamscribe host that was found on the network, or an event of which only those are there who
/// hold its log. Its text is free of control characters.
public struct DiscoveredHost: Equatable, Sendable, Identifiable {
    /// Tells two hosts apart: the announced instance name, or what was heard, or the event that is
    /// held.
    public var id: String
    /// The name that it is announced under, at most 63 bytes; nil for a host that was only heard,
    /// and for an event that is only held.
    public var instanceName: String?
    /// The event's whole name; of a host that was only heard, the beginning that a beacon holds.
    public var eventName: String
    /// The host's machine for people; nil if that is not known. Of an event that is only held it is
    /// the machine of one who holds it.
    public var deviceName: String?
    /// The session's id; nil if the host does not say. Of an event that is only held it is that of
    /// the session which founded it.
    public var session: String?
    /// What a beacon says of the session.
    public var sessionTag: UInt16?
    /// `plain`, `code` or `tls`.
    public var security: String
    /// The first digits of its key's SHA-256, as announced: nothing is proved yet.
    public var fingerprint: String?
    /// The machine's name on the network, for example `stage.local`; nil for a host that was only
    /// heard, and for an event that is only held.
    public var hostName: String?
    /// Where to connect, in the order to be tried; empty only where there are channels or holders.
    public var endpoints: [Endpoint]
    /// Where to connect without a network.
    public var channels: [ChannelEndpoint] = []
    /// Where machines listen that hold the event's log, in the order to be tried. Anybody can say
    /// that of himself: the log's signatures tell.
    public var holders: [Endpoint] = []
    /// How many machines these are, as far as they are told apart by their names on the network.
    public var holdingMachines = 0
    /// How it was found; at least one way.
    public var ways: Set<Way>
    /// Whether its port answers, where that was looked at; or one of a holder's, where the host's
    /// does not.
    public var reachability: Reachability
    /// Whether the host was found not to answer, so that only its holders may.
    public var isHostSilent = false

    /// Whether a host answers.
    public enum Reachability: Equatable, Sendable {
        /// Nobody has looked yet.
        case unknown
        /// It does.
        case reachable
        /// It does not, for this reason.
        case unreachable(String)
    }

    /// How a host was found.
    public enum Way: String, Sendable {
        /// It is announced on the network.
        case bonjour
        /// Its beacon was heard.
        case bluetooth
        /// Others announce that they hold its log.
        case holder
    }

    /// What hosts announce, and browsers look for.
    public static let serviceType = "_beamscribe._tcp"
    /// What those announce who hold an event's log and serve it. Guests of the first version do not
    /// look for it.
    public static let holderServiceType = "_beamscribe-mesh._tcp"

    /// Reads what a host announces; nil where it leads nowhere.
    public init?(_ instance: ServiceInstance) {
        let endpoints = EndpointOrder.sorted(instance.addresses, port: instance.port)
        guard instance.port != 0, !endpoints.isEmpty else { return nil }
        self.endpoints = Array(endpoints.prefix(Limits.addressesPerHost))
        let instanceName = SafeText.name(instance.name, bytes: Limits.instanceNameBytes)
        self.instanceName = instanceName
        id = instanceName
        ways = [.bonjour]
        let event = instance.txt["event"] ?? instance.name
        eventName = SafeText.name(event, bytes: Limits.eventNameBytes)
        let device = instance.txt["deviceName"] ?? instance.hostName
        deviceName = SafeText.name(device, bytes: Limits.deviceNameBytes)
        session = instance.txt["session"].map { SafeText.label($0.lowercased(), bytes: 36) }
        security = SafeText.label(instance.txt["sec"] ?? "plain", bytes: 16)
        fingerprint = instance.txt["fp"].map { SafeText.label($0, bytes: 64) }
        hostName = SafeText.name(instance.hostName, bytes: 255)
        sessionTag = session.map(BeaconPayload.sessionTag)
        reachability = .unknown
    }

    /// Takes a host from what was heard of it; nil for a beacon that leads nowhere.
    public init?(_ beacon: HeardBeacon) {
        guard let payload = beacon.payload, payload.endpoint != nil || beacon.channel != nil else {
            return nil
        }
        id = "beacon \(payload.sessionTag) \(beacon.name)"
        eventName = beacon.name
        sessionTag = payload.sessionTag
        // A beacon has no room to say more: the handshake does.
        security = "tls"
        endpoints = [payload.endpoint].compactMap(\.self)
        channels = [beacon.channel].compactMap(\.self)
        ways = [.bluetooth]
        reachability = .unknown
    }

    /// Reads what one announces who holds an event's log; nil where it names no event or leads
    /// nowhere.
    public init?(holder instance: ServiceInstance) {
        self.init(heldBy: [EventHolder(instance)].compactMap(\.self))
    }

    /// An event that this machine has kept, of which nobody has been found yet.
    ///
    /// - Parameter hasCode: whether it asks for a code.
    public init(kept session: String, called event: String, hasCode: Bool) {
        (id, self.session, eventName) = ("kept \(session)", session, event)
        sessionTag = BeaconPayload.sessionTag(of: session)
        security = hasCode ? "code" : "tls"
        (endpoints, ways, reachability) = ([], [], .unknown)
    }

    /// Takes an event from those who hold it, all by one name; nil where there is nobody.
    init?(heldBy holders: [EventHolder]) {
        guard let first = holders.first else { return nil }
        id = Self.id(ofHeld: first)
        eventName = first.eventName
        deviceName = first.deviceName
        session = first.event
        sessionTag = first.tag
        // Who asks for a code says so in the handshake as well; a guest who is asked for one that
        // nobody has would be kept away.
        let asksForCode = holders.allSatisfy { $0.security == "code" }
        security = asksForCode ? "code" : "tls"
        endpoints = []
        ways = []
        reachability = .unknown
        take(holders)
    }

    /// The id of an event that is only held. It has the name in it: who holds it under another
    /// cannot make the event's own name vanish.
    static func id(ofHeld holder: EventHolder) -> String {
        "held \(holder.event) \(holder.eventName)"
    }

    /// Takes in who holds its event.
    mutating func take(_ holders: [EventHolder]) {
        guard !holders.isEmpty else { return }
        ways.insert(.holder)
        self.holders = EventHolder.endpoints(of: holders)
        holdingMachines = Set(holders.map { $0.hostName.lowercased() }).count
    }

    /// Whether nothing is known of a host, only of those who hold the event's log.
    public var isHeldOnly: Bool { endpoints.isEmpty && channels.isEmpty && !holders.isEmpty }

    /// Where it is, in a word for people.
    public var place: String {
        (endpoints.first ?? holders.first)?.description ?? channels.first?.device.description
            ?? "nowhere"
    }

    mutating func add(_ beacon: HeardBeacon) {
        ways.insert(.bluetooth)
        if let endpoint = beacon.payload?.endpoint, !endpoints.contains(endpoint),
            endpoints.count < Limits.addressesPerHost
        {
            endpoints.append(endpoint)
        }
        if let channel = beacon.channel, !channels.contains(channel),
            channels.count < Limits.addressesPerHost
        {
            channels.append(channel)
        }
    }
}
