/// What was found by Bonjour and what was heard by Bluetooth, as one list.
///
/// A host is in it once: a beacon belongs to the announced host whose session has its tag, and
/// beacons with one tag and name to one host (each adapter sends its own). Who holds an event's log
/// belongs to the host of that session; events without a host come last, each once.
enum HostTable {
    static func hosts(
        announced instances: [ServiceInstance], held holding: [ServiceInstance] = [],
        heard beacons: [HeardBeacon]
    ) -> [DiscoveredHost] {
        var hosts = instances.compactMap { DiscoveredHost($0) }
        for beacon in beacons {
            guard let heard = DiscoveredHost(beacon) else { continue }
            let index =
                hosts.firstIndex { $0.instanceName != nil && $0.sessionTag == heard.sessionTag }
                ?? hosts.firstIndex { $0.id == heard.id }
            if let index { hosts[index].add(beacon) } else { hosts.append(heard) }
        }
        let holders = holding.compactMap(EventHolder.init)
        for index in hosts.indices {
            let host = hosts[index]
            hosts[index].take(holders.filter { $0.mayHold(host) })
        }
        let lonely = holders.filter { holder in !hosts.contains(where: holder.isShown) }
        return hosts + events(heldBy: lonely)
    }

    private static func events(heldBy holders: [EventHolder]) -> [DiscoveredHost] {
        let groups = Dictionary(grouping: holders, by: DiscoveredHost.id(ofHeld:))
        var told: Set<String> = []
        let ids = holders.map(DiscoveredHost.id(ofHeld:)).filter { told.insert($0).inserted }
        return ids.compactMap { groups[$0].flatMap { DiscoveredHost(heldBy: $0) } }
    }
}
