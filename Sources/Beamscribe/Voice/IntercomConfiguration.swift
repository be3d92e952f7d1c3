public import BeamscribeCore
public import BeamscribeVoice

/// What a guest wants to hear, and where its own voice comes from.
public struct IntercomConfiguration: Sendable {
    /// Channels, and how the guest talks.
    public var session: TalkConfiguration
    /// The crew's code, where the guest has it.
    public var crewCode: EventCode?
    /// Where the guest's voice comes from; nil for a guest that only listens.
    public var input: RawSound?
    /// Where what it hears goes; nil for nowhere.
    public var output: RawSound?
    /// What sound is in streams: samples a second, mono, 16 bits, the low byte first.
    public var rate = OpusPacket.clock

    /// A guest that does what `session` says.
    public init(_ session: TalkConfiguration) { self.session = session }
}

/// What happens on an intercom.
public enum IntercomEvent: Equatable, Sendable {
    /// Of the session: who is there, who talks, what was refused.
    case session(VoiceEvent)
    /// The host knows another code for its crew.
    case wrongCode
    /// The host has no code for a crew.
    case noCode
    /// The packets' way cannot be had: why.
    case noWay(String)
    /// The input has ended, or cannot be read any more: why.
    case inputEnded(String?)
    /// Who reads the output was too slow, and has missed something. Told once.
    case outputBehind
    /// The output cannot be written any more: why.
    case outputGone(String)
    /// The system does not let sound go before other work.
    case notInTime
}

/// Why an intercom cannot be had.
public enum IntercomError: Error, Equatable {
    /// The program was built without what voices need.
    case notBuilt
    /// There is no encryption, without which nobody may listen.
    case withoutEncryption
    /// The system refuses a thread, a stream or memory: why.
    case system(String)
}

extension IntercomError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .withoutEncryption: "there are no voices without encryption"
        case .notBuilt: "this beamscribe was built without voices"
        case .system(let why): why
        }
    }
}
