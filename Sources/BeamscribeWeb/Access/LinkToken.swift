import BeamscribeCore
import BeamscribeTLS
import FoundationEssentials

/// What the link to a private event carries: 128 random bits, in base64url (RFC 4648, section 5),
/// 22 characters.
public struct LinkToken: Equatable, Sendable {
    /// The token as it stands in a link.
    public let text: String

    /// Another token, which nobody can guess.
    public init() {
        var random = SecureRandom()
        let bits = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let base64 = Data(bits).base64EncodedString().prefix(22)
        text = String(base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
    }

    /// A token that was kept; nil for what is none.
    public init?(_ text: String) {
        // By bytes: some characters of others are equal to letters.
        guard text.utf8.count == 22, text.utf8.allSatisfy(Self.alphabet.contains) else {
            return nil
        }
        self.text = text
    }

    /// Whether `other` is this token. Takes as long for a near miss as for a far one.
    func matches(_ other: some Collection<UInt8>) -> Bool {
        guard other.count == text.utf8.count else { return false }
        return zip(text.utf8, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static let alphabet = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
}
