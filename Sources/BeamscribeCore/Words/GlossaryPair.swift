/// What a correction tells of a recogniser: words that it has heard wrongly, and how they are meant.
public struct GlossaryPair: Equatable, Sendable {
    /// The words that it hears.
    public let wrong: String
    /// The words that are meant.
    public let right: String

    /// A name has no more words than that; more are another sentence.
    private static let mostWords = 4

    /// What differs between a line and the same one corrected; nil where that is no few words in one
    /// place.
    public init?(from old: String, to new: String) {
        var (old, new) = (
            old.split(separator: " ")[...], new.split(separator: " ")[...]
        )
        while let first = old.first, first == new.first {
            old.removeFirst()
            new.removeFirst()
        }
        while let last = old.last, last == new.last {
            old.removeLast()
            new.removeLast()
        }
        let counts = 1...Self.mostWords
        guard counts.contains(old.count), counts.contains(new.count) else { return nil }
        let (wrong, right) = Self.withoutFrame(
            old.joined(separator: " "), new.joined(separator: " "))
        // What a list could not say is none.
        let isPlain = [wrong, right].allSatisfy { words in
            !words.isEmpty && !words.contains { "=#".contains($0) } && words.first != "["
        }
        // Where only the signs differ, nothing was heard wrongly.
        let words = [wrong, right].map { $0.split { !WordMask.isPartOfWord($0) } }
        guard words[0] != words[1] else { return nil }
        var trial = Glossary()
        guard isPlain, trial.insert(wrong, right), trial.mended(wrong) == right else { return nil }
        (self.wrong, self.right) = (wrong, right)
    }

    /// Without signs that both have before or behind.
    private static func withoutFrame(_ one: String, _ other: String) -> (String, String) {
        var (one, other) = (one[...], other[...])
        while let sign = one.first, sign == other.first, !WordMask.isPartOfWord(sign) {
            one.removeFirst()
            other.removeFirst()
        }
        while let sign = one.last, sign == other.last, !WordMask.isPartOfWord(sign) {
            one.removeLast()
            other.removeLast()
        }
        return (String(one), String(other))
    }
}
