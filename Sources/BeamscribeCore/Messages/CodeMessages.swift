public import FoundationEssentials

/// A host's question for the event's code, in answer to a ``Handshake``.
public struct CodeChallenge: Codable, Equatable, Sendable {
    /// What the guest is to make its secret of the code with: 16...64 bytes, in hexadecimal digits.
    public var salt: String

    /// Asks for the code of a session.
    public init(salt: [UInt8]) {
        self.salt = HexDigits.text(salt)
    }

    /// The salt; nil where it is none.
    public var saltBytes: [UInt8]? {
        guard Limits.saltDigits.contains(salt.utf8.count) else { return nil }
        return HexDigits.bytes(salt)
    }
}

/// What either side says for the proof of the code (SPAKE2+, RFC 9383): the guest its share, then
/// the host its own with the confirmation that it knows the code.
public struct CodeShare: Codable, Equatable, Sendable {
    /// A point of P-256, uncompressed; base64 on the wire.
    public var share: Data
    /// The host's HMAC-SHA-256; absent from a guest's.
    public var confirm: Data?

    /// A guest's share, or a host's with its confirmation.
    public init(share: [UInt8], confirm: [UInt8]? = nil) {
        self.share = Data(share)
        self.confirm = confirm.map { Data($0) }
    }
}

/// A guest's confirmation that it knows the code, and what it tells only a host that does, too.
public struct CodeConfirm: Codable, Equatable, Sendable {
    /// The guest's HMAC-SHA-256; base64 on the wire.
    public var confirm: Data
    /// What the guest has of this event already; absent when it has nothing.
    public var resume: Handshake.Resume?
    /// The guest's clock when it sent this, in seconds since 1970: in place of the handshake's.
    public var timestamp: Double?

    /// A confirmation, and what the handshake would have said.
    public init(confirm: [UInt8], resume: Handshake.Resume?, timestamp: Double?) {
        self.confirm = Data(confirm)
        self.resume = resume
        self.timestamp = timestamp
    }
}
