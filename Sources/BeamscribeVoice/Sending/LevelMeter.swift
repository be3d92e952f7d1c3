import BeamscribeCore

/// How loud sound is, and whether a microphone does what it should.
public struct LevelMeter: Sendable {
    /// How fast what is shown comes down, in decibels a second.
    private static let fall = 20.0

    /// The level that is shown, in decibels: 0 is full scale; rises at once and falls slowly.
    public private(set) var decibels = Decibels.silence
    /// The level of what came last, in decibels.
    public private(set) var newest = Decibels.silence
    /// For how long there was nothing but zeros, in samples.
    public private(set) var zeros = 0
    private var clipped = 0.0

    /// Nothing was heard.
    public init() {}

    /// The share of samples at full scale in about the last second.
    public var clippedShare: Double { clipped }

    /// Sound came.
    public mutating func add(_ samples: UnsafeBufferPointer<Float>) {
        guard !samples.isEmpty else { return }
        var power = 0.0
        var full = 0
        for sample in samples {
            power += Double(sample * sample)
            if abs(sample) >= 0.999 { full += 1 }
        }
        let count = Double(samples.count)
        let seconds = count / Double(OpusPacket.clock)
        zeros = power == 0 ? zeros + samples.count : 0
        newest = Decibels.of(power: power / count)
        decibels = max(newest, decibels - Self.fall * seconds)
        clipped += (Double(full) / count - clipped) * min(1, seconds)
    }
}
