public import FoundationEssentials

/// The id of a log that its writer's key is bound to, so that in an event that is open to everybody nobody
/// can give out a log of another's id as his own: the first half of
///
///     SHA-256("beamscribe session v1" 00 created(8) key)
///
/// with the bits of a UUID of version 8 (RFC 9562, section 5.8). `created` are milliseconds since 1970,
/// big-endian, and `key` is a SubjectPublicKeyInfo in DER, both as the log's record has them.
public enum BoundSession {
    /// The id of a log that this key's owner has begun then.
    ///
    /// - Parameter created: in seconds since 1970; see ``rounded(_:)``.
    /// - Returns: nil for a time that is none.
    public static func id(
        of publicKey: [UInt8], begunAt created: Double, by hasher: any LogHasher
    ) -> UUID? {
        guard let milliseconds = UInt64(exactly: (created * 1_000).rounded()) else { return nil }
        let time = withUnsafeBytes(of: milliseconds.bigEndian) { Array($0) }
        let statement = LogStatement.begin("beamscribe session v1") + time + publicKey
        let hash: LogHash = statement.withUnsafeBytes { hasher.hash($0) }
        var id = hash.withBytes { $0.loadUnaligned(as: uuid_t.self) }
        id.6 = id.6 & 0x0F | 0x80
        id.8 = id.8 & 0x3F | 0x80
        return UUID(uuid: id)
    }

    /// A time as it can be said in a record and read back the same.
    public static func rounded(_ created: Double) -> Double { (created * 1_000).rounded() / 1_000 }

    /// Whether a record's log has the id that belongs to its key.
    static func isOwn(_ record: LogRecord, by hasher: any LogHasher) -> Bool {
        id(of: Array(record.key), begunAt: record.created, by: hasher)?.wireName == record.session
    }
}
