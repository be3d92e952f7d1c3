import BeamscribeCore
import BeamscribeTLS

/// What the two ends of a connection prove to each other, and whether that goes together.
enum TLSIdentity: CaseIterable {
    case key
    case code
    /// The guest has another code than the host.
    case wrongCode
    /// The guest has a code, and the host shows a key.
    case keyForCode
    /// The guest has none, and the host asks for a code.
    case noCode

    /// Whether the handshake can succeed.
    var isRight: Bool { self == .key || self == .code }

    func hostContext() throws(TLSError) -> TLSContext {
        switch self {
        case .key, .keyForCode: try TLSContext(host: Self.hostKey)
        case .code, .wrongCode, .noCode: try TLSContext(host: Self.eventCode)
        }
    }

    func guestContext() throws(TLSError) -> TLSContext {
        switch self {
        case .key, .noCode: try .guest()
        case .code, .keyForCode: try .guest(code: Self.eventCode)
        case .wrongCode: try .guest(code: Self.otherCode)
        }
    }

    /// What a guest is to see of the host.
    var fingerprint: Fingerprint? { self == .key ? Self.hostKey.fingerprint : nil }

    /// A key whose signatures are always of the same length (Ed25519, RFC 8032), so that a place in
    /// the handshake is the same place each time.
    private static let hostKey = try! HostKey(
        pem: Array(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIF9cYFkSFeBok+1kH16e0tkmH31uhMKXzmynvRK7JLzm
            -----END PRIVATE KEY-----

            """.utf8))
    private static let eventCode = PreSharedKey(bytes: (0..<32).map { UInt8($0) })!
    private static let otherCode = PreSharedKey(bytes: (1..<33).map { UInt8($0) })!
}
