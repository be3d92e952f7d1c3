internal import COpenSSL

/// What all TLS connections of one end share: how it proves itself, and what it asks for.
///
/// TLS 1.3 only, X25519 or P-256, AES-GCM or ChaCha20-Poly1305; no tickets, no early data.
///
/// Invariant: `context` is freed once, and `key` is what its callbacks read.
public final class TLSContext {
    let context: OpaquePointer
    let role: TLSRole
    let key: PreSharedKey?
    /// Where records lie for the moment between OpenSSL and the transport.
    let records = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Where plaintext lies while it is taken. Whoever takes it may send, so it is another place.
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    /// A host that proves itself by its key.
    public convenience init(host key: HostKey) throws(TLSError) {
        try self.init(.host, nil)
        let certificate = try SelfSignedCertificate(for: key)
        guard SSL_CTX_use_certificate(context, certificate.certificate) == 1,
            SSL_CTX_use_PrivateKey(context, key.key) == 1
        else { throw .library() }
    }

    /// A host that proves itself, and asks for the proof, by the event's code.
    public convenience init(host code: PreSharedKey) throws(TLSError) {
        try self.init(.host, code)
        SSL_CTX_set_psk_find_session_callback(context, findSession)
    }

    /// A guest that takes any host's key: its caller has to decide what it is worth.
    public static func guest() throws(TLSError) -> TLSContext {
        let made = try TLSContext(.guest, nil)
        // The chain of a self-signed certificate says nothing. That the host has the key that it
        // shows is checked all the same.
        SSL_CTX_set_verify(made.context, SSL_VERIFY_NONE, nil)
        return made
    }

    /// A guest that proves itself, and asks for the proof, by the event's code.
    public static func guest(code: PreSharedKey) throws(TLSError) -> TLSContext {
        let made = try TLSContext(.guest, code)
        SSL_CTX_set_psk_use_session_callback(made.context, useSession)
        // A host that shows a key instead has not proved that it knows the code.
        SSL_CTX_set_verify(made.context, SSL_VERIFY_PEER, nil)
        SSL_CTX_set_cert_verify_callback(made.context, { _, _ in 0 }, nil)
        return made
    }

    private init(_ role: TLSRole, _ key: PreSharedKey?) throws(TLSError) {
        guard let made = SSL_CTX_new(role == .host ? TLS_server_method() : TLS_client_method())
        else { throw .library() }
        context = made
        self.role = role
        self.key = key
        copenssl_refuse_old_ways(made)
        copenssl_spare_memory(made)
        copenssl_limit_certificates(made, Self.certificateBytes)
        SSL_CTX_set_security_level(made, 2)
        // A key that stands for a code goes with SHA-256, as the contract has it.
        let suites = key == nil ? Self.suites : Self.suitesWithSHA256
        guard copenssl_only_version_1_3(made) == 1,
            SSL_CTX_set_ciphersuites(made, suites) == 1,
            copenssl_set_groups(made, "X25519:P-256") == 1,
            SSL_CTX_set_num_tickets(made, 0) == 1,
            SSL_CTX_set_max_early_data(made, 0) == 1,
            SSL_CTX_set_ex_data(made, 0, Unmanaged.passUnretained(self).toOpaque()) == 1
        else { throw .library() }
    }

    deinit {
        SSL_CTX_free(context)
        records.deallocate()
        plaintext.deallocate()
    }

    private static let suitesWithSHA256 = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256"
    private static let suites = suitesWithSHA256 + ":TLS_AES_256_GCM_SHA384"
    /// A self-signed certificate has about 400 bytes.
    private static let certificateBytes = 8_192

    /// The context that a connection belongs to.
    fileprivate static func of(_ connection: OpaquePointer?) -> TLSContext? {
        guard let connection, let context = SSL_get_SSL_CTX(connection),
            let pointer = SSL_CTX_get_ex_data(context, 0)
        else { return nil }
        return Unmanaged<TLSContext>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// A session that holds the key, which is how OpenSSL takes keys for TLS 1.3
    /// (SSL_CTX_set_psk_find_session_callback(3)). Its owner frees it.
    fileprivate func session(on connection: OpaquePointer) -> OpaquePointer? {
        // TLS_AES_128_GCM_SHA256, which stands for its hash here.
        let suite: [UInt8] = [0x13, 0x01]
        guard let key, let cipher = SSL_CIPHER_find(connection, suite),
            let session = SSL_SESSION_new()
        else { return nil }
        guard SSL_SESSION_set1_master_key(session, key.bytes, key.bytes.count) == 1,
            SSL_SESSION_set_cipher(session, cipher) == 1,
            SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1
        else {
            SSL_SESSION_free(session)
            return nil
        }
        return session
    }
}

/// At a host: the key for the identity that a guest names, or none for another identity.
private func findSession(
    _ connection: OpaquePointer?, _ identity: UnsafePointer<UInt8>?, _ length: Int,
    _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    session?.pointee = nil
    guard let connection,
        UnsafeBufferPointer(start: identity, count: length).elementsEqual(PreSharedKey.identity)
    else { return 1 }
    session?.pointee = TLSContext.of(connection)?.session(on: connection)
    return 1
}

/// The identity in memory that lives as long as the program: OpenSSL keeps the pointer.
private nonisolated(unsafe) let identity: UnsafePointer<UInt8> = {
    let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: PreSharedKey.identity.count)
    copy.initialize(from: PreSharedKey.identity, count: PreSharedKey.identity.count)
    return UnsafePointer(copy)
}()

/// At a guest: the key that it offers. After a HelloRetryRequest OpenSSL asks again and names the
/// hash that was chosen; the key goes with SHA-256 only.
private func useSession(
    _ connection: OpaquePointer?, _ hash: OpaquePointer?,
    _ name: UnsafeMutablePointer<UnsafePointer<UInt8>?>?, _ length: UnsafeMutablePointer<Int>?,
    _ session: UnsafeMutablePointer<OpaquePointer?>?
) -> Int32 {
    session?.pointee = nil
    guard let connection else { return 0 }
    if let hash, EVP_MD_is_a(hash, "SHA256") != 1 { return 1 }
    name?.pointee = identity
    length?.pointee = PreSharedKey.identity.count
    session?.pointee = TLSContext.of(connection)?.session(on: connection)
    return session?.pointee == nil ? 0 : 1
}
