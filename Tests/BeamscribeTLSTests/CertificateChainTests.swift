import BeamscribeTLS
import TestSupport
import Testing

/// Certificates of a page, as OpenSSL's tool makes them.
@Suite struct CertificateChainTests {
    private func files(_ kind: Certificate.Kind) async throws -> (chain: [UInt8], key: [UInt8]) {
        let made = try await Certificate.make(kind)
        return (
            Array(try made.folder.read("certificate.pem").utf8),
            Array(try made.folder.read("key.pem").utf8)
        )
    }

    @Test func names_areThoseOfTheDNS_ofTheFirst() async throws {
        let one = try await files(
            .init(
                testDescription: "names",
                hosts: "DNS:captions.example.net,IP:192.0.2.7,email:a@b.example,DNS:*.hall.example")
        )
        let other = try await files(.init(testDescription: "other"))
        let chain = try #require(CertificateChain(pem: one.chain + other.chain))
        #expect(chain.names == ["captions.example.net", "*.hall.example"])
        #expect(CertificateChain(pem: other.chain)?.names == ["beamscribe"])
        _ = try TLSContext(chain, HostKey(pem: one.key))
    }

    @Test func chain_isNone_whereACertificateIsDamagedOrThereIsNone() async throws {
        let (chain, key) = try await files(.init(testDescription: "P-256"))
        #expect(CertificateChain(pem: []) == nil)
        #expect(CertificateChain(pem: key) == nil)
        let second = Array("-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n".utf8)
        #expect(CertificateChain(pem: chain + second) == nil)
        // Text beside it is what tools write there.
        #expect(CertificateChain(pem: Array("Subject: x\n".utf8) + chain + key) != nil)
    }

    @Test func keyOfAnother_isRefused() async throws {
        let one = try await files(.init(testDescription: "P-256"))
        let rsa = Certificate.Kind(
            testDescription: "RSA", algorithm: "RSA", option: "rsa_keygen_bits:2048")
        for other in [try await files(.init(testDescription: "P-256")), try await files(rsa)] {
            let chain = try #require(CertificateChain(pem: one.chain))
            _ = try TLSContext(chain, HostKey(pem: one.key))
            #expect(throws: TLSError.unusableKey("they do not go together")) {
                _ = try TLSContext(chain, HostKey(pem: other.key))
            }
        }
    }
}
