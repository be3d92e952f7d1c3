public import BeamscribeCore
import BeamscribeIO
public import BeamscribeVoice

/// What a guest wants to hear, and where its own voice comes from.
public struct IntercomConfiguration: Sendable {
    /// Channels, and how the guest talks.
    public var session: TalkConfiguration
    /// The crew's code, where the guest has it.
    public var crewCode: EventCode?
    /// Where the guest's voice comes from; nil for a guest that only listens.
    public var input: SoundEnd?
    /// Where what it hears goes; nil for nowhere.
    public var output: SoundEnd?
    /// What is done to a microphone's sound; raw sound stays as it is.
    public var cleaning = VoiceCleaning()
    /// Whether others are quieter while the guest talks.
    public var ducks = false
    /// What raw sound is in streams: samples a second, mono, 16 bits, the low byte first.
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
    /// What comes in is sound of another kind than was to come: why.
    case inputUnusable(String)
    /// Who reads the output was too slow, and has missed something. Told once.
    case outputBehind
    /// The output cannot be written any more: why.
    case outputGone(String)
    /// There is news of the microphone or the loudspeaker.
    case device(DeviceNews)
    /// The program was built without what takes echoes and noise out of a microphone's sound.
    case notCleaned
    /// The system does not let sound go before other work.
    case notInTime
}

/// How somebody's own voice stands.
public struct IntercomState: Equatable, Sendable {
    /// Whether he is on his channels.
    public var isHere: Bool
    /// Whether he is heard.
    public var isTalking: Bool
    /// Whether he is not to be heard, though no key would have to be pressed.
    public var isMuted: Bool
    /// Whether his microphone, or a stream in its place, is open.
    public var isMicrophoneOpen: Bool
    /// How loud it is, in decibels of full scale.
    public var level: Double
    /// The channel that he is there for.
    public var channel: String?
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

extension IntercomError {
    /// A thread for sound, or why there is none.
    static func thread() throws(IntercomError) -> LoopThread {
        do throws(SystemError) {
            return try LoopThread()
        } catch {
            throw .system("\(error)")
        }
    }
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
