import BeamscribeCore
import BeamscribeTLS
import Synchronization

/// The contexts of a tunnel's two ends. To make them costs more than the handshake, so they are
/// used again.
///
/// Invariant: they are in the store, or one tunnel has them.
final class TLSContexts: @unchecked Sendable {
    // Unchecked: one tunnel at a time uses them, on one thread.
    let host: TLSContext
    let guest: TLSContext

    private static let store = Mutex<[TLSContexts]>([])

    private init() throws(TLSError) {
        host = try TLSContext(host: Self.hostKey)
        guest = try .guest()
    }

    static func borrow() throws(TLSError) -> TLSContexts {
        if let kept = store.withLock({ $0.popLast() }) { return kept }
        return try TLSContexts()
    }

    func giveBack() {
        Self.store.withLock { $0.append(self) }
    }

    /// What a guest is to see of the host.
    static var fingerprint: Fingerprint { hostKey.fingerprint }

    /// A key whose signatures are always of the same length (Ed25519, RFC 8032), so that a place in
    /// the handshake is the same place each time.
    private static let hostKey = try! HostKey(
        pem: Array(
            """
            -----BEGIN PRIVATE KEY-----
            MC4CAQAwBQYDK2VwBCIEIF9cYFkSFeBok+1kH16e0tkmH31uhMKXzmynvRK7JLzm
            -----END PRIVATE KEY-----

            """.utf8))
}
