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
}

/// What a host tells of its voices in its answer to a handshake.
public struct VoiceOffer: Codable, Equatable, Sendable {
    /// The UDP port at the address at which the guest has reached the host.
    public var port: Int
    /// What there is, and what the guest may do there.
    public var channels: [Channel]
    /// The lengths that frames may have, in milliseconds.
    public var ptime: [Int]

    /// A channel, as it is to one guest.
    public struct Channel: Codable, Equatable, Sendable {
        /// Its name.
        public var name: String
        /// Whether the guest may talk there.
        public var talk: Bool
        /// Whether the guest may hear it.
        public var hear: Bool

        /// A channel.
        public init(name: String, talk: Bool, hear: Bool) {
            (self.name, self.talk, self.hear) = (name, talk, hear)
        }
    }

    /// An offer.
    public init(port: Int, channels: [Channel], ptime: [Int]) {
        (self.port, self.channels, self.ptime) = (port, channels, ptime)
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
