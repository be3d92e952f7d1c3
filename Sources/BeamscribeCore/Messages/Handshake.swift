public import FoundationEssentials

/// A guest's first packet: who it is and what it has already.
public struct Handshake: Codable, Equatable, Sendable {
    /// The wire's version; 1.
    public var `protocol`: Int
    /// The guest's device, a lower-case UUID. A second connection of the same device replaces the
    /// first.
    public var deviceId: String
    /// The guest's name for people, for example "Ann's laptop".
    public var displayName: String
    /// The guest's system, for example "Linux".
    public var platform: String?
    /// What the guest has of this event already; absent when it has nothing.
    public var resume: Resume?
    /// The first line wanted by a guest that has none (`--from`); absent for all.
    public var from: Int?
    /// `"none"` for a guest that wants only what comes next (`--no-history`).
    public var history: String?
    /// The guest's clock when it sent this, in seconds since 1970.
    public var timestamp: Double?
    /// The version of signed logs that it reads; absent where it reads none.
    public var logs: Int?
    /// Of a node of a mesh its id, a lower-case UUID: it reads no main log, and all by asking for them.
    public var node: String?
    /// The event in which it is one, a lower-case UUID.
    public var event: String?

    /// The port at which the node can be dialled; nil where nobody can dial it.
    public var port: UInt16?

    /// The public key that the node writes with, a SubjectPublicKeyInfo in DER; base64 on the wire.
    public var key: Data?
    /// That it is the node's; see docs/PROTOCOL.md, "A mesh".
    public var proof: String?

    /// The lines a guest has: all of `session` up to and including `after`.
    public struct Resume: Codable, Equatable, Sendable {
        /// The session that the guest has lines of.
        public var session: String
        /// The last line that it has.
        public var after: Int
        /// The run of the session in which it got that line; absent from guests that do not know
        /// of runs.
        public var run: Int?

        /// All of a session up to a line.
        public init(session: String, after: Int, run: Int? = nil) {
            self.session = session
            self.after = after
            self.run = run
        }
    }

    /// A handshake of the version that this program speaks.
    public init(
        deviceId: String, displayName: String, platform: String? = "Linux", resume: Resume? = nil,
        from: Int? = nil, history: String? = nil, timestamp: Double? = nil
    ) {
        self.protocol = Self.currentProtocol
        self.deviceId = deviceId
        self.displayName = displayName
        self.platform = platform
        self.resume = resume
        self.from = from
        self.history = history
        self.timestamp = timestamp
    }

    /// The version of the wire that this program speaks.
    public static let currentProtocol = 1
    /// The version of signed logs that this program reads and writes.
    public static let currentLogs = 1
    /// The value of ``history`` that asks for no history.
    public static let noHistory = "none"
}

extension UUID {
    /// The UUID as the wire writes it: lower case.
    public var wireName: String { HexDigits.text(self) }
}
