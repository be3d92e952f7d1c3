public import BeamscribeCore
internal import COpenSSL
import Glibc

/// The private key of a log's writer: a host's own, where that is P-256.
///
/// TLS 1.3 signs with the same key what begins with 64 spaces (RFC 8446, section 4.4.3), and no
/// statement of a log does: neither can be taken for the other.
public struct WriterKey: LogSigner, Sendable {
    public let publicKey: [UInt8]
    private let host: HostKey

    /// Nil for a key of another kind, by which nothing can be signed.
    public init?(_ host: HostKey) {
        guard host.key.isP256, let publicKey = host.key.publicKeyBytes else { return nil }
        (self.host, self.publicKey) = (host, publicKey)
    }

    public func sign(_ statement: [UInt8]) -> LogSignature? {
        guard let context = EVP_MD_CTX_new() else { return nil }
        defer { EVP_MD_CTX_free(context) }
        // No signature of P-256 is longer in DER.
        var (signature, count) = ([UInt8](repeating: 0, count: 72), 72)
        guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, host.key) == 1,
            EVP_DigestSign(context, &signature, &count, statement, statement.count) == 1
        else {
            copenssl_forget_errors()
            return nil
        }
        return LogSignature(der: signature[..<count])
    }
}

/// The public key of a log's writer.
///
/// Invariant: `key` is a point of P-256 and freed once.
public final class WriterPublicKey: LogVerifier {
    public let writer: Fingerprint
    private let key: OpaquePointer

    /// Reads a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1); nil where it is none of P-256, or
    /// has bytes too many.
    public init?(_ bytes: [UInt8]) {
        let read: OpaquePointer? = bytes.withUnsafeBufferPointer {
            var next = $0.baseAddress
            guard let key = d2i_PUBKEY(nil, &next, $0.count) else { return nil }
            if next == $0.baseAddress.map({ $0 + bytes.count }), key.isP256 { return key }
            EVP_PKEY_free(key)
            return nil
        }
        copenssl_forget_errors()
        guard let read else { return nil }
        guard let writer = Fingerprint(ofPublicKey: read) else {
            EVP_PKEY_free(read)
            return nil
        }
        (key, self.writer) = (read, writer)
    }

    deinit {
        EVP_PKEY_free(key)
    }

    public func accepts(_ signature: LogSignature, of statement: [UInt8]) -> Bool {
        guard let der = signature.der, let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            copenssl_forget_errors()
        }
        return EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, der, der.count, statement, statement.count) == 1
    }
}

extension OpaquePointer {
    /// Whether this key is of the curve P-256.
    fileprivate var isP256: Bool {
        var (name, count) = ([CChar](repeating: 0, count: 32), 0)
        let isNamed = EVP_PKEY_get_group_name(self, &name, name.count, &count) == 1
        copenssl_forget_errors()
        return isNamed && strcmp(name, "prime256v1") == 0
    }

    /// This key's public half, a SubjectPublicKeyInfo in DER.
    fileprivate var publicKeyBytes: [UInt8]? {
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_PUBKEY(self, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}

extension LogSignature {
    private static var half: Int { size / 2 }

    /// Reads DER (RFC 3279, section 2.2.3), as OpenSSL writes it.
    fileprivate init?(der: ArraySlice<UInt8>) {
        let read: OpaquePointer? = der.withUnsafeBufferPointer {
            var next = $0.baseAddress
            return d2i_ECDSA_SIG(nil, &next, $0.count)
        }
        guard let read else { return nil }
        defer { ECDSA_SIG_free(read) }
        var raw = [UInt8](repeating: 0, count: Self.size)
        let isWhole = raw.withUnsafeMutableBufferPointer { bytes -> Bool in
            guard let start = bytes.baseAddress else { return false }
            return BN_bn2binpad(ECDSA_SIG_get0_r(read), start, Int32(clamping: Self.half))
                == Self.half
                && BN_bn2binpad(
                    ECDSA_SIG_get0_s(read), start + Self.half, Int32(clamping: Self.half))
                    == Self.half
        }
        guard isWhole else { return nil }
        self.init(bytes: raw)
    }

    /// As OpenSSL reads it; nil for want of memory.
    fileprivate var der: [UInt8]? {
        guard let made = ECDSA_SIG_new() else { return nil }
        defer { ECDSA_SIG_free(made) }
        let r = BN_bin2bn(bytes, Int32(clamping: Self.half), nil)
        let s = BN_bin2bn(Array(bytes[Self.half...]), Int32(clamping: Self.half), nil)
        guard let r, let s, ECDSA_SIG_set0(made, r, s) == 1 else {
            BN_free(r)
            BN_free(s)
            return nil
        }
        var encoded: UnsafeMutablePointer<UInt8>?
        let count = i2d_ECDSA_SIG(made, &encoded)
        guard count > 0, let encoded else { return nil }
        defer { CRYPTO_free(encoded, #file, #line) }
        return Array(UnsafeBufferPointer(start: encoded, count: Int(count)))
    }
}
