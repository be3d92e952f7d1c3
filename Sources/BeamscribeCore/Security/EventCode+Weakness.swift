extension EventCode {
    /// Why a code that somebody made up is among the first that are guessed. The descriptions are
    /// sentences that tell nothing of the code itself.
    public enum Weakness: Equatable, Sendable, CaseIterable {
        case tooShort
        case pattern
    }

    /// What makes the code easy to guess; nil where nothing does. Every guess takes a connection,
    /// and a source has five a minute: only codes that are tried first are weak.
    ///
    /// It is judged by its characters alone (there is no list of words): fewer than
    /// ``leastLength``, or a pattern (``CodePattern``).
    ///
    /// Fewer than one random code in 500 is judged weak (a test holds that), and drawn again: that
    /// costs their 26.6 bits less than a hundredth of one.
    public var weakness: Weakness? {
        if characters.count < Self.leastLength { return .tooShort }
        return CodePattern.isPattern(characters) ? .pattern : nil
    }
}

extension EventCode.Weakness: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooShort: "The code has fewer than \(EventCode.leastLength) characters."
        case .pattern: "The code follows a pattern that is easily guessed."
        }
    }
}
