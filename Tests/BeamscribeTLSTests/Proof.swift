@testable import BeamscribeTLS

/// What hosts and guests of these tests prove themselves by.
struct Proof {
    let key: HostKey
    let code: PreSharedKey
    let otherCode: PreSharedKey

    init() throws {
        key = try HostKey()
        code = PreSharedKey(bytes: (0..<32).map { UInt8($0) })!
        otherCode = PreSharedKey(bytes: (1..<33).map { UInt8($0) })!
    }

    /// A pair that has not begun, with a code or by the host's key.
    func pair(withCode: Bool) throws -> TLSPair {
        try withCode
            ? TLSPair(TLSContext(host: code), .guest(code: code))
            : TLSPair(TLSContext(host: key), .guest())
    }

    /// A pair whose handshake is done.
    func established(withCode: Bool) throws -> TLSPair {
        let pair = try pair(withCode: withCode)
        pair.settle()
        return pair
    }
}

/// Bytes that differ enough to tell if some are missing or in the wrong place.
func noise(_ count: Int, using random: inout some RandomNumberGenerator) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
}
