public import BeamscribeCore
public import BeamscribeTLS

/// How a host proves who it is, and whom it lets in.
public struct HostSecurity: Sendable {
    /// The proof.
    public var proof: Proof
    /// Whether guests who ask for it are served without encryption, too.
    public var allowsPlain: Bool

    /// What guests know a host by.
    public enum Proof: Sendable {
        /// Everybody may come; guests know the host again by its key.
        case key(HostKey)
        /// Who knows the event's code may come.
        case code(PreSharedKey)
    }

    /// - Parameter allowsPlain: lets in guests who prove nothing, which a code does not go with.
    public init(_ proof: Proof, allowsPlain: Bool = false) {
        self.proof = proof
        self.allowsPlain = allowsPlain
    }

    /// How it is announced: `tls`, `code` or `plain`.
    public var name: String {
        switch proof {
        case .key: allowsPlain ? "plain" : "tls"
        case .code: "code"
        }
    }

    /// The key's fingerprint; nil with a code.
    public var fingerprint: Fingerprint? {
        if case .key(let key) = proof { return key.fingerprint }
        return nil
    }

    /// Whether guests have to know a code.
    public var hasCode: Bool {
        if case .code = proof { true } else { false }
    }

    func context() throws(TLSError) -> TLSContext {
        switch proof {
        case .key(let key): try TLSContext(host: key)
        case .code(let code): try TLSContext(host: code)
        }
    }
}
