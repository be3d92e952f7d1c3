import BeamscribeCore
import BeamscribeIO
import BeamscribeTLS

/// A guest's judgement of who answers it.
///
/// What is pinned, remembered and compared is the key that has signed the event; where nothing is signed,
/// that of the connection. Whoever serves another's log is known by what it serves.
///
/// Invariant: once an event was joined by its key, nobody's words with another key are trusted for as
/// long as the guest lives.
final class HostTrust {
    private let keys: GuestSecurity.KnownKeys
    private var joined: Fingerprint?
    /// The keys of those who have served the event, and have not written it.
    private var holders: Set<Fingerprint> = []
    /// Whether the event is known by what was kept of it alone: who serves it at an address is not.
    private var isOnlyKept = false
    /// Nil where there is no encryption.
    let context: TLSContext?
    /// Where a handshake's bytes lie while they are taken.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)

    init(_ security: GuestSecurity) throws(TLSError) {
        keys = security.keys
        context = security.isPlain ? nil : try .guest()
    }

    /// Stands for the key of who has none, and signs nothing.
    private static let nobody = Fingerprint(bytes: Array(repeating: 0, count: 32))!

    deinit {
        scratch.deallocate()
    }

    // MARK: Before anything is said

    /// Judges who has finished the handshake by the names under which it was found: a hint, and never
    /// all.
    ///
    /// - Parameter fingerprint: the key that it has proved to have; nil without encryption.
    func judge(_ fingerprint: Fingerprint?, at way: Way) throws(SecurityRefusal) -> Judgement {
        if way == .backbone {
            return Judgement(
                security: .key(Self.nobody, isNew: false), counterpart: .holder, isWriter: false)
        }
        guard let fingerprint else {
            return Judgement(security: .plain, counterpart: .host, isWriter: false)
        }
        let other: Counterpart = way == .holder ? .holder : .unknown
        let judgement = Judgement(
            security: .key(fingerprint, isNew: false),
            counterpart: isExpected(fingerprint) ? .host : other,
            isWriter: joined == fingerprint)
        switch way {
        case .holder, .backbone: return judgement
        case .address where joined == nil || isOnlyKept || holders.contains(fingerprint): break
        case .address, .host:
            if let joined, joined != fingerprint { throw .anotherHost(offered: fingerprint) }
            if let pin = keys.pin, !pin.matches(fingerprint) {
                throw .notPinned(pin, offered: fingerprint)
            }
        }
        if joined == nil { _ = try isFirstMeeting(fingerprint, keys.announced) }
        return judgement
    }

    /// Whether nothing speaks against it that this is the key of the event itself.
    private func isExpected(_ fingerprint: Fingerprint) -> Bool {
        joined.map { $0 == fingerprint } ?? keys.pin?.matches(fingerprint) ?? true
    }

    /// - Throws: where what is remembered speaks against the key.
    private func isFirstMeeting(
        _ fingerprint: Fingerprint, _ introduction: Introduction
    ) throws(SecurityRefusal) -> Bool {
        let known = keys.forgets ? keys.known.forgetting(introduction) : keys.known
        let verdict = known.judge(fingerprint, of: introduction)
        if keys.pin != nil { return verdict == .firstMeeting }
        let isAccepted = keys.acceptsNewHosts || keys.accepted.contains(fingerprint)
        switch verdict {
        case .firstMeeting: return true
        case .known: return false
        case .changed(let identity, let remembered, let since):
            throw .keyChanged(identity, remembered: remembered, since: since, offered: fingerprint)
        case .newHost(let event, let hosts):
            if isAccepted { return false }
            throw .newHost(
                event: event, known: hosts, device: introduction.device, offered: fingerprint)
        case .codeIsGone(let event):
            if isAccepted { return false }
            throw .codeIsGone(event: event, device: introduction.device, offered: fingerprint)
        }
    }

    // MARK: Before anything is shown

    /// The host has let the guest in, and tells its names: it is judged by them before any of its
    /// words are shown, and once more by those that it was found under, now that it is clear
    /// whether it has asked for a code.
    func joins(_ event: JoinedEvent) throws(SecurityRefusal) -> ConnectionSecurity {
        guard let fingerprint = event.key else { return event.security }
        if let joined, joined != fingerprint { throw .anotherHost(offered: fingerprint) }
        if let pin = keys.pin, !pin.matches(fingerprint) {
            throw .notPinned(pin, offered: fingerprint)
        }
        isOnlyKept = false
        if event.isHeld, let holder = event.security.fingerprint,
            holders.count < Limits.nodes
        {
            holders.insert(holder)
        }
        let security = event.security.of(fingerprint)
        guard joined == nil else { return security }
        let isNew = try isFirstMeeting(fingerprint, introduction(of: event))
        var announced = keys.announced
        if event.isHeld { announced.address = nil }
        announced.hasCode = event.security.provesCode
        _ = try isFirstMeeting(fingerprint, announced)
        joined = fingerprint
        return security.new(isNew && keys.file != nil)
    }

    /// An event was kept that was joined in an earlier program: nobody else's words are trusted.
    func takeUp(_ event: JoinedEvent) throws(SecurityRefusal) {
        _ = try joins(event)
        isOnlyKept = true
    }

    /// - Parameter wall: seconds since 1970.
    func remember(_ event: JoinedEvent, at wall: Double) throws(KnownHostsFileError) {
        guard let fingerprint = event.key else { return }
        let introduction = introduction(of: event)
        try keys.file?.update { $0.remember(fingerprint, of: introduction, at: wall) }
    }

    private func introduction(of event: JoinedEvent) -> Introduction {
        Introduction(
            // Where somebody else serves it is no address of the host's.
            address: event.isHeld ? nil : keys.announced.address,
            device: event.deviceName.isEmpty ? nil : event.deviceName,
            event: event.eventName.isEmpty ? nil : event.eventName,
            hasCode: event.security.provesCode)
    }

    // MARK: Where there is no handshake

    /// What a handshake's failure says of the other side.
    func failure(_ error: SecureSocketError, at destination: Destination) -> DialFailure {
        switch error {
        case .system(let error):
            return .trouble(ConnectionTrouble(cutOffBy: error))
        case .security(.closed):
            let why = "\(destination) closed the connection in the handshake"
            return .trouble(ConnectionTrouble(.hostLost, why))
        case .security(.alert(.accessDenied)): return .refused(.doorClosed)
        case .security(.alert(.internalError)):
            let why = "\(destination) has too many newcomers at its door just now"
            return .trouble(ConnectionTrouble(.hostLost, why))
        case .security: return .violated(error.clause)
        }
    }
}

extension HostTrust {
    /// How a way was found, and so who may be there.
    enum Way {
        /// The event's host has announced it.
        case host
        /// The user has given it: the host's, or that of somebody who holds the event.
        case address
        /// Somebody has announced that he holds the event: his key says nothing, what he serves does.
        case holder
        /// A server keeps the event, which has no key of its own: what it keeps tells.
        case backbone
    }

    /// What is thought of who answers.
    struct Judgement {
        let security: ConnectionSecurity
        let counterpart: Counterpart
        /// Whether it has the key of the event that the guest has joined, whatever others say of it.
        let isWriter: Bool
    }
}

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
}
