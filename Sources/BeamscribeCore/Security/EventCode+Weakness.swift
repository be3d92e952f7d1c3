extension EventCode {
    /// Why a code that somebody made up is easier to guess than a random one. The descriptions
    /// are sentences that tell nothing of the code itself.
    public enum Weakness: Equatable, Sendable, CaseIterable {
        case tooShort
        case fewCharacters
        case pattern
        case onlyDigits
    }

    /// What makes the code easy to guess; nil where nothing does.
    ///
    /// It is judged in this order, by its characters alone (there is no list of words):
    /// - shorter than 10 characters;
    /// - fewer than 5 different characters;
    /// - a pattern: a piece that is repeated (ABC12ABC12) or mirrored (ABC1221CBA), or fewer than
    ///   8 characters that do not just continue a run (``CodePattern``);
    /// - only digits, and fewer than 16 of them: 10 digits are 33 bits.
    ///
    /// Of what is drawn for a random code 3 in 10,000 (measured) are judged weak, and drawn again:
    /// that costs its 50 bits less than a thousandth of one.
    public var weakness: Weakness? {
        if characters.count < Self.randomLength { return .tooShort }
        if Set(characters).count < 5 { return .fewCharacters }
        if CodePattern.isPattern(characters) { return .pattern }
        let isDigit = { (character: UInt8) in character <= UInt8(ascii: "9") }
        if characters.count < 16, characters.allSatisfy(isDigit) { return .onlyDigits }
        return nil
    }
}

extension EventCode.Weakness: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooShort: "The code has fewer than \(EventCode.randomLength) characters."
        case .fewCharacters: "The code has fewer than 5 different characters."
        case .pattern: "The code follows a pattern that is easily guessed."
        case .onlyDigits: "The code has only digits, and fewer than 16 of them."
        }
    }
}
