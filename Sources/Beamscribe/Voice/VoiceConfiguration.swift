import BeamscribeCore
public import BeamscribeTLS
public import BeamscribeVoice

/// The voices that a host offers beside its captions.
public struct VoiceConfiguration: Sendable {
    /// What there is to be heard, and who may talk.
    public var channels: [VoiceChannel]
    /// What those prove to know who are of the crew; nil where nobody can be.
    public var crew: CodeRecord?
    /// What the host itself says, on the channel ``VoiceChannel/floor``; nil for nothing.
    public var floor: Floor?
    /// The channels of which what is said becomes captions, each once.
    public var captions: [Captions] = []
    /// How many may talk on a channel at once.
    public var maximumTalkers = Limits.talkers
    /// How many may be on channels at once.
    public var maximumListeners = Limits.listeners
    /// The UDP port; nil for the number of the event's own, or a free one where that is taken.
    public var port: UInt16?

    /// Channels, with the usual limits.
    public init(channels: [VoiceChannel], crew: CodeRecord? = nil) {
        (self.channels, self.crew) = (channels, crew)
    }

    /// How what is said on a channel becomes captions.
    public struct Captions: Equatable, Sendable {
        /// The channel's name.
        public var channel: String
        /// A command that is run for each talker: it reads raw samples at ``Limits/captionedRate``, 16 bits, the low byte
        /// first, mono, and prints what a recogniser does.
        public var command: String

        /// Captions of a channel, by a command.
        public init(of channel: String, by command: String) {
            (self.channel, self.command) = (channel, command)
        }
    }

    /// What the room sounds like.
    public struct Floor: Equatable, Sendable {
        /// Where it comes from.
        public var input: SoundEnd
        /// Its samples a second.
        public var rate: Int
        /// Who is heard, for people.
        public var name: String

        /// Sound from somewhere.
        public init(_ input: SoundEnd, rate: Int, name: String) {
            (self.input, self.rate, self.name) = (input, rate, name)
        }
    }
}
