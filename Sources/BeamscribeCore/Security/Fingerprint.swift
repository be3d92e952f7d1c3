/// What a host's key is told by: the SHA-256 of its public key, a DER-encoded SubjectPublicKeyInfo
/// (as RFC 7469, section 2.4, has it). A renewed certificate of the same key keeps it.
public struct Fingerprint: Hashable, Sendable, CustomStringConvertible {
    /// The size, in bytes.
    static let size = 32
    /// How many digits people compare, and a host announces: 64 bits, out of reach for whoever
    /// would look for a second key with the same ones.
    static let shortDigits = 16

    /// The 32 bytes.
    public let bytes: [UInt8]

    /// Nil unless there are 32 bytes.
    public init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Reads 64 hexadecimal digits of either case, and nothing else.
    public init?(hex: String) {
        // A name of any length may come from a file; what it costs is decided by its length first.
        guard hex.utf8.count == 2 * Self.size, let bytes = HexDigits.bytes(hex) else { return nil }
        self.bytes = bytes
    }

    /// All 64 digits, in lower case.
    public var hex: String { HexDigits.text(bytes) }
    /// The first 16 digits, as in the announcement's `fp=`.
    public var short: String { String(hex.prefix(Self.shortDigits)) }
    /// The first 16 digits as people compare them: "1a2b 3c4d 5e6f 7a8b".
    public var groups: String { HexDigits.groups(short) }
    public var description: String { groups }
}

/// In files it is all 64 digits.
extension Fingerprint: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let fingerprint = Fingerprint(hex: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "no fingerprint")
        }
        self = fingerprint
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(hex)
    }
}
