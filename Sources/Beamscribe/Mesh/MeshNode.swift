import BeamscribeCore
import BeamscribeDiscovery
import BeamscribeIO
import FoundationEssentials

/// A node of a mesh, as it announces itself: who holds an event's log and writes one of its own.
struct MeshNode {
    /// Its id, a lower-case UUID.
    let id: String
    /// The event's id, and its name.
    let event: UUID
    let eventName: String
    let deviceName: String
    /// `code` or `tls`.
    let security: String
    let endpoints: [Endpoint]

    /// Nil for what is no node of a mesh.
    init?(_ instance: ServiceInstance) {
        guard instance.txt["role"] == "peer", instance.txt["session"] != nil,
            let id = instance.txt["node"].flatMap({ UUID(uuidString: $0) }),
            let event = instance.txt["eid"].flatMap({ UUID(uuidString: $0) }),
            let found = DiscoveredHost(holder: instance)
        else { return nil }
        (self.id, self.event) = (id.wireName, event)
        (eventName, deviceName) = (found.eventName, found.deviceName ?? "")
        (security, endpoints) = (found.security, found.holders)
    }
}

extension Advertisement {
    /// What a machine announces that has an event's log and serves it; docs/PROTOCOL.md lists the keys.
    ///
    /// - Parameter session: the log of its own that it writes in the event; nil for none.
    init(
        node: String, of event: String, _ eventName: String, on deviceName: String, as role: String,
        _ security: HostSecurity, writing session: String? = nil, port: UInt16,
        interfaces: [UInt32]?
    ) {
        var txt = TXTRecord()
        txt.set("v", "1")
        txt.set("node", node)
        txt.set("eid", event)
        txt.set("event", eventName)
        if let session { txt.set("session", session) }
        txt.set("deviceName", deviceName)
        txt.set("role", role)
        txt.set("sec", security.name)
        txt.set("fp", security.fingerprint.short)
        self.init(
            name: node, type: DiscoveredHost.holderServiceType, port: port, txt: txt,
            interfaces: interfaces)
    }
}
