public import FoundationEssentials

/// The host's answer to a ``Handshake``. After a rejection the host closes the connection.
public struct HandshakeResponse: Codable, Equatable, Sendable {
    /// Whether the guest may stay.
    public var status: Status
    /// The version of the wire that the host speaks.
    public var `protocol`: Int?
    /// The session's id, a lower-case UUID: the epoch in which `seq` counts.
    public var session: String?
    /// For each start of a host on this session, the newest line it began with: `[0]` for a host
    /// that was started once, `[0,842]` for one that was resumed after line 842.
    public var runs: [Int]?
    /// The event's name for people.
    public var eventName: String?
    /// The host's machine for people.
    public var deviceName: String?
    /// The first line that the host still has.
    public var firstSeq: Int?
    /// The newest line; 0 while there is none.
    public var lastSeq: Int?
    /// Seconds between signs of life, before the random 1...2 s.
    public var keepAliveInterval: Double?
    /// Why a guest was rejected; a guest treats one it does not know as final.
    public var reason: String?
    /// The reason for people.
    public var message: String?
    /// The host's clock when it sent this, and the clock sample that goes with it.
    public var timestamp: Double?
    /// The guest's own `timestamp`, given back.
    public var echo: Double?
    /// The host's clock when the handshake came.
    public var received: Double?
    /// The version of signed logs, to a guest that reads them and of an event that is signed.
    public var logs: Int?
    /// Who serves the event, too, for a guest of signed logs for whom there is no place.
    public var peers: [Peers.Peer]?
    /// To a node of a mesh, the id of the node that answers, a lower-case UUID. ``session`` is the event's then.
    public var node: String?
    /// The key that that node writes with; as in ``Handshake``.
    public var key: Data?
    /// That it is that node's.
    public var proof: String?
    /// Where voices are to be heard, of a host that has some.
    public var voice: VoiceOffer?

    /// The two answers.
    public enum Status: String, Codable, Sendable {
        /// The guest is let in.
        case accepted
        /// It is not.
        case rejected
    }

    /// The reasons of the contract.
    public enum Reason: String, Sendable {
        /// As many guests are there as may be.
        case full
        /// The guest does not know the event's code.
        case wrongCode = "wrong_code"
        /// The guest speaks another version.
        case unsupportedProtocol = "unsupported_protocol"
        /// The guest is there already.
        case duplicate
        /// The event is over.
        case ended
        /// The guest asked without encryption, and the host does not talk without. Sent without, so
        /// that the guest can read it.
        case encryptionRequired = "encryption_required"
        /// The guest has lines that are not here yet: who answers holds the event for its host.
        case behind
        /// Who answers is a node of another event than the one who asks; ``HandshakeResponse/session`` and
        /// ``HandshakeResponse/eventName`` say of which.
        case anotherEvent = "another_event"
    }

    /// An answer of which nothing else is known yet.
    public init(status: Status) {
        self.status = status
    }

    /// A rejection, with its reason for people.
    public init(rejecting reason: Reason, _ message: String) {
        self.status = .rejected
        self.protocol = Handshake.currentProtocol
        self.reason = reason.rawValue
        self.message = message
    }

    /// Why a guest is refused by who holds less of an event than it has.
    public static let behind =
        "This machine holds the event for its host, and has less of it than you: try another."

    /// Why a guest that speaks another version is refused.
    public static let otherVersion =
        "This host speaks version \(Handshake.currentProtocol) of the protocol."
}

extension HandshakeResponse.Reason {
    /// What a guest that has nothing of the event tells of somebody who holds it and has nothing to
    /// give.
    static let nothingProven =
        "It holds the event for its host, and has nothing of it that can be proven."

    /// What a guest tells its reader of a refusal; nil for a reason that it does not know. It is
    /// not the host's own message: anybody may have answered.
    public static func sentence(_ reason: Self?, over transport: Transport = .network) -> String {
        switch reason {
        case .full where transport == .bluetooth:
            "It takes no more guests over Bluetooth; over the network there may be room."
        case .full: "It takes no more guests: they are all here."
        case .wrongCode: "The code is wrong."
        case .unsupportedProtocol: "It speaks another version of the protocol."
        case .duplicate: "This device has another guest there."
        case .ended: "The event has ended."
        case .encryptionRequired: "It talks with encryption only."
        case .behind:
            "It holds the event for its host, and has less of it than this reader: the captions go on once the "
                + "host, or a machine with more of it, is back."
        case .anotherEvent: "It takes part in another event."
        case nil: "It says why in a way that this version does not know."
        }
    }
}
