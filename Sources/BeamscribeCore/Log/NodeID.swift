public import FoundationEssentials

/// Who a running beamscribe is to others of its event: the first half of
///
///     SHA-256("beamscribe node v1" 00 device-id)
///
/// which tells nobody the device's own id.
public struct NodeID: Hashable, Sendable {
    /// As the wire writes it, a lower-case UUID.
    public let wireName: String

    /// The node of a device.
    public init(of device: UUID, by hasher: any LogHasher) {
        let statement = LogStatement.begin("beamscribe node v1", device)
        let hash: LogHash = statement.withUnsafeBytes { hasher.hash($0) }
        let uuid = hash.withBytes { $0.loadUnaligned(as: uuid_t.self) }
        wireName = UUID(uuid: uuid).wireName
    }
}
