import BeamscribeCore
internal import COpenSSL

/// SPAKE2+ (RFC 9383), ciphersuite P256-SHA256-HKDF-SHA256-HMAC-SHA256: two who share a password
/// prove that to each other, and who only listens or guesses learns nothing that he could try
/// passwords against. One side, the prover, knows `w0` and `w1`, which are made of the password; the
/// other, the verifier, `w0` and `L`, with which nobody can pass for the prover.
///
///     prover                                        verifier
///     X = x*P + w0*M          -- shareP = X -->     Y = y*P + w0*N
///                             <-- shareV = Y --     Z = y*(X - w0*M), V = y*L
///     Z = x*(Y - w0*N)        <-- confirmV ---      confirmV = HMAC(K_confirmV, shareP)
///     V = w1*(Y - w0*N)       --- confirmP -->      confirmP = HMAC(K_confirmP, shareV)
///
/// No library of Debian's has it: the group, the hashes and the random numbers are OpenSSL's.
enum SPAKE2Plus {
    /// Points of which nobody knows the logarithm (RFC 9383, section 4, for P-256).
    fileprivate static let m = constant(
        "02886e2f97ace46e55ba9dd7242579f2993b64e16ef3dcab95afd497333d8fa12f")
    fileprivate static let n = constant(
        "03d8bbd6c639c62937b04d997f38c3770719c629d7014d49a24b4f98baa1292b49")

    private static func constant(_ hex: String) -> [UInt8] {
        let digits = Array(hex.utf8)
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(String(decoding: digits[$0...($0 + 1)], as: UTF8.self), radix: 16) ?? 0
        }
    }

    fileprivate static func point(_ constant: [UInt8]) throws(TLSError) -> Point {
        guard let point = Point(constant) else { throw .library() }
        return point
    }

    /// What both sides must agree in (RFC 9383, section 3.3). Names are part of it.
    struct Transcript {
        let context: [UInt8]
        var prover: [UInt8] = []
        var verifier: [UInt8] = []

        /// The keys that follow from it and from what only the two know (section 3.4).
        func keys(
            shareP: [UInt8], shareV: [UInt8], z: Point, v: Point, w0: Scalar
        ) throws(TLSError) -> Keys {
            // Whoever knows w0 alone could bring this about, and then know Z and V.
            guard !z.isIdentity, !v.isIdentity else { throw .violation("an impossible share") }
            let parts = [
                context, prover, verifier, try point(m).bytes, try point(n).bytes, shareP, shareV,
                z.bytes, v.bytes, w0.bytes,
            ]
            let bytes = parts.flatMap { Self.length($0) + $0 }
            var main = [UInt8](repeating: 0, count: 32)
            guard EVP_Digest(bytes, bytes.count, &main, nil, EVP_sha256(), nil) == 1 else {
                throw .library()
            }
            return try Keys(main: main)
        }

        /// Eight bytes, little-endian.
        private static func length(_ part: [UInt8]) -> [UInt8] {
            withUnsafeBytes(of: UInt64(clamping: part.count).littleEndian) { Array($0) }
        }
    }

    /// The keys by which each side confirms that it has come to the same ones.
    struct Keys {
        let confirmP: [UInt8]
        let confirmV: [UInt8]
        /// Of no use here: TLS has its own keys.
        let shared: [UInt8]

        init(main: [UInt8]) throws(TLSError) {
            let confirmation = try Self.derive(main, "ConfirmationKeys", count: 64)
            confirmP = Array(confirmation[..<32])
            confirmV = Array(confirmation[32...])
            shared = try Self.derive(main, "SharedKey", count: 32)
        }

        private static func derive(
            _ main: [UInt8], _ info: String, count: Int
        ) throws(TLSError) -> [UInt8] {
            let info = Array(info.utf8)
            var output = [UInt8](repeating: 0, count: count)
            guard
                copenssl_hkdf_sha256(main, main.count, info, info.count, &output, count) == 1
            else { throw .library() }
            return output
        }
    }

    // MARK: The two sides

    /// The side that knows the password.
    struct Prover {
        let share: [UInt8]
        private let x: Scalar
        private let w0: Scalar
        private let w1: Scalar
        private let transcript: Transcript

        init(
            w0: Scalar, w1: Scalar, x: Scalar, _ transcript: Transcript
        ) throws(TLSError) {
            (self.w0, self.w1, self.x, self.transcript) = (w0, w1, x, transcript)
            share = try Point.generator(times: x).plus(try point(m).times(w0)).bytes
        }

        /// The keys, once the verifier's share is there.
        func keys(_ theirs: Point) throws(TLSError) -> Keys {
            let base = try theirs.minus(try point(n).times(w0))
            return try transcript.keys(
                shareP: share, shareV: theirs.bytes, z: try base.times(x), v: try base.times(w1),
                w0: w0)
        }
    }

    /// The side that can check the password.
    struct Verifier {
        let share: [UInt8]
        private let y: Scalar
        private let w0: Scalar
        private let l: Point
        private let transcript: Transcript

        init(
            w0: Scalar, l: Point, y: Scalar, _ transcript: Transcript
        ) throws(TLSError) {
            (self.w0, self.l, self.y, self.transcript) = (w0, l, y, transcript)
            share = try Point.generator(times: y).plus(try point(n).times(w0)).bytes
        }

        /// The keys, once the prover's share is there.
        func keys(_ theirs: Point) throws(TLSError) -> Keys {
            let base = try theirs.minus(try point(m).times(w0))
            return try transcript.keys(
                shareP: theirs.bytes, shareV: share, z: try base.times(y), v: try l.times(y),
                w0: w0)
        }
    }

    // MARK: Confirmation

    /// HMAC-SHA-256 (RFC 2104) of `share`.
    static func confirmation(_ key: [UInt8], of share: [UInt8]) throws(TLSError) -> [UInt8] {
        var code = [UInt8](repeating: 0, count: 32)
        guard
            HMAC(EVP_sha256(), key, Int32(clamping: key.count), share, share.count, &code, nil)
                != nil
        else { throw .library() }
        return code
    }

    /// Whether two codes are the same, in the same time for a near miss as for a far one.
    static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.count == other.count && CRYPTO_memcmp(one, other, one.count) == 0
    }
}
