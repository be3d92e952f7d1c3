@testable import BeamscribeTLS

/// What hosts of these tests prove themselves by.
struct Proof {
    let key: HostKey

    init() throws {
        key = try HostKey()
    }

    /// A pair that has not begun.
    func pair() throws -> TLSPair { try TLSPair(TLSContext(host: key), .guest()) }

    /// A pair whose handshake is done.
    func established() throws -> TLSPair {
        let pair = try pair()
        pair.settle()
        return pair
    }
}

/// Bytes that differ enough to tell if some are missing or in the wrong place.
func noise(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}
