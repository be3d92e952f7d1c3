import BeamscribeCore

/// Where speech repeats itself: by how much a piece of it can be made shorter or longer without being noticed.
///
/// Voiced speech repeats at 67 to 400 Hz, which are 120 to 720 samples at 48 kHz.
enum PitchMatch {
    /// The shortest period, in samples.
    static let shortest = 120
    /// The longest period, in samples.
    static let longest = 720
    /// How many samples are compared.
    static let window = 240
    /// The level below which any cut is good: 50 dB below full scale.
    private static let silence: Float = 0.003

    /// The distance at which sound resembles itself most, and how much: 1 is exactly.
    ///
    /// - Parameters:
    ///   - start: the sample from which on there is to be a repetition.
    ///   - direction: -1 to look at what lies before, 1 at what comes after.
    ///   - most: the longest distance.
    static func best(
        in samples: UnsafeBufferPointer<Float>, at start: Int, direction: Int, most: Int
    ) -> (lag: Int, likeness: Float)? {
        guard most >= shortest else { return nil }
        if isQuiet(samples, from: start) { return (min(most, window), 1) }
        // At every third distance by every second sample first: a voice's wave is long beside that.
        var best = (lag: shortest, likeness: Float(-1))
        for lag in stride(from: shortest, through: most, by: 3) {
            let likeness = likeness(in: samples, start, start + direction * lag, step: 2)
            if likeness > best.likeness { best = (lag, likeness) }
        }
        for lag in max(shortest, best.lag - 2)...min(most, best.lag + 2) where lag != best.lag {
            let likeness = likeness(in: samples, start, start + direction * lag, step: 2)
            if likeness > best.likeness { best = (lag, likeness) }
        }
        return best
    }

    /// Whether what is there is silence.
    static func isQuiet(_ samples: UnsafeBufferPointer<Float>, from start: Int) -> Bool {
        power(of: samples, from: start) < silence * silence
    }

    private static func power(of samples: UnsafeBufferPointer<Float>, from start: Int) -> Float {
        var sum: Float = 0
        for index in start..<start + window { sum += samples[index] * samples[index] }
        return sum / Float(window)
    }

    /// The normalised correlation of two pieces.
    private static func likeness(
        in samples: UnsafeBufferPointer<Float>, _ one: Int, _ other: Int, step: Int
    ) -> Float {
        var product: Float = 0
        var (power, otherPower): (Float, Float) = (1e-9, 1e-9)
        var index = 0
        while index < window {
            let (left, right) = (samples[one + index], samples[other + index])
            product += left * right
            power += left * left
            otherPower += right * right
            index += step
        }
        return product / (power * otherPower).squareRoot()
    }
}
