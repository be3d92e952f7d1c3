public import BeamscribeCore
public import BeamscribeIO
package import BeamscribeTLS
public import FoundationEssentials

/// How a host takes part in a mesh: its log is one of several of an event in which everybody writes, and it has
/// links to others of them.
public struct MeshMembership: Sendable {
    /// The event's id: that of the log that has founded it.
    public var event: UUID
    /// What this node's log is called among those of the event.
    public var label: String
    /// When the log was begun, in seconds since 1970: with the host's key it makes the session's id.
    public var created: Double
    /// This node's id, a lower-case UUID.
    public var node: String
    /// Where others may be, whatever is found.
    public var addresses: [Endpoint] = []
    /// The event's code, which this node proves to others; nil where there is none.
    public var code: EventCode?
    /// Makes the code's secret with a node's salt; nil for what ``GuestSecurity`` does.
    package var makeSecret: (@Sendable (EventCode, [UInt8]) -> CodeSecret?)?

    /// The log as one of the event's, as it is kept.
    var contribution: SessionRecord.Contribution {
        SessionRecord.Contribution(to: event.wireName, as: label)
    }

    /// The log of a node, and its session.
    ///
    /// - Parameters:
    ///   - event: nil to found one.
    ///   - wall: seconds since 1970.
    /// - Returns: nil where nothing can be signed with the key.
    public static func begin(
        _ event: UUID?, as label: String, by security: HostSecurity, on device: UUID,
        at wall: Double
    ) throws(StartError) -> (session: UUID, membership: MeshMembership)? {
        let hasher = try needed(LogSHA256(), orElse: StartError.cannotSecure)
        let created = BoundSession.rounded(wall)
        guard let key = WriterKey(security.key),
            let session = BoundSession.id(of: key.publicKey, begunAt: created, by: hasher)
        else { return nil }
        return (
            session,
            MeshMembership(
                event: event ?? session, label: label, created: created,
                node: NodeID(of: device, by: hasher).wireName)
        )
    }
}

extension HostConfiguration {
    /// Has the host take part in a mesh, with a log and a session of its own.
    ///
    /// - Parameters:
    ///   - event: nil to found one.
    ///   - wall: seconds since 1970.
    /// - Returns: false where nothing can be signed with the host's key.
    mutating func takePart(
        in event: UUID?, as label: String, at wall: Double
    ) throws(StartError) -> Bool {
        let begun = try MeshMembership.begin(event, as: label, by: security, on: deviceID, at: wall)
        guard let begun else { return false }
        (session, mesh) = (begun.session, begun.membership)
        return true
    }
}
