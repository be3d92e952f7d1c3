import BeamscribeCore
import BeamscribeTLS
import Testing

/// The handshake between our own two ends: who is let in, and who is not.
@Suite struct HandshakeTests {
    private let key: HostKey

    init() throws {
        key = try HostKey()
    }

    @Test func guest_seesTheHostsKey_whenThereIsNoCode() throws {
        let pair = try TLSPair(host: TLSContext(host: key), guest: .guest())
        try pair.settle()
        #expect(pair.host.isEstablished && pair.guest.isEstablished)
        #expect(pair.guest.hostFingerprint == key.fingerprint)
    }
}
