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
    /// Whether the lines are signed by their writer, and the guest checks that.
    public var isSigned = false
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
}
