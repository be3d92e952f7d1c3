import BeamscribeCore
import BeamscribeTLS

/// Who is who in an event with TLS: what a host proves itself with, and what an impostor has.
///
/// The keys are always the same, and of a kind whose signatures are (Ed25519, RFC 8032): the
/// signatures of others vary in length by a byte or two, and with them where a write is torn.
final class Identities {
    /// Belongs to the host's folder: it outlives its programs and its machines.
    let host = hostKey
    /// What the host keeps of the event's code, where there is one.
    static let code = try! CodeSecret.sample.record()
    private(set) lazy var impostor = try! TLSContext(host: Self.impostorKey)

    /// Also for an event without TLS, which has a key and makes no use of it.
    static let hostKey = key(
        "MC4CAQAwBQYDK2VwBCIEIF9cYFkSFeBok+1kH16e0tkmH31uhMKXzmynvRK7JLzm")
    private static let impostorKey = key(
        "MC4CAQAwBQYDK2VwBCIEIKC3PvlZ5/YUfLESRkUoWaWPfqULgNFNt+HiZzL12/Mb")

    /// - Parameter secret: the key in base64 (PKCS #8, RFC 5208), here for everybody to see.
    private static func key(_ secret: String) -> HostKey {
        try! HostKey(pem: Array(pem(secret).utf8))
    }

    private static func pem(_ secret: String) -> String {
        "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n"
    }
}
