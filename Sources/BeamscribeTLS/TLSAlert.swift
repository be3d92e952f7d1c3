import BeamscribeCore

/// Why the other side ends a handshake or a connection (RFC 8446, section 6).
public struct TLSAlert: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is nothing that both sides can do.
    public static let handshakeFailure = TLSAlert(rawValue: 40)
    /// The other side does not want this one now: a host does not take codes from here for a while.
    public static let accessDenied = TLSAlert(rawValue: 49)
    /// There is no version that both sides speak: the other side has no TLS 1.3.
    public static let protocolVersion = TLSAlert(rawValue: 70)
    /// Something that has nothing to do with the other side: a host that has no time for a guest, as
    /// too many come at once, says so before their handshake begins.
    public static let internalError = TLSAlert(rawValue: 80)

    /// A record that holds this alert and ends the connection, as it goes over the wire before
    /// there are keys (RFC 8446, sections 5.1 and 6).
    public var record: [UInt8] { [21, 3, 3, 0, 2, 2, rawValue] }
}

extension TLSAlert: CustomStringConvertible {
    public var description: String {
        switch self {
        case .handshakeFailure: "handshake_failure"
        case .accessDenied: "access_denied"
        case .protocolVersion: "protocol_version"
        case .internalError: "internal_error"
        default: "number \(rawValue)"
        }
    }
}
