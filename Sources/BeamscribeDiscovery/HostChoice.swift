import BeamscribeCore

/// Which of the hosts that were found a guest joins.
public enum HostChoice: Equatable, Sendable {
    /// None yet; more may turn up.
    case wait
    case join(DiscoveredHost)
    /// The guest has to say which.
    case choose([DiscoveredHost])

    /// The choice as things stand. An event that is only held counts where no host is meant: one of
    /// yesterday that is still on a relay, or one that somebody made up, keeps nobody from a host.
    ///
    /// - Parameters:
    ///   - name: the event that was asked for: its exact name, or else a beginning of it in any
    ///     case that only one event has. Nil for the only host there is.
    ///   - isSettled: whether everybody has been heard. An exact name need not wait for that, unless
    ///     something else is expected of the host, and a host need not wait for those who hold events.
    ///   - areHostsSettled: whether all hosts have been heard; nil if that is `isSettled`.
    ///   - expectation: what is known of the host. Of several that announce one event it tells who
    ///     may be right.
    public static func decide(
        name: String?, among hosts: [DiscoveredHost], isSettled: Bool,
        areHostsSettled: Bool? = nil, expecting expectation: HostExpectation = HostExpectation()
    ) -> HostChoice {
        // Whoever wants a host by its name gets it, silent or not, as if nobody held its event.
        let isOwn = { (host: DiscoveredHost) in
            !host.isHeldOnly && (name != nil || !host.isHostSilent)
        }
        let choice = decide(
            name, hosts.filter(isOwn), areHostsSettled ?? isSettled, expectation)
        guard choice == .wait, isSettled else { return choice }
        return decide(name, amongHeld: hosts.filter { !isOwn($0) }, expectation)
    }

    private static func decide(
        _ name: String?, _ hosts: [DiscoveredHost], _ isSettled: Bool,
        _ expectation: HostExpectation
    ) -> HostChoice {
        let only = { (hosts: [DiscoveredHost]) in Self.only(of: hosts, isSettled, expectation) }
        guard let name else { return only(hosts.filter(\.mayBeJoined)) }
        let exact = Self.exact(name, among: hosts)
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

    /// Of several a key says nothing: the host's own signs yesterday's event as well as today's.
    private static func decide(
        _ name: String?, amongHeld hosts: [DiscoveredHost], _ expectation: HostExpectation
    ) -> HostChoice {
        let exact = name.map { Self.exact($0, among: hosts) } ?? []
        let meant =
            exact.isEmpty
            ? hosts.filter { host in
                name.map { EventName.matches(host.eventName, wanted: $0) } ?? host.mayBeJoined
            } : exact
        let living = meant.filter(\.mayBeJoined)
        let worthy = expectation.worthTrying(living.isEmpty ? meant : living, isSettled: true)
        guard let first = worthy.first else { return .wait }
        return worthy.count == 1 ? .join(first) : .choose(worthy)
    }

    private static func exact(
        _ name: String, among hosts: [DiscoveredHost]
    ) -> [DiscoveredHost] {
        let announced = TXTRecord.cut(name, for: "event")
        return hosts.filter {
            [name, announced].contains($0.eventName) || $0.instanceName == name
        }
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
