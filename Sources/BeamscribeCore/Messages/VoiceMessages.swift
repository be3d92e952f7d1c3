public import FoundationEssentials

/// What guest and host say to each other about voices, over the connection by which captions go. The voices
/// themselves go beside it, as packets of RTP.
public enum VoiceMessage: Equatable, Sendable {
    case join(VoiceJoin)
    case joined(VoiceJoined)
    case refused(VoiceRefused)
    case peer(VoicePeer)
    case talk(VoiceTalk)
    case wish(VoiceWish)
    case packet(VoicePacket)
    case code(VoiceCode)
    case captioned(VoiceCaptioned)
}

extension VoiceMessage {
    /// The names of their types on the wire.
    private enum TypeName: String, CaseIterable {
        case join = "voice_join"
        case joined = "voice_joined"
        case refused = "voice_refused"
        case peer = "voice_peer"
        case talk = "voice_talk"
        case wish = "voice_wish"
        case packet = "voice_packet"
        case code = "voice_code"
        case captioned = "voice_captioned"
    }

    /// All of them.
    static let typeNames = Set(TypeName.allCases.map(\.rawValue))

    /// A message's type on the wire.
    var typeName: String {
        let name: TypeName =
            switch self {
            case .join: .join
            case .joined: .joined
            case .refused: .refused
            case .peer: .peer
            case .talk: .talk
            case .wish: .wish
            case .packet: .packet
            case .code: .code
            case .captioned: .captioned
            }
        return name.rawValue
    }

    /// Reads a message; nil where its type is of something else.
    init?(_ type: String, from decoder: any Decoder) throws {
        switch TypeName(rawValue: type) {
        case .join?: self = .join(try VoiceJoin(from: decoder))
        case .joined?: self = .joined(try VoiceJoined(from: decoder))
        case .refused?: self = .refused(try VoiceRefused(from: decoder))
        case .peer?: self = .peer(try VoicePeer(from: decoder))
        case .talk?: self = .talk(try VoiceTalk(from: decoder))
        case .wish?: self = .wish(try VoiceWish(from: decoder))
        case .packet?: self = .packet(try VoicePacket(from: decoder))
        case .code?: self = .code(try VoiceCode(from: decoder))
        case .captioned?: self = .captioned(try VoiceCaptioned(from: decoder))
        case nil: return nil
        }
    }

    /// What it says beside its type.
    var body: any Encodable {
        switch self {
        case .join(let body): body
        case .joined(let body): body
        case .refused(let body): body
        case .peer(let body): body
        case .talk(let body): body
        case .wish(let body): body
        case .packet(let body): body
        case .code(let body): body
        case .captioned(let body): body
        }
    }
}

/// What a host tells of its voices in its answer to a handshake.
public struct VoiceOffer: Codable, Equatable, Sendable {
    /// The UDP port at the address at which the guest has reached the host.
    public var port: Int
    /// What there is, and what the guest may do there.
    public var channels: [Channel]
    /// The lengths that frames may have, in milliseconds.
    public var ptime: [Int]
    /// What a guest makes its secret of the crew's code with, 16...64 bytes in hexadecimal digits; absent where
    /// there is no such code.
    public var salt: String?

    /// A channel, as it is to one guest.
    public struct Channel: Codable, Equatable, Sendable {
        /// Its name.
        public var name: String
        /// Whether the guest may talk there.
        public var talk: Bool
        /// Whether the guest may hear it.
        public var hear: Bool
        /// True where it may do more there once it has proved that it knows the crew's code.
        public var code: Bool?

        /// A channel.
        public init(name: String, talk: Bool, hear: Bool, code: Bool = false) {
            (self.name, self.talk, self.hear) = (name, talk, hear)
            self.code = code ? true : nil
        }
    }

    /// An offer.
    public init(port: Int, channels: [Channel], ptime: [Int], salt: [UInt8]? = nil) {
        (self.port, self.channels, self.ptime) = (port, channels, ptime)
        self.salt = salt.map { HexDigits.text($0) }
    }

    /// The salt; nil where there is none, or something else in its place.
    public var saltBytes: [UInt8]? {
        guard let salt, Limits.saltDigits.contains(salt.utf8.count) else { return nil }
        return HexDigits.bytes(salt)
    }
}

/// A step of the proof that a guest knows the crew's code, and the host, too (SPAKE2+, RFC 9383): the guest's share;
/// the host's, with its confirmation; the guest's confirmation; that it is right. What is wrong is answered by a
/// ``VoiceRefused``.
public struct VoiceCode: Codable, Equatable, Sendable {
    /// A point of P-256, uncompressed; base64 on the wire.
    public var share: Data?
    /// An HMAC-SHA-256.
    public var confirm: Data?

    /// A step.
    public init(share: [UInt8]? = nil, confirm: [UInt8]? = nil) {
        (self.share, self.confirm) = (share.map { Data($0) }, confirm.map { Data($0) })
    }
}

/// A guest wants to hear channels, and to talk on one. Said again it changes what was said before; without
/// channels it is a goodbye.
public struct VoiceJoin: Codable, Equatable, Sendable {
    /// What is to be heard.
    public var channels: [String]
    /// Where the guest talks; nil where it only listens.
    public var talk: String?

    /// A wish.
    public init(channels: [String], talk: String? = nil) {
        (self.channels, self.talk) = (channels, talk)
    }
}

/// The guest is on its channels.
public struct VoiceJoined: Codable, Equatable, Sendable {
    /// The source of what the guest sends; never given twice.
    public var ssrc: UInt32
    /// Which of the connection's keys are used: how many there were before.
    public var key: UInt32
    /// How many may talk on a channel at once.
    public var maxTalkers: Int

    /// A place.
    public init(ssrc: UInt32, key: UInt32, maxTalkers: Int) {
        (self.ssrc, self.key, self.maxTalkers) = (ssrc, key, maxTalkers)
    }
}

/// The guest may not join, or not talk.
public struct VoiceRefused: Codable, Equatable, Sendable {
    /// Why: a ``Reason``, or one that a later version knows.
    public var reason: String

    /// The reasons of the contract.
    public enum Reason: String, Sendable {
        /// As many listen, or talk, as may.
        case full
        /// The guest has no right to.
        case noRight = "no_right"
        /// There is no such channel.
        case noChannel = "no_channel"
        /// There are no voices, or they were taken from this guest.
        case off
        /// The crew's code is another.
        case wrongCode = "wrong_code"
    }

    /// A refusal.
    public init(_ reason: Reason) { self.reason = reason.rawValue }
}

/// Somebody else on a channel that the guest hears.
public struct VoicePeer: Codable, Equatable, Sendable {
    /// The source of what is heard.
    public var ssrc: UInt32
    /// The name for people.
    public var name: String
    /// The channel.
    public var channel: String
    /// What became of it: a ``State``, or one that a later version knows.
    public var state: String

    /// What somebody does.
    public enum State: String, Sendable {
        /// Is there.
        case here
        /// Is there, and talks.
        case talking
        /// Is not there any more.
        case gone
    }

    /// Somebody.
    public init(ssrc: UInt32, name: String, channel: String, state: State) {
        (self.ssrc, self.name, self.channel) = (ssrc, name, channel)
        self.state = state.rawValue
    }
}

/// A talk begins or ends.
public struct VoiceTalk: Codable, Equatable, Sendable {
    /// Whose; a guest leaves it out, for it has one alone.
    public var ssrc: UInt32?
    /// Whether it begins.
    public var on: Bool
    /// The RTP time of its first or last packet.
    public var ts: UInt32

    /// A talk.
    public init(ssrc: UInt32? = nil, on: Bool, ts: UInt32) {
        (self.ssrc, self.on, self.ts) = (ssrc, on, ts)
    }
}

/// What those who hear a talker need his packets to be like.
public struct VoiceWish: Codable, Equatable, Sendable {
    /// Whose.
    public var ssrc: UInt32
    /// Copies of what went before in each packet, 0 to 4.
    public var redundancy: Int
    /// A frame's length, in milliseconds.
    public var ptime: Int
    /// What is coded, in bits a second.
    public var bitrate: Int

    /// A wish.
    public init(ssrc: UInt32, redundancy: Int, ptime: Int, bitrate: Int) {
        (self.ssrc, self.redundancy, self.ptime, self.bitrate) = (ssrc, redundancy, ptime, bitrate)
    }
}

/// A packet that UDP does not carry.
public struct VoicePacket: Codable, Equatable, Sendable {
    /// It, encrypted as it would be over UDP.
    public var data: Data

    /// A packet.
    public init(data: Data) { self.data = data }
}

/// What the guest says becomes captions from now on, or becomes none where that of others does.
public struct VoiceCaptioned: Codable, Equatable, Sendable {
    /// Whether it does.
    public var on: Bool
    /// Why it does not: a ``Reason``, or one that a later version knows; absent where it does.
    public var reason: String?

    /// The reasons of the contract.
    public enum Reason: String, Sendable {
        /// As many are listened to as can be.
        case full
        /// The host's recogniser does not run.
        case off
    }

    /// It becomes captions.
    public init() { on = true }

    /// It does not.
    public init(not reason: Reason) { (on, self.reason) = (false, reason.rawValue) }
}
