import BeamscribeTLS

/// What the link to a private event carries: 128 random bits, in base64url (RFC 4648, section 5),
/// 22 characters.
public struct LinkToken: Equatable, Sendable {
    /// The token as it stands in a link.
    public let text: String

    /// Another token, which nobody can guess.
    public init() {
        var random = SecureRandom()
        let bits = (0..<2).map { _ in random.next() as UInt64 }
        var characters: [Character] = []
        // 22 characters of 6 bits hold 132: the last has two bits.
        for place in 0..<22 {
            let bit = place * 6
            let value = (0..<6).reduce(0) { value, offset in
                let at = bit + offset
                return value << 1 | (at < 128 ? Int(bits[at / 64] >> (63 - at % 64)) & 1 : 0)
            }
            characters.append(Self.alphabet[value])
        }
        text = String(characters)
    }

    /// A token that was kept; nil for what is none.
    public init?(_ text: String) {
        guard text.utf8.count == 22, text.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }

    /// Whether `other` is this token. Takes as long for a near miss as for a far one.
    func matches(_ other: some Collection<UInt8>) -> Bool {
        guard other.count == text.utf8.count else { return false }
        return zip(text.utf8, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
}
