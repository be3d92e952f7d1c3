public import BeamscribeCore
internal import COpenSSL
import Synchronization

/// The key by which guests know a host again: P-256, which every TLS library takes. One that is read
/// may be of another kind, and a certificate's.
///
/// Invariant: `key` is a private key and freed once.
public final class HostKey: @unchecked Sendable {
    // Unchecked: OpenSSL counts references to a key with atomic operations, and nobody changes it.
    let key: OpaquePointer
    /// Made once: OpenSSL's tables and a certificate's signature take a millisecond.
    private let shared = Mutex<SharedContext?>(nil)
    /// SHA-256 of the public key.
    public let fingerprint: Fingerprint

    /// Makes a new key.
    public convenience init() throws(TLSError) {
        guard let made = copenssl_make_p256_key() else { throw .library() }
        try self.init(owning: made)
    }

    /// Reads a private key in PEM form (RFC 7468), of whatever kind TLS 1.3 can use.
    public convenience init(pem: [UInt8]) throws(TLSError) {
        // OpenSSL reads the bytes where they lie, so they must not go before it is done.
        try self.init(owning: pem.span.withUnsafeBytes(Self.read))
        do throws(TLSError) {
            _ = try context()
        } catch {
            throw .unusableKey("\(error)")
        }
    }

    private static func read(_ pem: UnsafeRawBufferPointer) throws(TLSError) -> OpaquePointer {
        guard let start = pem.baseAddress else { throw .unusableKey(whyUnreadable(pem)) }
        guard let source = BIO_new_mem_buf(start, Int32(clamping: pem.count)) else {
            throw .library()
        }
        defer { BIO_free(source) }
        // Nobody is asked for a passphrase: a host starts by itself.
        let noPassphrase:
            @convention(c) (UnsafeMutablePointer<CChar>?, Int32, Int32, UnsafeMutableRawPointer?) ->
                Int32 = { _, _, _, _ in -1 }
        guard let read = PEM_read_bio_PrivateKey(source, nil, noPassphrase, nil) else {
            _ = TLSError.noted()
            throw .unusableKey(whyUnreadable(pem))
        }
        return read
    }

    private static func whyUnreadable(_ pem: UnsafeRawBufferPointer) -> String {
        String(decoding: pem, as: UTF8.self).contains("ENCRYPTED")
            ? "it is encrypted, and a host asks nobody for a passphrase"
            : "it is no private key in PEM form, or a damaged one"
    }

    private init(owning key: OpaquePointer) throws(TLSError) {
        self.key = key
        guard let fingerprint = Fingerprint(ofPublicKey: key) else {
            throw .library()
        }
        self.fingerprint = fingerprint
    }

    deinit {
        EVP_PKEY_free(key)
    }

    /// What all hosts that have the key share.
    func context() throws(TLSError) -> SharedContext {
        try shared.withLock { shared throws(TLSError) in
            if let shared { return shared }
            let made = try SharedContext(host: key)
            shared = made
            return made
        }
    }

    /// The private key in PEM form (PKCS #8, RFC 5208), to be kept where nobody else reads it.
    public func pem() throws(TLSError) -> [UInt8] {
        guard let sink = BIO_new(BIO_s_mem()) else { throw .library() }
        defer { BIO_free(sink) }
        guard PEM_write_bio_PKCS8PrivateKey(sink, key, nil, nil, 0, nil, nil) == 1 else {
            throw .library()
        }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = BIO_read(sink, &bytes, Int32(clamping: bytes.count))
        return Array(bytes.prefix(Int(max(0, count))))
    }
}

extension Fingerprint {
    /// SHA-256 of a public key's SubjectPublicKeyInfo in DER (RFC 5280, section 4.1; as RFC 7469
    /// has it).
    init?(ofPublicKey key: OpaquePointer) {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(key, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        var digest = [UInt8](repeating: 0, count: 32)
        guard EVP_Digest(encoded, Int(count), &digest, nil, EVP_sha256(), nil) == 1 else {
            return nil
        }
        self.init(bytes: digest)
    }
}
