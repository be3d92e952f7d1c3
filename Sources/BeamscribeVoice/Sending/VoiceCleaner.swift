import BeamscribeCore

/// Makes of a microphone's sound what is to be sent, in the frames of ``VoiceProcessor``s where it cannot be done sooner.
///
/// A canceller makes all sound later, by 7 ms the one that there is, and is left out while the loudspeaker says nothing:
///
///     at rest --something is played--> at work --half a second of silence--> at rest
///
/// What is played and what is heard rest together, so that it still knows the room when it goes on.
///
/// Invariant: of either direction less than a frame waits.
public final class VoiceCleaner {
    private static let frame = OpusPacket.clock / 100
    /// After so many frames of silence nothing comes back from the room.
    private static let calm = 50
    /// What is quieter is silence: 60 dB below full scale.
    private static let silence: Float = 0.001

    private let canceller: (any VoiceProcessor)?
    private let denoiser: (any VoiceProcessor)?
    private let gain: VoiceGain?
    private var heard: [Float] = []
    private var played: [Float] = []
    /// How many frames were played since one that could be heard.
    private var quiet = calm
    /// How many frames the canceller has had since it was at rest. With the first it finds its way back.
    private var worked = 0

    /// Whether what the loudspeaker says is taken out.
    public var cancelsEcho = false

    /// - Parameters:
    ///   - canceller: what takes out what the loudspeaker says.
    ///   - denoiser: what makes noise less, where that is wanted.
    ///   - leveller: what says how loud it is to be, where that is wanted.
    public init(
        canceller: (any VoiceProcessor)?, denoiser: (any VoiceProcessor)? = nil,
        leveller: (any VoiceProcessor)? = nil
    ) {
        (self.canceller, self.denoiser) = (canceller, denoiser)
        gain = leveller.map { VoiceGain($0) }
    }

    /// The loudspeaker is to say this next.
    public func play(_ samples: [Float]) {
        played += samples
        while played.count >= Self.frame {
            played.withUnsafeBufferPointer {
                play(UnsafeBufferPointer(rebasing: $0[..<Self.frame]))
            }
            played.removeFirst(Self.frame)
        }
    }

    private func play(_ frame: UnsafeBufferPointer<Float>) {
        let isHeard = frame.contains { abs($0) > Self.silence }
        quiet = isHeard ? 0 : min(quiet + 1, Self.calm)
        guard quiet < Self.calm else { return }
        denoiser?.play(frame)
        gain?.play(frame)
        if cancelsEcho { canceller?.play(frame) }
    }

    private var isCancellerNeeded: Bool {
        canceller != nil && cancelsEcho && quiet < Self.calm
    }

    /// What is to be sent of what the microphone has heard by now: whole frames, where they are needed.
    ///
    /// - Parameter isGap: whether samples were lost before these.
    public func clean(_ samples: [Float], afterGap isGap: Bool) -> [Float] {
        var cleaned = takeOut(samples, afterGap: isGap)
        gain?.apply(to: &cleaned, afterGap: isGap)
        return cleaned
    }

    /// Takes out echo and noise.
    private func takeOut(_ samples: [Float], afterGap isGap: Bool) -> [Float] {
        if isGap { heard = [] }
        heard += samples
        guard denoiser != nil || isCancellerNeeded || worked > 0 else {
            defer { heard = [] }
            return heard
        }
        let count = heard.count / Self.frame * Self.frame
        var cleaned = Array(heard[..<count])
        heard.removeFirst(count)
        cleaned.withUnsafeMutableBufferPointer { buffer in
            for start in stride(from: 0, to: count, by: Self.frame) {
                let end = start + Self.frame
                clean(UnsafeMutableBufferPointer(rebasing: buffer[start..<end]))
            }
        }
        return cleaned
    }

    private func clean(_ frame: UnsafeMutableBufferPointer<Float>) {
        if isCancellerNeeded || worked > 0 { cancel(in: frame) }
        denoiser?.process(frame)
    }

    /// Goes from what was heard to what is left of it, and back, within a frame, without a click.
    private func cancel(in frame: UnsafeMutableBufferPointer<Float>) {
        let heard = Array(frame)
        canceller?.process(frame)
        let before: Float = worked > 1 ? 1 : 0
        worked = isCancellerNeeded ? min(worked + 1, 2) : 0
        let after: Float = worked > 1 ? 1 : 0
        guard before < 1 || after < 1 else { return }
        for index in frame.indices {
            let share = before + (after - before) * Float(index) / Float(frame.count)
            frame[index] = heard[index] + (frame[index] - heard[index]) * share
        }
    }
}
