public import BeamscribeCore
public import BeamscribeTLS

/// How a host proves who it is, and whom it lets in.
public struct HostSecurity: Sendable {
    /// What guests know the host by.
    public var key: HostKey
    /// What guests have to know to come in; nil where everybody may.
    public var code: CodeRecord?
    /// Whether guests who ask for it are served without encryption, too. A code does not go with
    /// it: those guests are turned away as if this were false.
    public var allowsPlain: Bool

    /// A host with a key, and with a code or open to everybody.
    public init(_ key: HostKey, code: CodeRecord? = nil, allowsPlain: Bool = false) {
        self.key = key
        self.code = code
        self.allowsPlain = allowsPlain && code == nil
    }

    /// How it is announced: `tls`, `code` or `plain`.
    public var name: String {
        if code != nil { return "code" }
        return allowsPlain ? "plain" : "tls"
    }

    /// The key's.
    public var fingerprint: Fingerprint { key.fingerprint }

    /// Whether guests have to know a code.
    public var hasCode: Bool { code != nil }
}
