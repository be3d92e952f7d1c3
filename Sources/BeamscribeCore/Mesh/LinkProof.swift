import FoundationEssentials

/// With whose key a node of a mesh writes, proven over one connection: a signature under what only the two ends of
/// that have.
///
///     "beamscribe peer v1" 00 role exporter(32)
///
/// The role is one byte: G of who has dialled, H of the other.
struct LinkProof: Equatable {
    /// Which end of a connection it is.
    enum Role: Character {
        case dialler = "G"
        case dialled = "H"
    }

    /// The public key, a SubjectPublicKeyInfo in DER.
    let key: Data
    /// The signature, in base64url.
    let proof: String

    /// - Parameter exporter: what the connection exports (RFC 8446, section 7.5), under the label
    ///   `EXPORTER-beamscribe-peer`.
    /// - Returns: nil where it cannot be signed.
    init?(by signer: any LogSigner, as role: Role, over exporter: [UInt8]) {
        guard let signature = signer.sign(Self.statement(role, exporter)) else { return nil }
        (key, proof) = (Data(signer.publicKey), signature.text)
    }

    /// What the other end has said; nil where it has said none.
    init?(key: Data?, proof: String?) {
        guard let key, let proof else { return nil }
        (self.key, self.proof) = (key, proof)
    }

    /// Who it is; nil where that is not proven.
    func writer(
        as role: Role, over exporter: [UInt8], _ crypto: any LogCrypto
    ) -> Fingerprint? {
        var text = proof
        guard let verifier = crypto.verifier(of: Array(key)),
            let signature = text.withUTF8({ LogSignature(text: UnsafeRawBufferPointer($0)) }),
            verifier.accepts(signature, of: Self.statement(role, exporter))
        else { return nil }
        return verifier.writer
    }

    private static func statement(_ role: Role, _ exporter: [UInt8]) -> [UInt8] {
        LogStatement.begin("beamscribe peer v1") + Array(String(role.rawValue).utf8) + exporter
    }
}
