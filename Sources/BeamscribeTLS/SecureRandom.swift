import BeamscribeCore
internal import COpenSSL

/// Random numbers for secrets, from OpenSSL's generator, which the kernel seeds.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    /// The one generator that there is.
    public init() {}

    public mutating func next() -> UInt64 {
        var number: UInt64 = 0
        let code = withUnsafeMutableBytes(of: &number) {
            RAND_bytes(
                $0.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(clamping: $0.count))
        }
        // Without randomness there are no secrets, and nothing to go on with.
        precondition(code == 1, "the system has no random numbers")
        return number
    }
}
