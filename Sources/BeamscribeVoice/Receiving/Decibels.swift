import BeamscribeCore

#if canImport(Glibc)
    import Glibc
#else
    import Musl
#endif

/// How loud sound is: 0 dB is full scale.
package enum Decibels {
    /// What silence is called.
    package static let silence = -120.0

    /// Of the mean square of samples.
    static func of(power: Double) -> Double {
        power > 0 ? max(silence, 10 * log10(power)) : silence
    }

    /// By how much samples are to be multiplied, from -60 to 20 dB.
    static func factor(_ decibels: Double) -> Float {
        Float(pow(10, min(max(decibels, -60), 20) / 20))
    }
}
