internal import COpenSSL

/// What all TLS connections of one end share: how it proves itself, and what it asks for.
///
/// TLS 1.3 only, AES-GCM or ChaCha20-Poly1305; no tickets, no early data. The groups for the key
/// exchange are OpenSSL's own, so that a newer one's hybrid with a post-quantum one is used; an older
/// one's without those that cost a host much.
///
public final class TLSContext {
    private let shared: SharedContext
    var context: OpaquePointer { shared.context }
    /// Whether this is the host's end of a connection, or the guest's.
    let isHost: Bool
    /// Where records lie for the moment between OpenSSL and the transport.
    let records = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Where plaintext lies while it is taken. Whoever takes it may send, so it is another place.
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    public convenience init(host key: HostKey) throws(TLSError) {
        self.init(try key.context(), isHost: true)
    }

    /// A server of HTTP/1.1 for browsers, which trust certificates.
    ///
    /// - Throws: ``TLSError/unusableKey(_:)`` where the key is not the certificate's, or a certificate
    ///   is too weak.
    public convenience init(_ chain: CertificateChain, _ key: HostKey) throws(TLSError) {
        self.init(try SharedContext(isHost: true), isHost: true)
        copenssl_speak_http_1_1(context)
        guard X509_check_private_key(chain.certificates[0], key.key) == 1 else {
            _ = TLSError.noted()
            throw .unusableKey("they do not go together")
        }
        copenssl_forget_errors()
        guard SSL_CTX_use_certificate(context, chain.certificates[0]) == 1,
            SSL_CTX_use_PrivateKey(context, key.key) == 1,
            chain.certificates.dropFirst().allSatisfy({ copenssl_add_to_chain(context, $0) == 1 })
        else { throw .unusableKey("\(TLSError.library())") }
    }

    /// A guest that takes any host's key: its caller has to decide what it is worth.
    public static func guest() throws(TLSError) -> TLSContext {
        let made = TLSContext(try SharedContext(isHost: false), isHost: false)
        // The chain of a self-signed certificate says nothing. That the host has the key that it
        // shows is checked all the same.
        SSL_CTX_set_verify(made.context, SSL_VERIFY_NONE, nil)
        return made
    }

    private init(_ shared: SharedContext, isHost: Bool) {
        self.shared = shared
        self.isHost = isHost
    }

    deinit {
        records.deallocate()
        plaintext.deallocate()
    }
}

/// OpenSSL's part of a ``TLSContext``. Once it is made nobody changes it, and OpenSSL takes care of
/// those who use it at the same time, so that all hosts with one key have one.
///
/// Invariant: `context` is freed once.
final class SharedContext: @unchecked Sendable {
    let context: OpaquePointer

    /// - Throws: where a key is of a kind that TLS 1.3 cannot use.
    convenience init(host key: OpaquePointer) throws(TLSError) {
        try self.init(isHost: true)
        let certificate = try SelfSignedCertificate(for: key)
        guard SSL_CTX_use_certificate(context, certificate.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, key) == 1
        else { throw .library() }
    }

    init(isHost: Bool) throws(TLSError) {
        guard let made = SSL_CTX_new(isHost ? TLS_server_method() : TLS_client_method())
        else { throw .library() }
        context = made
        copenssl_refuse_old_ways(made)
        copenssl_spare_memory(made)
        copenssl_limit_certificates(made, Self.certificateBytes)
        SSL_CTX_set_security_level(made, 2)
        guard copenssl_only_version_1_3(made) == 1,
            SSL_CTX_set_ciphersuites(made, Self.suites) == 1,
            copenssl_choose_groups(made) == 1,
            SSL_CTX_set_num_tickets(made, 0) == 1,
            SSL_CTX_set_max_early_data(made, 0) == 1
        else { throw .library() }
    }

    deinit {
        SSL_CTX_free(context)
    }

    private static let suites =
        "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_256_GCM_SHA384"
    /// A self-signed certificate has about 400 bytes.
    private static let certificateBytes = 8_192
}
