import BeamscribeCore
import TestSupport
import Testing

@testable import BeamscribeTLS

/// A host's key, as it is kept and as others make it.
@Suite struct HostKeyTests {
    @Test func key_isTheSame_whenItWasWrittenAndRead() async throws {
        for _ in 1...20 {
            let made = try HostKey()
            let pem = try made.pem()
            let read = try HostKey(pem: pem)
            #expect(read.fingerprint == made.fingerprint)
            #expect(try read.pem() == pem)
            let pair = try TLSPair.established(TLSContext(host: read), .guest())
            #expect(pair.guest.connection.hostFingerprint == made.fingerprint)
        }
        #expect(try HostKey().fingerprint != HostKey().fingerprint)
    }

    /// A host that is started anew signs nothing anew, and another key has a certificate of its own.
    @Test func context_isMadeOnce_forEachKey() throws {
        let keys = [try HostKey(), try HostKey(pem: try HostKey().pem())]
        for key in keys { #expect(try key.context() === key.context()) }
        #expect(try keys[0].context() !== keys[1].context())
    }

    @Test func fingerprint_isWhatOpenSSLsToolSays_ofTheSameKey() async throws {
        let made = try HostKey()
        let pem = String(decoding: try made.pem(), as: UTF8.self)
        #expect(pem.hasPrefix("-----BEGIN PRIVATE KEY-----\n"))
        #expect(try await OpenSSL.fingerprint(ofKey: pem) == made.fingerprint.hex)
        let text = try await OpenSSL.run("pkey", "-noout", "-text", input: pem)
        #expect(text.contains("prime256v1"))
    }

    @Test(arguments: [
        ("EC", "ec_paramgen_curve:P-256"), ("EC", "ec_paramgen_curve:P-384"),
        ("RSA", "rsa_keygen_bits:2048"), ("RSA", "rsa_keygen_bits:3072"), ("ED25519", ""),
    ])
    func key_isTaken_whenTLS13CanUseIt(_ algorithm: String, _ option: String) async throws {
        let pem =
            option.isEmpty
            ? try await OpenSSL.key(algorithm) : try await OpenSSL.key(algorithm, option)
        let key = try HostKey(pem: Array(pem.utf8))
        #expect(try await OpenSSL.fingerprint(ofKey: pem) == key.fingerprint.hex)
        let pair = try TLSPair.established(TLSContext(host: key), .guest())
        #expect(pair.isEstablished)
        #expect(pair.guest.connection.hostFingerprint == key.fingerprint)
        #expect(try HostKey(pem: try key.pem()).fingerprint == key.fingerprint)
    }

    @Test(arguments: [("RSA", "rsa_keygen_bits:1024"), ("X25519", "")])
    func key_isRefusedWithWords_whenItIsTooWeakOrCannotSign(
        _ algorithm: String, _ option: String
    ) async throws {
        let pem =
            option.isEmpty
            ? try await OpenSSL.key(algorithm) : try await OpenSSL.key(algorithm, option)
        let error = #expect(throws: TLSError.self) {
            _ = try TLSContext(host: HostKey(pem: Array(pem.utf8)))
        }
        #expect("\(try #require(error))".count > 20)
    }

    /// A host starts by itself: to ask for a passphrase would be to hang.
    @Test func key_isRefusedWithoutAQuestion_whenItIsEncrypted() async throws {
        let pem = String(decoding: try HostKey().pem(), as: UTF8.self)
        let encrypted = try await OpenSSL.run(
            "pkcs8", "-topk8", "-passout", "pass:secret", input: pem)
        #expect(encrypted.contains("ENCRYPTED"))
        #expect(throws: TLSError.self) { try HostKey(pem: Array(encrypted.utf8)) }
    }

    @Test func key_isRefused_whenItsFileIsCutOffOrNoKey() async throws {
        let pem = try HostKey().pem()
        for count in stride(from: 0, to: pem.count - 2, by: 3) {
            #expect(throws: TLSError.self, "\(count) bytes") {
                try HostKey(pem: Array(pem.prefix(count)))
            }
        }
        let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        for text in ["", "hello", certificate, String(repeating: "\0", count: 5_000)] {
            #expect(throws: TLSError.self) { try HostKey(pem: Array(text.utf8)) }
        }
        let key = String(decoding: pem, as: UTF8.self)
        let publicKey = try await OpenSSL.run("pkey", "-pubout", input: key)
        #expect(throws: TLSError.self) { try HostKey(pem: Array(publicKey.utf8)) }
    }
}
