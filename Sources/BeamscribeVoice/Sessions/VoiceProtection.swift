import BeamscribeCore

/// Which end of a connection.
public enum VoiceSide: Sendable {
    /// Who forwards.
    case host
    /// Who talks or listens.
    case guest
}

/// Keys for the packets between a guest and its host, of the connection that they have: each direction has its own.
public struct VoiceKeys: Sendable {
    /// How many bytes are exported for them.
    public static let length = 2 * (key + salt)
    private static let key = 16
    private static let salt = 12

    /// The guest's key and salt, 28 bytes.
    public let guest: [UInt8]
    /// The host's key and salt, 28 bytes.
    public let host: [UInt8]

    /// - Parameter exported: 56 bytes of the connection's: the guest's key, the host's, the guest's salt, the host's
    ///   (the order of RFC 5764, section 4.2). Others are a mistake of the program's.
    public init(exported: [UInt8]) {
        precondition(exported.count == Self.length, "keys of another length")
        let (keys, salts) = (exported.prefix(2 * Self.key), exported.suffix(2 * Self.salt))
        guest = Array(keys.prefix(Self.key) + salts.prefix(Self.salt))
        host = Array(keys.suffix(Self.key) + salts.suffix(Self.salt))
    }
}

/// What makes packets unreadable for others, and tells whether they are the other side's.
///
/// RTP and RTCP are told apart by their bytes (RFC 5761).
public protocol VoiceProtection: AnyObject {
    /// Protects a packet where it lies.
    ///
    /// - Parameters:
    ///   - packet: with room for what is added.
    ///   - count: how long it is, in bytes.
    /// - Returns: how long it is now; nil where it may not be sent.
    func protect(_ packet: UnsafeMutableRawBufferPointer, count: Int) -> Int?

    /// Opens a packet where it lies.
    ///
    /// - Returns: how long it is now; nil where it is not the other side's, or came before.
    func open(_ packet: UnsafeMutableRawBufferPointer) -> Int?

    /// A source is gone, and does not come back.
    func forget(_ source: UInt32)
}
