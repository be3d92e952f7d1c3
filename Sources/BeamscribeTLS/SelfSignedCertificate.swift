internal import COpenSSL

/// The form that TLS wants a host's key in. It says nothing that a guest believes: the key itself
/// is what guests know, and this is made anew for each that is read.
///
/// Invariant: `certificate` is freed once.
final class SelfSignedCertificate {
    let certificate: OpaquePointer

    /// - Parameter key: what it is made for, and signed with.
    init(for key: OpaquePointer) throws(TLSError) {
        guard let made = X509_new() else { throw .library() }
        certificate = made
        guard Self.fill(made, for: key) else { throw .library() }
    }

    /// Rooms without internet have machines without the right time: it is valid for ever (RFC
    /// 5280, section 4.1.2.5, names the last date of all).
    private static func fill(_ made: OpaquePointer, for key: OpaquePointer) -> Bool {
        // Ed25519 has its digest built in; everything else signs one of SHA-256.
        let digest = EVP_PKEY_get_base_id(key) == EVP_PKEY_ED25519 ? nil : EVP_sha256()
        return X509_set_version(made, 2) == 1
            && ASN1_INTEGER_set(X509_get_serialNumber(made), 1) == 1
            && ASN1_TIME_set_string(X509_getm_notBefore(made), "20000101000000Z") == 1
            && ASN1_TIME_set_string(X509_getm_notAfter(made), "99991231235959Z") == 1
            && X509_set_pubkey(made, key) == 1
            && setNames(of: made)
            && X509_sign(made, key, digest) > 0
    }

    deinit {
        X509_free(certificate)
    }

    private static func setNames(of certificate: OpaquePointer) -> Bool {
        guard let name = X509_get_subject_name(certificate) else { return false }
        return X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, "beamscribe", -1, -1, 0) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }
}
