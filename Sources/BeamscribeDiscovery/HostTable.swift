/// What was found by Bonjour and what was heard by Bluetooth, as one list.
///
/// A host is in it once: a beacon belongs to the announced host whose session has its tag, and
/// beacons with one tag and name to one host (each adapter sends its own).
enum HostTable {
    static func hosts(
        announced instances: [ServiceInstance], heard beacons: [HeardBeacon]
    ) -> [DiscoveredHost] {
        var hosts = instances.compactMap(DiscoveredHost.init)
        for beacon in beacons {
            guard let heard = DiscoveredHost(beacon) else { continue }
            let index =
                hosts.firstIndex { $0.instanceName != nil && $0.sessionTag == heard.sessionTag }
                ?? hosts.firstIndex { $0.id == heard.id }
            if let index { hosts[index].add(beacon) } else { hosts.append(heard) }
        }
        return hosts
    }
}
