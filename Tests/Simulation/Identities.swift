import BeamscribeCore
import BeamscribeTLS

/// Who is who in an event with TLS: what a host proves itself and signs its log with, and what an
/// impostor has.
///
/// The keys are always the same, and of the kind that hosts make themselves. They are made, with their
/// certificates, once and from a seed of their own, since each costs a millisecond.
final class Identities {
    /// Belongs to the host's folder: it outlives its programs and its machines.
    let host = hostKey
    /// What the host keeps of the event's code, where there is one.
    static let code = SeededSecrets.with(seed: 1) { try! CodeSecret.sample.record() }
    private(set) lazy var impostor = try! TLSContext(host: Self.impostorKey)

    /// Also for an event without TLS, which has a key and makes no use of it.
    static let hostKey = key(
        """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4IhrF5ImWGLHMn52
        kV/egHdx7oqRdPahr3NUqYgatTehRANCAARFN483CD2x8jUKufjLYBDZrdwDo4qN
        AnAAEn2mx0FsswGf+JSbkD9SacG/DIbtzYAONe24qeaDEZEIvWVg95tE
        """)
    /// What those have who serve the event besides its host, and those who lie about it.
    static let holderKeys = keys(4, seed: 2)
    /// Those of the captioners beside the event's host.
    static let writerKeys = keys(2, seed: 3)
    /// Those of a mesh's nodes.
    static let nodeKeys = keys(12, seed: 4)
    private static let impostorKey = key(
        """
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgVoobk3max5ZI99pt
        DOM8Rmpzd81YBPbToi2pCjnx16OhRANCAAS8QvWM6BlJjqT6B6bWBV03t4NVvDPO
        EYAghA5qu8RzGuIKi8a6EE00nohs+GAc2WWfdQcRvB7Sibk4L27F5qD/
        """)

    private static func keys(_ count: Int, seed: UInt64) -> [HostKey] {
        SeededSecrets.with(seed: seed) {
            (0..<count).map { _ in
                let key = try! HostKey()
                // Its certificate is made with it.
                _ = try! TLSContext(host: key)
                return key
            }
        }
    }

    /// - Parameter secret: the key in base64 (PKCS #8, RFC 5208), here for everybody to see.
    private static func key(_ secret: String) -> HostKey {
        SeededSecrets.with(seed: 1) { try! HostKey(pem: Array(pem(secret).utf8)) }
    }

    private static func pem(_ secret: String) -> String {
        "-----BEGIN PRIVATE KEY-----\n\(secret)\n-----END PRIVATE KEY-----\n"
    }
}
