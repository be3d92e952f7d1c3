internal import BeamscribeCore
internal import BeamscribeIO
internal import FoundationEssentials

/// A machine that holds an event's log and serves it to others, as it announces itself. Its text is
/// free of control characters; what it says of the event is proved by nothing but the log.
struct EventHolder {
    /// The event's id: that of the session which founded it, as on the wire.
    let event: String
    /// What a beacon says of that session.
    let tag: UInt16
    let eventName: String
    /// The holder's machine for people, and its name on the network.
    let deviceName: String
    let hostName: String
    /// `code` or `tls`.
    let security: String
    /// Whether it is there for nothing else.
    let isRelay: Bool
    /// Where it listens, in the order to be tried.
    let endpoints: [Endpoint]

    /// Reads what a holder announces; nil where it names no event or leads nowhere.
    init?(_ instance: ServiceInstance) {
        let endpoints = EndpointOrder.sorted(instance.addresses, port: instance.port)
        guard instance.port != 0, !endpoints.isEmpty,
            let event = instance.txt["eid"].flatMap({ UUID(uuidString: $0) }),
            let name = instance.txt["event"], !name.allSatisfy(\.isWhitespace)
        else { return nil }
        self.endpoints = Array(endpoints.prefix(Limits.addressesPerNode))
        self.event = event.wireName
        tag = BeaconPayload.sessionTag(of: event.wireName)
        eventName = SafeText.name(name, bytes: Limits.eventNameBytes)
        let device = instance.txt["deviceName"] ?? instance.hostName
        deviceName = SafeText.name(device, bytes: Limits.deviceNameBytes)
        hostName = SafeText.name(instance.hostName, bytes: 255)
        security = SafeText.label(instance.txt["sec"] ?? "tls", bytes: 16)
        isRelay = instance.txt["role"] == "relay"
    }

    /// Whether it may hold what this host says: that of its session, or, of a host that was only
    /// heard, an event with its tag and the beginning of its name.
    func mayHold(_ host: DiscoveredHost) -> Bool {
        if host.instanceName != nil { return host.session == event }
        return host.sessionTag == tag && BeaconAdvertisement.name(of: eventName) == host.eventName
    }

    /// Whether nobody who reads of that host misses this event: a host that announces the session
    /// under another name hides no event of this one.
    func isShown(by host: DiscoveredHost) -> Bool {
        mayHold(host)
            && (host.instanceName == nil || EventName.isSame(host.eventName, eventName))
    }

    /// The relays first, which are there for that; then all by turns, so that one with many addresses
    /// keeps nobody waiting. Each endpoint is there once.
    static func endpoints(of holders: [EventHolder]) -> [Endpoint] {
        let ranked = holders.filter(\.isRelay) + holders.filter { !$0.isRelay }
        var seen: Set<Endpoint> = []
        let all = (0..<Limits.addressesPerNode).flatMap { index in
            ranked.flatMap { $0.endpoints.dropFirst(index).prefix(1) }
        }
        return Array(all.filter { seen.insert($0).inserted }.prefix(Limits.nodes))
    }
}
