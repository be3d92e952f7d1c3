/// What takes out of a microphone's sound what is not the talker's voice: what the loudspeaker says, noise.
///
/// Everything comes in frames of 10 ms.
public protocol VoiceProcessor: AnyObject {
    /// Whether what the loudspeaker says is taken out.
    var cancelsEcho: Bool { get set }

    /// The loudspeaker is to say this next.
    func play(_ frame: UnsafeBufferPointer<Float>)

    /// The microphone has heard this, which is made what is to be sent.
    func process(_ frame: UnsafeMutableBufferPointer<Float>)
}

/// What is to be done to a microphone's sound.
public struct VoiceCleaning: Equatable, Sendable {
    /// When what the loudspeaker says is taken out.
    public enum Echo: Sendable {
        /// Unless it is in headphones, as far as their name tells.
        case auto
        /// Always.
        case on
        /// Never.
        case off
    }

    /// When what the loudspeaker says is taken out.
    public var echo = Echo.auto
    /// Whether noise is made less.
    public var reducesNoise = false
    /// Whether who speaks quietly is made louder.
    public var controlsGain = true

    /// Whether anything is to be done.
    public var isWanted: Bool { echo != .off || reducesNoise || controlsGain }

    /// What is usual.
    public init() {}
}
