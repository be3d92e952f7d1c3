import BeamscribeBeacon
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
    ///   - isSettled: whether everybody has been heard. An exact name need not wait for that.
    public static func decide(
        name: String?, among hosts: [DiscoveredHost], isSettled: Bool
    ) -> HostChoice {
        guard let name else { return only(of: hosts.filter(\.mayBeJoined), isSettled) }
        let announced = TXTRecord.cut(name, for: "event")
        let exact = hosts.filter {
            [name, announced].contains($0.eventName) || $0.instanceName == name
        }
        if exact.count == 1 { return .join(exact[0]) }
        if exact.count > 1 { return only(of: exact, isSettled) }
        // What was only heard has a name that may be cut; the handshake tells the whole.
        let cut = BeaconAdvertisement.name(of: name).lowercased()
        let heard = hosts.filter {
            $0.instanceName == nil && !cut.isEmpty && $0.eventName.lowercased() == cut
        }
        if heard.count == 1 { return .join(heard[0]) }
        if heard.count > 1 { return only(of: heard, isSettled) }
        return only(
            of: hosts.filter { EventName.matches($0.eventName, wanted: name) }, isSettled)
    }

    private static func only(of hosts: [DiscoveredHost], _ isSettled: Bool) -> HostChoice {
        guard isSettled, let first = hosts.first else { return .wait }
        return hosts.count == 1 ? .join(first) : .choose(hosts)
    }
}

extension DiscoveredHost {
    /// Whether nothing speaks against a try.
    var mayBeJoined: Bool {
        if case .unreachable = reachability { return false }
        return true
    }
}
