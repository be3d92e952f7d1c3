/// A fingerprint, or its first 16 digits or more, that a user expects of a host.
public struct FingerprintPin: Equatable, Sendable {
    /// The digits, in lower case.
    public let digits: String

    /// Reads 16 to 64 hexadecimal digits of either case. Spaces, dashes and colons between them
    /// are passed over. Nil for anything else: fewer than 16 digits could be matched by a key that
    /// was made for it.
    public init?(_ typed: String) {
        var digits = ""
        for scalar in TypedText.withoutSeparators(typed) where scalar != ":" {
            guard scalar.isASCII, HexDigits.value(UInt8(clamping: scalar.value)) != nil,
                digits.utf8.count < 2 * Fingerprint.size
            else { return nil }
            digits.unicodeScalars.append(scalar)
        }
        guard digits.utf8.count >= Fingerprint.shortDigits else { return nil }
        self.digits = digits.lowercased()
    }

    /// Whether the fingerprint begins with the pin's digits.
    public func matches(_ fingerprint: Fingerprint) -> Bool { fingerprint.hex.hasPrefix(digits) }

    /// Whether a fingerprint that begins with these digits, as a host announces them, may be it.
    public func mayMatch(_ announced: String) -> Bool {
        announced.utf8.count == Fingerprint.shortDigits
            && digits.utf8.starts(with: announced.lowercased().utf8)
    }

    /// Whether both may be of one key: one begins with the other.
    public func isSame(as other: FingerprintPin) -> Bool {
        digits.hasPrefix(other.digits) || other.digits.hasPrefix(digits)
    }

    /// The digits in groups of four.
    public var groups: String { HexDigits.groups(digits) }
}
