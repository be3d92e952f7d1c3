public import BeamscribeCore

/// Several who talk at once, as one sound: the loudest of them, and never beyond full scale.
///
/// Who comes in, goes out or is turned up does so within one call, without a click.
///
/// Invariant: `gains` has those alone who were heard in the last call.
public struct Mixer: Sendable {
    /// What one talker says, in the time of one call.
    public struct Voice {
        /// Who.
        public var source: UInt32
        /// How loud he is to be, as a factor.
        public var gain: Float
        /// What he says.
        public var samples: UnsafeBufferPointer<Float>

        /// A voice.
        public init(source: UInt32, gain: Float, samples: UnsafeBufferPointer<Float>) {
            (self.source, self.gain, self.samples) = (source, gain, samples)
        }
    }

    /// Who is heard gives way only to who is louder by this factor of power: 3 dB.
    private static let loyalty: Float = 2
    /// By how much of itself power that was comes down in a sample: by a twentieth in 5 ms.
    private static let fall: Float = 0.05 / 240
    /// From where on peaks are rounded, as a share of full scale.
    private static let knee: Float = 0.8

    private let most: Int
    private var powers: [UInt32: Float] = [:]
    private var gains: [UInt32: Float] = [:]

    /// - Parameter most: how many are heard at once.
    public init(most: Int = Limits.mixedTalkers) {
        self.most = most
    }

    /// Mixes voices of one length.
    ///
    /// - Parameter sum: as long as they are; what was in it is lost.
    public mutating func mix(
        _ voices: [Voice], into sum: UnsafeMutableBufferPointer<Float>
    ) {
        sum.update(repeating: 0)
        let chosen = choose(voices)
        var gains: [UInt32: Float] = [:]
        for voice in voices {
            let before = self.gains[voice.source] ?? 0
            let after = chosen.contains(voice.source) ? voice.gain : 0
            if after > 0 { gains[voice.source] = after }
            guard before > 0 || after > 0 else { continue }
            let step = (after - before) / Float(max(1, sum.count))
            for index in 0..<min(sum.count, voice.samples.count) {
                sum[index] += voice.samples[index] * (before + step * Float(index + 1))
            }
        }
        self.gains = gains
        for index in sum.indices { sum[index] = Self.limited(sum[index]) }
    }

    private mutating func choose(_ voices: [Voice]) -> Set<UInt32> {
        var next: [UInt32: Float] = [:]
        for voice in voices {
            let count = Float(max(1, voice.samples.count))
            let power = voice.samples.reduce(Float(0)) { $0 + $1 * $1 } / count
            next[voice.source] = max(
                power * voice.gain * voice.gain,
                (powers[voice.source] ?? 0) * max(0, 1 - count * Self.fall))
        }
        powers = next
        func rank(_ source: UInt32) -> Float {
            (next[source] ?? 0) * (gains[source] == nil ? 1 : Self.loyalty)
        }
        let sources = voices.map(\.source).sorted {
            (rank($0), $1) > (rank($1), $0)
        }
        return Set(sources.prefix(most))
    }

    /// A sample that is within full scale, whatever it was.
    static func limited(_ sample: Float) -> Float {
        guard sample.isFinite else { return 0 }
        let size = abs(sample)
        guard size > knee else { return sample }
        // Goes from the knee to full scale as a hyperbola, which has the line's slope at the knee.
        let over = (size - knee) / (1 - knee)
        let rounded = knee + (1 - knee) * over / (1 + over)
        return sample < 0 ? -rounded : rounded
    }
}
