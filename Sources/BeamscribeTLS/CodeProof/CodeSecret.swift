public import BeamscribeCore
internal import COpenSSL

/// What a guest makes of an event's code to prove it: `w0` and `w1` of SPAKE2+ (RFC 9383, section
/// 3.2), for one session.
public struct CodeSecret: Sendable, Equatable {
    /// The session's salt that it was made with.
    public let salt: [UInt8]
    let w0: [UInt8]
    let w1: [UInt8]
}

extension CodeSecret {
    /// How many bytes scrypt gives for each of the two: 64 bits more than the group's order has, so
    /// that what is left of them is as good as uniform.
    private static let halfBytes = 40

    /// Derives it with scrypt (RFC 7914), N = 2^15, r = 8, p = 1: 32 MiB and about a tenth of a
    /// second. So who steals what the host keeps pays that for each guess. Not to be called on a loop.
    ///
    /// - Parameter salt: the session's, 16...64 bytes.
    public init(of code: EventCode, salt: [UInt8]) throws(TLSError) {
        guard let derived = Self.scrypt(code.characters, salt) else {
            throw .library("scrypt needs 32 MiB of memory")
        }
        self.init(
            salt: salt, w0: try Scalar(reducing: Array(derived[..<Self.halfBytes])).bytes,
            w1: try Scalar(reducing: Array(derived[Self.halfBytes...])).bytes)
    }

    private static func scrypt(_ characters: [UInt8], _ salt: [UInt8]) -> [UInt8]? {
        var output = [UInt8](repeating: 0, count: 2 * halfBytes)
        let code = characters.withUnsafeBytes {
            EVP_PBE_scrypt(
                $0.baseAddress?.assumingMemoryBound(to: CChar.self), $0.count, salt, salt.count,
                1 << 15, 8, 1, 64 << 20, &output, output.count)
        }
        return code == 1 ? output : nil
    }
}

/// What a host keeps of its event's code, for one session: enough to see whether a guest knows it,
/// and not enough to pass for one that does.
public struct CodeRecord: Sendable, Equatable {
    /// What guests are told to make their secret with: the 16 bytes of the session's id.
    public let salt: [UInt8]
    let w0: [UInt8]
    /// `w1` times the generator.
    let l: [UInt8]

}

extension CodeRecord {
    /// Derives it; see ``CodeSecret/init(of:salt:)``.
    public init(of code: EventCode, salt: [UInt8]) throws(TLSError) {
        self = try CodeSecret(of: code, salt: salt).record()
    }
}

extension CodeSecret {
    /// A secret of no code, for tests that have no tenth of a second.
    package static let sample = CodeSecret(
        salt: [UInt8](repeating: 3, count: 16), w0: [UInt8](repeating: 5, count: 32),
        w1: [UInt8](repeating: 6, count: 32))

    /// That of another code, with the same salt.
    package static let otherSample = CodeSecret(
        salt: sample.salt, w0: [UInt8](repeating: 7, count: 32), w1: sample.w1)

    /// What a host keeps of the same code.
    package func record() throws(TLSError) -> CodeRecord {
        CodeRecord(
            salt: salt, w0: w0, l: try Point.generator(times: Scalar(reducing: w1)).bytes)
    }
}

/// Something that nobody prints who prints what it is given.
public protocol Secret: CustomStringConvertible, CustomReflectable {}

extension Secret {
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension CodeSecret: Secret {
    public var description: String { "(a code's secret)" }
}

extension CodeRecord: Secret {
    public var description: String { "(a code's record)" }
}
