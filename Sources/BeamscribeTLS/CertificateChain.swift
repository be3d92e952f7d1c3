import BeamscribeCore
internal import COpenSSL

/// A server's certificate, and those that vouch for it.
///
/// Invariant: there is at least one of `certificates`, and each is freed once.
public final class CertificateChain: @unchecked Sendable {
    // Unchecked: OpenSSL counts references to a certificate with atomic operations, and nobody
    // changes it.
    let certificates: [OpaquePointer]

    /// Reads certificates in PEM form (RFC 7468), the server's own first; nil where there is none, or
    /// one is damaged.
    public init?(pem: [UInt8]) {
        let (certificates, isWhole) = pem.span.withUnsafeBytes(Self.read)
        self.certificates = certificates
        if certificates.isEmpty || !isWhole { return nil }
    }

    private static func read(
        _ pem: UnsafeRawBufferPointer
    ) -> (certificates: [OpaquePointer], isWhole: Bool) {
        guard let source = BIO_new_mem_buf(pem.baseAddress, Int32(clamping: pem.count)) else {
            return ([], false)
        }
        defer { BIO_free(source) }
        var certificates: [OpaquePointer] = []
        copenssl_forget_errors()
        while let certificate = PEM_read_bio_X509(source, nil, nil, nil) {
            certificates.append(certificate)
        }
        // The end is told as a beginning that was not found.
        let isWhole = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE
        ERR_clear_error()
        return (certificates, isWhole)
    }

    deinit {
        for certificate in certificates { X509_free(certificate) }
    }

    /// The names of the DNS that the server's own is for, `*.example.org` perhaps.
    public var names: [String] {
        guard let names = copenssl_names(certificates[0]) else { return [] }
        defer { GENERAL_NAMES_free(names) }
        return (0..<copenssl_name_count(names)).compactMap { index in
            var length: Int32 = 0
            guard let start = copenssl_dns_name(names, index, &length) else { return nil }
            return String(
                decoding: UnsafeBufferPointer(start: start, count: Int(length)), as: UTF8.self)
        }
    }
}
