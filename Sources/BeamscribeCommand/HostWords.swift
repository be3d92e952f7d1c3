import BeamscribeDiscovery

/// What a found host is called for people.
enum HostWords {
    /// The event's name; of a host that was only heard it may be the beginning.
    static func name(of host: DiscoveredHost) -> String {
        let isWhole = host.instanceName != nil || host.isHeldOnly
        return isWhole ? host.eventName : name(heard: host.eventName)
    }

    /// A name as a beacon has it, with a sign where some of it may be missing.
    static func name(heard name: String) -> String {
        if name.isEmpty { return "(an event without a name)" }
        // A character takes up to four bytes; with less room left than that one may be missing.
        return name.utf8.count > BeaconAdvertisement.nameBytes - 4 ? name + "…" : name
    }

    /// Where it is, and what it asks for: "on stage, 192.0.2.7:23267, asks for a code", and who else
    /// has it.
    static func whereabouts(of host: DiscoveredHost) -> String {
        let machines = host.holdingMachines
        let device =
            host.isHeldOnly
            ? holders(machines, such: host.deviceName)
            : host.deviceName.map { "on \($0)" } ?? "heard by Bluetooth"
        let demand = host.security == "code" ? ", asks for a code" : ""
        let others = host.isHeldOnly ? nil : others(machines, isHostSilent: host.isHostSilent)
        return "\(device), \(host.place)\(demand)" + (others.map { ", \($0)" } ?? "")
    }

    /// Who has an event without a host: "no host, held by 2 machines such as ann".
    static func holders(_ machines: Int, such device: String?) -> String {
        guard machines > 1 else { return "no host, held by \(device ?? "1 machine")" }
        return "no host, held by \(machines) machines" + (device.map { " such as \($0)" } ?? "")
    }

    /// Who would go on without the host, if anybody: "and 2 machines that hold it".
    static func others(_ machines: Int, isHostSilent: Bool) -> String? {
        guard machines > 0 else { return nil }
        let holders = machines == 1 ? "1 machine that holds" : "\(machines) machines that hold"
        return (isHostSilent ? "which does not answer, but " : "and ") + holders + " it"
    }
}
