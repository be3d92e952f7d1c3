import BeamscribeCore
internal import COpenSSL

/// SHA-256 (FIPS 180-4).
public enum Digest {
    /// The 32 bytes.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        EVP_Digest(bytes, bytes.count, &digest, nil, EVP_sha256(), nil)
        return digest
    }
}
