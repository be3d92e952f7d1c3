import FoundationEssentials

/// What a host says of its event when it lets a guest in.
public struct JoinedEvent: Equatable, Sendable {
    /// The event's name, safe to show.
    public var eventName: String
    /// The host's machine, safe to show.
    public var deviceName: String
    /// The session's id, a lower-case UUID.
    public var session: String
    /// The starts of a host on this session.
    public var runs = SessionRuns()
    /// The host's newest line.
    public var history: Int
    /// What carries the connection.
    public var transport = Transport.network
    /// What is known of who the host is.
    public var security = ConnectionSecurity.plain
    /// Why a key that is new was not remembered; nil where it was.
    public var forgottenKey: String?
    /// Whether the lines are signed by their writer, and the guest checks that.
    public var isSigned = false
    /// The writer of the lines, who has signed them, and whom a holder serves; nil where they are not
    /// signed.
    public var writer: Fingerprint?
    /// The machine that serves the event, safe to show, where that is not its host's.
    public var holder: String?
    /// Whether everybody may write in it, and it goes on without whoever has begun it; false where that is not
    /// known.
    public var isOpen = false
    /// Whether nobody has let the guest in yet, and this is what an earlier program has kept here.
    public var isKept = false
    /// Whether somebody else than their writer serves the lines.
    public var isHeld: Bool { holder != nil }
    /// What the event is known by from now on: its writer's key, or that of the host that answers.
    public var key: Fingerprint? { writer ?? security.fingerprint }
}

extension JoinedEvent {
    /// What a host that accepts a guest says of its event.
    init(
        _ response: HandshakeResponse, over transport: Transport, _ security: ConnectionSecurity
    ) throws(GuestViolation) {
        // Anything else could hold what moves a cursor, and is shown.
        guard let session = response.session.flatMap(UUID.init(uuidString:))?.wireName else {
            throw .incompleteHandshake("session")
        }
        self.init(
            eventName: SafeText.name(response.eventName ?? "", bytes: Limits.eventNameBytes),
            deviceName: SafeText.name(response.deviceName ?? "", bytes: Limits.deviceNameBytes),
            session: session, runs: SessionRuns(after: response.runs ?? [0]) ?? SessionRuns(),
            history: min(max(response.lastSeq ?? 0, 0), Limits.lineNumber), transport: transport,
            security: security)
    }

    /// Its writer is known. Of a log that another holds it also says what the event is called, and on which
    /// machine it is at home.
    mutating func isWritten(by writer: Fingerprint, as record: LogRecord) {
        (self.writer, isOpen) = (writer, record.open == true)
        guard writer != security.fingerprint else { return }
        isHeld(by: deviceName, for: writer, as: record)
    }

    /// It is served by another machine than its writer's.
    mutating func isHeld(by device: String, for writer: Fingerprint, as record: LogRecord) {
        (self.writer, holder, isOpen) = (writer, device, record.open == true)
        eventName = SafeText.name(record.eventName, bytes: Limits.eventNameBytes)
        deviceName = SafeText.name(record.deviceName, bytes: Limits.deviceNameBytes)
    }
}
