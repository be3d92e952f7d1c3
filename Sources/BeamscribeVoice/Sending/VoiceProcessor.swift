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

/// Cuts sound into the frames of a ``VoiceProcessor``.
///
/// Invariant: of either direction less than a frame waits.
public final class VoiceCleaner {
    private static let frame = OpusPacket.clock / 100

    private let processor: any VoiceProcessor
    private var heard: [Float] = []
    private var played: [Float] = []

    /// - Parameter processor: what does it.
    public init(_ processor: any VoiceProcessor) { self.processor = processor }

    /// Whether what the loudspeaker says is taken out.
    public var cancelsEcho: Bool {
        get { processor.cancelsEcho }
        set { processor.cancelsEcho = newValue }
    }

    /// The loudspeaker is to say this next.
    public func play(_ samples: [Float]) {
        played += samples
        while played.count >= Self.frame {
            played.withUnsafeBufferPointer {
                processor.play(UnsafeBufferPointer(rebasing: $0[..<Self.frame]))
            }
            played.removeFirst(Self.frame)
        }
    }

    /// What is to be sent of what the microphone has heard by now, in whole frames.
    ///
    /// - Parameter isGap: whether samples were lost before these.
    public func clean(_ samples: [Float], afterGap isGap: Bool) -> [Float] {
        if isGap { heard = [] }
        heard += samples
        let count = heard.count / Self.frame * Self.frame
        var cleaned = Array(heard[..<count])
        heard.removeFirst(count)
        cleaned.withUnsafeMutableBufferPointer { buffer in
            for start in stride(from: 0, to: count, by: Self.frame) {
                let end = start + Self.frame
                processor.process(UnsafeMutableBufferPointer(rebasing: buffer[start..<end]))
            }
        }
        return cleaned
    }
}
