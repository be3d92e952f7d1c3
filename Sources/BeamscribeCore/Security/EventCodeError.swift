/// Why something typed is no code. It never holds what was typed.
public enum EventCodeError: Error, Equatable, Sendable {
    /// It has neither a letter nor a digit.
    case empty
    /// It has more than ``Limits/codeCharacters`` letters and digits.
    case tooLong
    /// It has a character that is no letter of A to Z, digit, space or dash.
    case unusableCharacter
}

extension EventCodeError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .empty: "the code is empty: type the letters and digits that the host shows"
        case .tooLong: "the code is longer than \(Limits.codeCharacters) letters and digits"
        case .unusableCharacter:
            "the code has a character that no code has: only the letters A to Z, digits, spaces "
                + "and dashes can be in it"
        }
    }
}
