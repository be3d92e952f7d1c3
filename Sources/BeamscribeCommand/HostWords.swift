import BeamscribeDiscovery

/// What a found host is called for people.
enum HostWords {
    /// The event's name; of a host that was only heard it may be the beginning.
    static func name(of host: DiscoveredHost) -> String {
        host.instanceName == nil ? name(heard: host.eventName) : host.eventName
    }

    /// A name as a beacon has it, with a sign where some of it may be missing.
    static func name(heard name: String) -> String {
        if name.isEmpty { return "(an event without a name)" }
        // A character takes up to four bytes; with less room left than that one may be missing.
        return name.utf8.count > BeaconAdvertisement.nameBytes - 4 ? name + "…" : name
    }

    /// Where it is, and what it asks for: "on stage, 192.0.2.7:23267, asks for a code".
    static func whereabouts(of host: DiscoveredHost) -> String {
        let device = host.deviceName.map { "on \($0)" } ?? "heard by Bluetooth"
        let demand = host.security == "code" ? ", asks for a code" : ""
        return "\(device), \(host.place)\(demand)"
    }
}
