/// Masks words that somebody does not want to see: `f***`.
///
/// Whole words are masked, whatever their case, and however Unicode spells them. The first letter
/// stays, and so does the length: what is masked takes no more bytes and no more room, so that no
/// limit and no row is broken. In writing that has no blanks between words (ideographs, kana, Thai
/// and its neighbours) a word is masked wherever it stands.
public struct WordMask: Equatable, Sendable {
    /// Whole words, in folded case.
    private var words: Set<String> = []
    /// Beginnings of words, by their first character.
    private var beginnings: [Character: [String]] = [:]
    /// Words of writing without blanks, by their first character.
    private var anywhere: [Character: [[Character]]] = [:]

    /// A mask of no word.
    public init() {}

    /// Also masks `entry`: a word, or the beginning of words where a `*` stands behind it.
    ///
    /// - Returns: false where that is no word.
    @discardableResult
    public mutating func insert(_ entry: some StringProtocol) -> Bool {
        let isBeginning = entry.hasSuffix("*")
        let word = Self.folded(isBeginning ? String(entry.dropLast()) : String(entry))
        guard let first = word.first, word.allSatisfy(Self.isPartOfWord) else { return false }
        if word.allSatisfy(Self.standsWithoutBlanks) {
            anywhere[first, default: []].append(Array(word))
        } else if isBeginning {
            beginnings[first, default: []].append(word)
        } else {
            words.insert(word)
        }
        return true
    }

    /// Also masks what `other` masks.
    public mutating func formUnion(_ other: WordMask) {
        words.formUnion(other.words)
        beginnings.merge(other.beginnings) { $0 + $1 }
        anywhere.merge(other.anywhere) { $0 + $1 }
    }

    /// `text` with the words masked; never longer than it was.
    public func masked(_ text: String) -> String {
        var result = ""
        var start = text.startIndex
        while start < text.endIndex {
            let isWord = Self.isPartOfWord(text[start])
            let end =
                text[start...].firstIndex { Self.isPartOfWord($0) != isWord } ?? text.endIndex
            result += isWord ? masked(word: text[start..<end]) : String(text[start..<end])
            start = end
        }
        return result
    }

    // MARK: One word

    private func masked(word: Substring) -> String {
        if isMasked(Self.folded(String(word))) { return Self.asterisks(word) }
        guard !anywhere.isEmpty else { return String(word) }
        return maskedWithin(Array(word))
    }

    private func isMasked(_ word: String) -> Bool {
        if words.contains(word) { return true }
        guard let first = word.first, let candidates = beginnings[first] else { return false }
        return candidates.contains { word.hasPrefix($0) }
    }

    private func maskedWithin(_ characters: [Character]) -> String {
        var result = ""
        var rest = characters[...]
        while let first = rest.first {
            let found = (anywhere[first] ?? []).filter { rest.starts(with: $0) }
            let length = found.map(\.count).max() ?? 0
            if length == 0 {
                result.append(first)
                rest.removeFirst()
            } else {
                result += Self.asterisks(rest.prefix(length))
                rest.removeFirst(length)
            }
        }
        return result
    }

    private static func asterisks(_ word: some Collection<Character>) -> String {
        let kept = word.count > 1 ? word.prefix(1) : word.prefix(0)
        return String(Array(kept)) + String(repeating: "*", count: word.count - kept.count)
    }

    // MARK: Characters

    /// The same for all spellings that differ by case only: `Straße` and `STRASSE`. Canonically
    /// equivalent strings are equal in Swift anyway.
    static func folded(_ word: String) -> String { word.uppercased().lowercased() }

    static func isPartOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber
    }

    static func standsWithoutBlanks(_ character: Character) -> Bool {
        if CaptionWidth.standsAlone(character) { return true }
        guard let scalar = character.unicodeScalars.first else { return false }
        return unspaced.contains { $0.contains(scalar.value) }
    }

    /// Thai and Lao, Myanmar, Khmer.
    private static let unspaced: [ClosedRange<UInt32>] = [
        0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF,
    ]
}
