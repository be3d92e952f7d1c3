import BeamscribeCore
import BeamscribeTLS

/// A guest's proof that it knows the event's code: the secret that the code and a session's salt
/// make, which takes a while and serves for all connections, and the proof on the one there is.
///
/// Invariant: `proof` is of the connection that ``begin(_:exporter:)`` was called for last.
final class GuestCode {
    private let kind: CodeKind
    private let make: @Sendable ([UInt8]) -> CodeSecret?
    private var secret: CodeSecret?
    private var proof: CodeProof?

    /// Nil for a guest without the event's code.
    init?(_ security: GuestSecurity) {
        guard let code = security.code else { return nil }
        kind = .event
        make = { [makeSecret = security.makeSecret] in makeSecret(code, $0) }
    }

    /// Another of the event's codes.
    init(_ code: EventCode, of kind: CodeKind) {
        self.kind = kind
        make = { try? CodeSecret(of: code, salt: $0) }
    }

    /// The secret for a salt, if it was made before.
    func secret(for salt: [UInt8]) -> CodeSecret? {
        secret?.salt == salt ? secret : nil
    }

    /// What makes it, away from the loop; see ``CodeSecret/init(of:salt:)``.
    func recipe(for salt: [UInt8]) -> @Sendable () -> CodeSecret? {
        { [make] in make(salt) }
    }

    /// Begins the proof on a connection, and returns the guest's share; nil where that fails.
    func begin(_ secret: CodeSecret, exporter: [UInt8]) -> [UInt8]? {
        self.secret = secret
        proof = try? CodeProof(secret, of: kind, exporter: exporter)
        return proof?.share
    }

    /// Judges what the host has answered.
    func judge(share: [UInt8], confirm: [UInt8]) -> GuestSession.CodeVerdict {
        defer { proof = nil }
        switch try? proof?.judge(share: share, confirm: confirm) {
        case .proven(let confirm)?: return .proven(confirm: confirm)
        case .wrongCode?: return .wrong
        case .broken?, nil: return .broken
        }
    }
}
