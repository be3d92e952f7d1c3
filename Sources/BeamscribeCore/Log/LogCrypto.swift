/// SHA-256 (FIPS 180-4), as a log's chain is made with it. It is kept without memory of its own: one is
/// made for every line.
public struct LogHash: Hashable, Sendable {
    /// The size, in bytes.
    public static let size = 32
    private var storage = SIMD32<UInt8>()

    /// Has the 32 bytes filled in.
    ///
    /// - Returns: nil where that fails.
    public init?(filledBy fill: (UnsafeMutableRawBufferPointer) -> Bool) {
        guard withUnsafeMutableBytes(of: &storage, fill) else { return nil }
    }

    /// Nil unless there are 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        withUnsafeMutableBytes(of: &storage) { $0.copyBytes(from: bytes) }
    }

    /// Reads 64 hexadecimal digits, as ``FullHistory`` has them.
    public init?(hex: String) {
        guard hex.utf8.count == 2 * Self.size, let bytes = HexDigits.bytes(hex) else { return nil }
        self.init(bytes: bytes)
    }

    /// The 32 bytes.
    public var bytes: [UInt8] { withBytes { Array($0) } }

    /// Gives the 32 bytes, which are valid during the call.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: storage, body)
    }

    /// All 64 digits, in lower case.
    public var hex: String { HexDigits.text(bytes) }
}

/// Hashes what a log is made of.
public protocol LogHasher {
    /// SHA-256 of one part behind the other.
    func hash(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> LogHash
}

extension LogHasher {
    /// SHA-256 of the bytes.
    func hash(_ bytes: UnsafeRawBufferPointer) -> LogHash {
        hash(bytes, UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// What a reader of signed logs needs.
public protocol LogCrypto: LogHasher {
    /// A writer by its public key, a SubjectPublicKeyInfo in DER; nil where that is none of P-256.
    func verifier(of publicKey: [UInt8]) -> (any LogVerifier)?
}

/// Signs what its writer says in a log.
public protocol LogSigner {
    /// The writer's public key, a SubjectPublicKeyInfo in DER (RFC 5280, section 4.1).
    var publicKey: [UInt8] { get }
    /// Signs with ECDSA on P-256 and SHA-256 (FIPS 186-5); nil where that fails, for want of memory
    /// say.
    func sign(_ statement: [UInt8]) -> LogSignature?
}

/// Knows a writer's signatures from those of others.
public protocol LogVerifier {
    /// What a writer is known by.
    var writer: Fingerprint { get }
    /// Whether it is the writer who has signed this.
    func accepts(_ signature: LogSignature, of statement: [UInt8]) -> Bool
}
