internal import CSeededRandom

/// Has OpenSSL's random numbers follow from a seed: what is made with them weighs as much each time.
///
/// ECDSA's signatures vary in length by a byte or two (DER), and with them where a write is torn.
enum SeededSecrets {
    /// - Parameter body: takes its random numbers on this thread alone. What is made once for all
    ///   worlds has a seed of its own, or a world would depend on whether it was there before.
    static func with<Result>(seed: UInt64, _ body: () -> Result) -> Result {
        let before = seeded_random_begin(seed)
        defer { seeded_random_restore(before) }
        return body()
    }

    /// How many bytes were taken so far.
    static var taken: Int { Int(seeded_random_taken()) }
}
