import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO

extension Advertisement {
    /// What a host announces; docs/PROTOCOL.md lists the keys.
    init(
        of configuration: HostConfiguration, port: UInt16, on entries: [Interfaces.Entry]
    ) {
        let name = InstanceName.from(configuration.eventName)
        var txt = TXTRecord()
        txt.set("v", "1")
        txt.set("deviceName", configuration.deviceName)
        txt.set("session", configuration.session.wireName)
        // Where several announce one name, Avahi changes the instance's: "Town Hall #2".
        txt.set("event", configuration.eventName)
        txt.set("sec", configuration.security.name)
        txt.set("fp", configuration.security.fingerprint.short)
        self.init(
            name: name, type: DiscoveredHost.serviceType, port: port, txt: txt,
            interfaces: Self.interfaces(of: configuration.addresses, among: entries))
    }

    /// A host that is bound to some addresses is announced on their interfaces only.
    static func interfaces(
        of addresses: [IPAddress], among entries: [Interfaces.Entry]
    ) -> [UInt32]? {
        let bound = addresses.filter { !$0.isAny }
        guard !bound.isEmpty else { return nil }
        let bearing = entries.filter { entry in
            bound.contains { $0.bytes == entry.address.bytes }
        }
        return Set(bearing.map(\.index)).sorted()
    }
}
