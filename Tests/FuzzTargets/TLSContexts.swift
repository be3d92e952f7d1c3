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
    private let identity: TLSIdentity

    private static let store = Mutex<[TLSIdentity: [TLSContexts]]>([:])

    private init(_ identity: TLSIdentity) throws(TLSError) {
        self.identity = identity
        host = try identity.hostContext()
        guest = try identity.guestContext()
    }

    static func borrow(for identity: TLSIdentity) throws(TLSError) -> TLSContexts {
        if let kept = store.withLock({ $0[identity]?.popLast() }) { return kept }
        return try TLSContexts(identity)
    }

    func giveBack() {
        Self.store.withLock { $0[identity, default: []].append(self) }
    }
}
