import BeamscribeCore

/// The speakers among whom Tab chooses; nobody is one of them.
///
/// Invariant: `names` holds each name once, at most `limit`; `current` is one of them.
public struct SpeakerRing: Equatable, Sendable {
    /// More than anybody goes through with Tab.
    private static let limit = 32
    /// What is longer before a colon is no name.
    private static let nameCharacters = 30

    /// The names, in the order in which they came.
    public private(set) var names: [String] = []
    public private(set) var current: String?

    /// A ring of names; those that say nothing are passed over.
    public init(_ names: [String] = []) {
        names.forEach { note($0) }
    }

    mutating func next() {
        current = name(after: current)
    }

    /// Who comes after `name`, or after nobody; nil for nobody.
    func name(after name: String?) -> String? {
        guard let name, let index = names.firstIndex(of: name) else { return names.first }
        return index + 1 < names.count ? names[index + 1] : nil
    }

    /// Somebody spoke, and can be chosen from now on.
    mutating func note(_ name: String) {
        let name = SafeText.label(name, bytes: Limits.labelBytes)
        guard name.contains(where: { !$0.isWhitespace }), !names.contains(name) else { return }
        if names.count < Self.limit { names.append(name) }
    }

    /// The speaker and the words of a typed line: `Ann: Good morning` says who speaks itself, and
    /// else the one who is chosen does.
    func split(_ text: String) -> (speaker: String?, text: String) {
        guard let colon = text.firstRange(of: ": ") else { return (current, text) }
        let name = text[..<colon.lowerBound]
        let words = text[colon.upperBound...]
        guard isName(name), words.contains(where: { !$0.isWhitespace }) else {
            return (current, text)
        }
        return (String(name), String(words))
    }

    /// A name that is known, or one or two words that begin with a letter that is no small one and
    /// do not say what the line is (`Notes:`).
    private func isName(_ name: Substring) -> Bool {
        if names.contains(String(name)) { return true }
        guard !HeadingWord.isOne(name) else { return false }
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        return name.count <= Self.nameCharacters && words.count <= 2
            && words.allSatisfy { $0.first.map { $0.isLetter && !$0.isLowercase } ?? false }
    }
}
