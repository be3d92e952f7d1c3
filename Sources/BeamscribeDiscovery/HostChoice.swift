import BeamscribeCore

/// Which of the hosts that were found a guest joins.
public enum HostChoice: Equatable, Sendable {
    /// None yet; more may turn up.
    case wait
    case join(DiscoveredHost)
    /// The guest has to say which.
    case choose([DiscoveredHost])

    /// The choice as things stand.
    ///
    /// - Parameters:
    ///   - name: the event that was asked for: its exact name, or else a beginning of it in any
    ///     case that only one event has. Nil for the only host there is.
    ///   - isSettled: whether everybody has been heard. An exact name need not wait for that, unless
    ///     something else is expected of the host.
    ///   - expectation: what is known of the host. Of several that announce one event it tells who
    ///     may be right.
    public static func decide(
        name: String?, among hosts: [DiscoveredHost], isSettled: Bool,
        expecting expectation: HostExpectation = HostExpectation()
    ) -> HostChoice {
        let only = { (hosts: [DiscoveredHost]) in Self.only(of: hosts, isSettled, expectation) }
        guard let name else { return only(hosts.filter(\.mayBeJoined)) }
        let announced = TXTRecord.cut(name, for: "event")
        let exact = hosts.filter {
            [name, announced].contains($0.eventName) || $0.instanceName == name
        }
        if !exact.isEmpty {
            let worthy = expectation.worthTrying(exact, isSettled: isSettled)
            if worthy.count == 1 { return .join(worthy[0]) }
            return only(exact)
        }
        // What was only heard has a name that may be cut; the handshake tells the whole.
        let cut = BeaconAdvertisement.name(of: name).lowercased()
        let heard = hosts.filter {
            $0.instanceName == nil && !cut.isEmpty && $0.eventName.lowercased() == cut
        }
        if heard.count == 1 { return .join(heard[0]) }
        if heard.count > 1 { return only(heard) }
        return only(hosts.filter { EventName.matches($0.eventName, wanted: name) })
    }

    private static func only(
        of hosts: [DiscoveredHost], _ isSettled: Bool, _ expectation: HostExpectation
    ) -> HostChoice {
        guard isSettled, let first = hosts.first else { return .wait }
        let isOneEvent = hosts.allSatisfy { $0.eventName == first.eventName }
        guard isOneEvent, expectation.knows(event: first.eventName) else {
            return hosts.count == 1 ? .join(first) : .choose(hosts)
        }
        let worthy = expectation.worthTrying(hosts, isSettled: isSettled)
        // Everybody with the code can be a host with it.
        guard worthy.count == 1 || expectation.knowsKey(ofEvent: first.eventName) else {
            return .choose(worthy)
        }
        // Who lies is found out in the handshake, and the next one is tried.
        return worthy.first.map { .join($0) } ?? .wait
    }
}

extension DiscoveredHost {
    /// Whether nothing speaks against a try.
    var mayBeJoined: Bool {
        if case .unreachable = reachability { return false }
        return true
    }
}
