import TestSupport
import Testing

/// Guests of hosts that are made with another TLS than ours.
@Suite struct IndependentHostTests {
    static let good = [
        Certificate.Kind(testDescription: "P-256"),
        Certificate.Kind(
            testDescription: "Ed25519", algorithm: "ED25519", option: ""),
        Certificate.Kind(
            testDescription: "RSA 2048", algorithm: "RSA", option: "rsa_keygen_bits:2048"),
        Certificate.Kind(testDescription: "expired", until: "20010101000000Z"),
        Certificate.Kind(testDescription: "not valid yet", from: "20980101000000Z"),
        Certificate.Kind(testDescription: "another's name", name: "www.example.org"),
    ]

    /// The key counts: rooms without internet have no right time, and nobody to vouch for a name.
    @Test(arguments: good)
    func guest_joinsAndRemembers_whateverTheCertificateSaysOfItself(
        _ kind: Certificate.Kind
    ) async throws {
        let certificate = try await Certificate.make(kind)
        let host = try await OpenSSLHost(certificate.options)
        let guest = try host.join()
        try await host.playEvent()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...3))
        #expect(guest.standardErrorText.contains("First time with this host"))
        let known = try KnownHostsRecord(in: host.folder)
        #expect(known.addresses[host.address]?.fingerprint == certificate.fingerprint)
        #expect(known.hosts.values.map(\.fingerprint) == [certificate.fingerprint])
        #expect(certificate.fingerprint.count == 64)
    }

    @Test func guest_endsWithCode76_whenTheHostsKeyIsTooWeak() async throws {
        let certificate = try await Certificate.make(
            Certificate.Kind(
                testDescription: "RSA 1024", algorithm: "RSA", option: "rsa_keygen_bits:1024"))
        let host = try await OpenSSLHost(certificate.options + ["-cipher", "DEFAULT@SECLEVEL=0"])
        try await expectNoHost(host, host.join(), because: "a key that is too weak")
    }

    @Test func guest_endsWithCode76_whenTheHostHasTLS12Only() async throws {
        let certificate = try await Certificate.make(Self.good[0])
        let host = try await OpenSSLHost(certificate.options + ["-tls1_2"])
        try await expectNoHost(host, host.join(), because: "protocol_version")
    }

    /// A self-signed certificate has a few hundred bytes; nobody needs to read megabytes.
    @Test func guest_endsWithCode76_whenTheHostShowsCertificatesWithoutEnd() async throws {
        let certificate = try await Certificate.make(Self.good[0])
        let pem = try certificate.folder.read("certificate.pem")
        let chain = try certificate.folder.write(
            String(repeating: pem, count: 60), to: "chain.pem")
        let host = try await OpenSSLHost(certificate.options + ["-cert_chain", chain])
        try await expectNoHost(host, host.join(), because: "TLS 1.3 as it should")
    }

    @Test func guest_endsWithCode76_whenWhatAnswersIsNoTLS() async throws {
        let host = try FakeHost()
        let guest = try host.join("--timeout", "60")
        for _ in 1...3 {
            let connection = try await host.acceptSocket()
            try await connection.send(Array("no certificate, no hello, no host\r\n".utf8))
        }
        try await guest.expectExit(76)
        #expect(guest.standardErrorLines.last?.hasPrefix("beamscribe: ") == true)
        #expect(guest.standardOutputText == "")
    }

    private func expectNoHost(
        _ host: OpenSSLHost, _ guest: RunningProgram, because reason: String
    ) async throws {
        try await guest.expectExit(76)
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.hasPrefix("beamscribe: ") && last.contains(reason), "\(last)")
        #expect(guest.standardOutputText == "")
        #expect(!host.server.standardOutputText.contains("deviceId"), "It has said who it is.")
        #expect(throws: (any Error).self) { try KnownHostsRecord(in: host.folder) }
    }
}
