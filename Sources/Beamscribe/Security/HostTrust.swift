import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A guest's judgement of who answers it.
///
/// Invariant: once a host was joined by its key, nobody with another key is trusted for as long as
/// the guest lives.
final class HostTrust {
    private let security: GuestSecurity
    private var joined: Fingerprint?
    /// Nil where there is no encryption.
    let context: TLSContext?
    /// Where a handshake's bytes lie while they are taken.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    init(_ security: GuestSecurity) throws(TLSError) {
        self.security = security
        switch security {
        case .plain: context = nil
        case .key: context = try .guest()
        case .code(let code): context = try .guest(code: code)
        }
    }

    deinit {
        scratch.deallocate()
    }

    // MARK: Before anything is said

    /// Judges who has finished the handshake.
    ///
    /// - Parameter fingerprint: the key that it has proved to have; nil without one.
    func judge(_ fingerprint: Fingerprint?) throws(SecurityRefusal) -> ConnectionSecurity {
        guard case .key(let keys) = security, let fingerprint else {
            return context == nil ? .plain : .code
        }
        if let joined {
            guard joined == fingerprint else { throw .anotherHost(offered: fingerprint) }
            return .key(fingerprint, isNew: false)
        }
        if let pin = keys.pin, !pin.matches(fingerprint) {
            throw .notPinned(pin, offered: fingerprint)
        }
        guard let identity = keys.identity else { return .key(fingerprint, isNew: false) }
        return try judge(fingerprint, of: identity, keys)
    }

    private func judge(
        _ fingerprint: Fingerprint, of identity: HostIdentity, _ keys: GuestSecurity.KnownKeys
    ) throws(SecurityRefusal) -> ConnectionSecurity {
        switch keys.known.judge(fingerprint, of: identity) {
        case .firstUse: return .key(fingerprint, isNew: keys.file != nil)
        case .known: return .key(fingerprint, isNew: false)
        case .changed(let remembered, let since):
            guard keys.forgets || keys.pin != nil else {
                throw .keyChanged(
                    identity, remembered: remembered, since: since, offered: fingerprint)
            }
            return .key(fingerprint, isNew: keys.file != nil)
        }
    }

    // MARK: Before anything is shown

    /// The host has let the guest in. A host that was only heard tells its name here, and is judged
    /// by it before any of its words are shown.
    func joins(_ event: JoinedEvent) throws(SecurityRefusal) -> ConnectionSecurity {
        guard case .key(let fingerprint, _) = event.security, joined == nil,
            case .key(let keys) = security
        else { return event.security }
        let verdict =
            keys.identity == nil
            ? try judge(fingerprint, of: .device(event.deviceName), keys) : event.security
        joined = fingerprint
        return verdict
    }

    /// Remembers the key of the host that was joined.
    func remember(_ event: JoinedEvent) throws(KnownHostsFileError) {
        guard case .key(let fingerprint, _) = event.security, case .key(let keys) = security else {
            return
        }
        let identity = keys.identity ?? .device(event.deviceName)
        try keys.file?.update { $0.remember(fingerprint, of: identity, at: Clock.wall) }
    }

    // MARK: Where there is no handshake

    /// What a handshake's failure says of the other side.
    func failure(_ error: SecureSocketError, at destination: Destination) -> DialFailure {
        switch error {
        case .system(let error):
            return .trouble(ConnectionTrouble(cutOffBy: error))
        case .security(.closed):
            return .trouble(.inHandshake(destination))
        case .security(.unprovenHost): return .refused(.hostWithoutCode)
        case .security(.alert(let alert)):
            return refusal(toldBy: alert).map { .refused($0) } ?? .violated(error.clause)
        case .security: return .violated(error.clause)
        }
    }

    private func refusal(toldBy alert: TLSAlert) -> SecurityRefusal? {
        let hasCode = if case .code = security { true } else { false }
        return switch alert {
        case .accessDenied: .doorClosed
        case .illegalParameter, .decryptError, .unknownIdentity: hasCode ? .wrongCode : nil
        case .handshakeFailure, .missingExtension, .certificateRequired: hasCode ? nil : .codeNeeded
        default: nil
        }
    }
}

/// Why no connection to a host came about.
enum DialFailure {
    case trouble(ConnectionTrouble)
    /// Somebody answered who is not to be trusted.
    case refused(SecurityRefusal)
    /// Somebody answered who does not speak as a host does.
    case violated(String)

    /// Whether it says more than another of the same host's ways.
    func outweighs(_ other: DialFailure) -> Bool { weight >= other.weight }

    private var weight: Int {
        switch self {
        case .trouble: 0
        case .violated: 1
        case .refused: 2
        }
    }
}

extension ConnectionTrouble {
    init(cutOffBy error: SystemError) {
        self.init(
            error.isConnectionReset ? .hostLost : .networkLost,
            "the connection was cut off (\(error.reason))")
    }

    static func inHandshake(_ destination: Destination) -> ConnectionTrouble {
        ConnectionTrouble(.hostLost, "\(destination) closed the connection in the handshake")
    }
}
