public import BeamscribeCore

/// What a guest knows of the host that it looks for, beyond a name that anybody can announce. It says
/// whom to try first; who it is shows in the handshake only.
public struct HostExpectation: Sendable {
    /// Whether the guest has the event's code.
    public var hasCode = false
    /// The key that the user expects.
    public var pin: FingerprintPin?
    /// The keys that are remembered of events.
    public var known = KnownHosts()

    public init() {}

    /// Whether something is known by which the hosts of an event can be told apart.
    public func knows(event: String) -> Bool { hasCode || knowsKey(ofEvent: event) }

    /// Whether one key, or some, are the event's.
    func knowsKey(ofEvent name: String) -> Bool {
        pin != nil || !known.fingerprints(ofEvent: name).isEmpty
    }

    /// Whether what a host announces goes with what is known; true of one that says nothing, and of an
    /// event that is only held, which its log's signatures judge.
    public func allows(_ host: DiscoveredHost) -> Bool {
        guard host.instanceName != nil else { return true }
        if hasCode, host.security != "code" { return false }
        guard let announced = host.fingerprint else { return true }
        if let pin { return pin.mayMatch(announced) }
        let fingerprints = known.fingerprints(ofEvent: host.eventName)
        return fingerprints.isEmpty || fingerprints.contains { $0.short == announced }
    }

    /// Those of `hosts`, which have one event's name, that are worth a try: those that it allows, and
    /// where everybody has been heard and none is, all of them.
    func worthTrying(_ hosts: [DiscoveredHost], isSettled: Bool) -> [DiscoveredHost] {
        let allowed = hosts.filter(allows)
        return allowed.isEmpty && isSettled ? hosts : allowed
    }
}
