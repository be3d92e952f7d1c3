import BeamscribeCore

/// Makes who speaks quietly louder, and no sound later.
///
/// A ``VoiceProcessor`` with gain control works on whole frames, and what it gives back is late by a few milliseconds more.
/// So it gets a copy: all that is taken from it is how much louder it has made that, and the sound itself is
/// made as much louder at once.
///
/// Invariant: less than a frame waits; the gain changes from sample to sample, and never jumps.
final class VoiceGain {
    private static let frame = OpusPacket.clock / 100
    /// How much of what was before counts beside a new frame: it is about a syllable's length that is looked at.
    private static let memory: Float = 0.85
    /// What is quieter tells nothing: 60 dB below full scale, as the mean of squares.
    private static let silence: Float = 1e-6
    /// 18 dB either way.
    private static let range: ClosedRange<Float> = 0.125...8

    private let processor: any VoiceProcessor
    private var waiting: [Float] = []
    /// Mean squares of what went into the processor, and of what came out.
    private var energies: (before: Float, after: Float) = (0, 0)
    private var gain: Float = 1
    private var wanted: Float = 1

    /// - Parameter processor: what says how loud it is to be.
    init(_ processor: any VoiceProcessor) { self.processor = processor }

    /// The loudspeaker is to say this next, a frame.
    func play(_ frame: UnsafeBufferPointer<Float>) { processor.play(frame) }

    /// - Parameter isGap: whether samples were lost before these.
    func apply(to samples: inout [Float], afterGap isGap: Bool) {
        if isGap { waiting = [] }
        waiting += samples
        while waiting.count >= Self.frame {
            learn(from: Array(waiting[..<Self.frame]))
            waiting.removeFirst(Self.frame)
        }
        guard !samples.isEmpty else { return }
        let step = (wanted - gain) / Float(samples.count)
        for index in samples.indices {
            gain += step
            samples[index] = Mixer.limited(samples[index] * gain)
        }
        gain = wanted
    }

    private func learn(from frame: [Float]) {
        var processed = frame
        processed.withUnsafeMutableBufferPointer { processor.process($0) }
        let (before, after) = (Self.energy(of: frame), Self.energy(of: processed))
        guard before > Self.silence, before.isFinite, after.isFinite else { return }
        energies.before = energies.before * Self.memory + before * (1 - Self.memory)
        energies.after = energies.after * Self.memory + after * (1 - Self.memory)
        let ratio = (energies.after / energies.before).squareRoot()
        wanted = min(max(ratio, Self.range.lowerBound), Self.range.upperBound)
    }

    private static func energy(of samples: [Float]) -> Float {
        samples.reduce(0) { $0 + $1 * $1 } / Float(samples.count)
    }
}
