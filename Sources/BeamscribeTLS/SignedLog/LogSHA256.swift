public import BeamscribeCore
internal import COpenSSL

/// SHA-256 for lines by the hundred thousand: what OpenSSL needs for one is kept for the next.
///
/// Invariant: `context` is freed once.
public final class LogSHA256: LogCrypto {
    private let context: OpaquePointer
    private let algorithm: OpaquePointer

    /// - Throws: ``TLSError/library(_:)`` for want of memory.
    public init() throws(TLSError) {
        guard let context = EVP_MD_CTX_new() else { throw .library() }
        guard let algorithm = EVP_MD_fetch(nil, "SHA256", nil) else {
            EVP_MD_CTX_free(context)
            throw .library()
        }
        (self.context, self.algorithm) = (context, algorithm)
    }

    deinit {
        EVP_MD_CTX_free(context)
        EVP_MD_free(algorithm)
    }

    public func hash(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer
    ) -> LogHash {
        let hash = LogHash { digest in
            EVP_DigestInit_ex2(context, algorithm, nil) == 1
                && EVP_DigestUpdate(context, first.baseAddress, first.count) == 1
                && EVP_DigestUpdate(context, second.baseAddress, second.count) == 1
                && EVP_DigestFinal_ex(
                    context, digest.baseAddress?.assumingMemoryBound(to: UInt8.self), nil) == 1
        }
        guard let hash else { preconditionFailure("SHA-256 does not fail") }
        return hash
    }

    public func verifier(of publicKey: [UInt8]) -> (any LogVerifier)? { WriterPublicKey(publicKey) }
}
