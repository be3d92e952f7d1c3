/// Why the other side ends a handshake or a connection (RFC 8446, section 6).
public struct TLSAlert: RawRepresentable, Hashable, Sendable {
    /// The alert's number.
    public let rawValue: UInt8

    /// An alert by its number.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// There is nothing that both sides can do: a host that asks for a code says so to a guest
    /// that has none.
    public static let handshakeFailure = TLSAlert(rawValue: 40)
    /// A parameter contradicts others: what OpenSSL says where a code is wrong.
    public static let illegalParameter = TLSAlert(rawValue: 47)
    /// The other side does not want this one now: a host does not take codes from here for a while.
    public static let accessDenied = TLSAlert(rawValue: 49)
    /// A proof does not hold: what other libraries say where a code is wrong.
    public static let decryptError = TLSAlert(rawValue: 51)
    /// There is no version that both sides speak: the other side has no TLS 1.3.
    public static let protocolVersion = TLSAlert(rawValue: 70)
    /// The handshake lacks something: what other libraries say where a code is asked for.
    public static let missingExtension = TLSAlert(rawValue: 109)
    /// Nothing is known under the identity that a code stands for.
    public static let unknownIdentity = TLSAlert(rawValue: 115)
    /// A certificate, or here a code, is asked for.
    public static let certificateRequired = TLSAlert(rawValue: 116)

    /// A record that holds this alert and ends the connection, as it goes over the wire before
    /// there are keys (RFC 8446, sections 5.1 and 6).
    public var record: [UInt8] { [21, 3, 3, 0, 2, 2, rawValue] }
}

extension TLSAlert: CustomStringConvertible {
    public var description: String {
        switch self {
        case .handshakeFailure: "handshake_failure"
        case .illegalParameter: "illegal_parameter"
        case .accessDenied: "access_denied"
        case .decryptError: "decrypt_error"
        case .protocolVersion: "protocol_version"
        case .missingExtension: "missing_extension"
        case .unknownIdentity: "unknown_psk_identity"
        case .certificateRequired: "certificate_required"
        default: "number \(rawValue)"
        }
    }
}
