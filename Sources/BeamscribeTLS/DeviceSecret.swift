public import BeamscribeCore
internal import COpenSSL
public import FoundationEssentials

/// What a device's ids are made of, a different one for each host: no host learns what another one
/// knows of a guest, nor can it take the guest's place there.
public struct DeviceSecret: Sendable {
    private let key: [UInt8]

    /// - Parameter kept: what the device keeps to itself (`device-id` in the state folder).
    public init(_ kept: UUID) {
        key = withUnsafeBytes(of: kept.uuid) { Array($0) }
    }

    /// The device's id at a host: HMAC-SHA-256 (RFC 2104) of the host's key, as a UUID of version 8
    /// (RFC 9562, section 5.8).
    public func id(at host: Fingerprint) -> UUID {
        // It fails for want of memory only; whoever has none is somebody new.
        guard let code = try? SPAKE2Plus.confirmation(key, of: host.bytes) else { return UUID() }
        var id = UUID().uuid
        withUnsafeMutableBytes(of: &id) { bytes in
            bytes.copyBytes(from: code.prefix(bytes.count))
            bytes[6] = bytes[6] & 0x0F | 0x80
            bytes[8] = bytes[8] & 0x3F | 0x80
        }
        return UUID(uuid: id)
    }
}

extension DeviceSecret: Secret {
    public var description: String { "(a device's secret)" }
}
