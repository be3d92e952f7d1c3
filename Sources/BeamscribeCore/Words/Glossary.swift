/// What a recogniser hears wrongly again and again, and how it is meant: "cuber netties" is
/// "Kubernetes".
///
/// Whole words are mended, whatever their case; of several entries that fit the longest one counts,
/// and what was mended is not looked at again. In writing that has no blanks between words an entry
/// is mended wherever it stands. A word that begins with a capital, or is all capitals, stays so
/// unless the entry says otherwise by capitals of its own.
public struct Glossary: Equatable, Sendable {
    private struct Entry: Equatable, Sendable {
        /// The words and what is between them, in folded case, blanks as one.
        var wrong: [String]
        var right: String
        /// The language's tag in lower case; nil for all.
        var lang: String?

        func isFor(_ lang: String?) -> Bool {
            guard let own = self.lang else { return true }
            let lang = lang?.lowercased() ?? ""
            return lang == own || lang.hasPrefix(own + "-")
        }
    }

    /// By the first word, the longest first.
    private var entries: [String: [Entry]] = [:]
    /// How many there are.
    public private(set) var count = 0

    /// A glossary without an entry.
    public init() {}

    /// Also mends `wrong`, in lines of a language.
    ///
    /// - Parameter lang: a BCP 47 tag: "en" takes "en-GB"; nil for all languages.
    /// - Returns: false where there is no word in it, or the other one is too long for a line.
    @discardableResult
    public mutating func insert(_ wrong: String, _ right: String, lang: String? = nil) -> Bool {
        let pieces = Self.pieces(of: wrong[...]).map { Self.folded($0) }
        let right = SafeText.label(right, bytes: Limits.lineBytes + 1)
        guard let first = pieces.first, pieces.contains(where: Self.isWord),
            right.utf8.count <= Limits.lineBytes
        else { return false }
        let entry = Entry(wrong: pieces, right: right, lang: lang?.lowercased())
        var fellows = entries[first, default: []]
        fellows.removeAll { $0.wrong == pieces && $0.lang == entry.lang }
        let place = fellows.firstIndex { $0.wrong.count < pieces.count } ?? fellows.count
        fellows.insert(entry, at: place)
        count += fellows.count - (entries[first]?.count ?? 0)
        entries[first] = fellows
        return true
    }

    /// `text` as it was meant; as it is where that would be too long for a line, or no words at all.
    public func mended(_ text: String, lang: String? = nil) -> String {
        guard !entries.isEmpty else { return text }
        let pieces = Self.pieces(of: text[...])
        let folded = pieces.map { Self.folded($0) }
        var result = ""
        var place = 0
        while place < pieces.count {
            if let entry = entry(at: place, in: folded, lang) {
                let found = pieces[place..<place + entry.wrong.count]
                result += Self.cased(entry.right, like: found)
                place += entry.wrong.count
            } else {
                result += pieces[place]
                place += 1
            }
        }
        let isLine =
            result.utf8.count <= Limits.lineBytes && result.contains { !$0.isWhitespace }
        return isLine ? result : text
    }

    private func entry(at place: Int, in folded: [String], _ lang: String?) -> Entry? {
        entries[folded[place]]?.first {
            $0.isFor(lang) && folded[place...].starts(with: $0.wrong)
        }
    }

    // MARK: Pieces of a text

    /// Words, blanks, and every other character by itself; of writing without blanks each character.
    private static func pieces(of text: Substring) -> [Substring] {
        var pieces: [Substring] = []
        var start = text.startIndex
        while start < text.endIndex {
            let kind = kind(text[start])
            let next = text.index(after: start)
            let end = kind == .single ? next : text[next...].firstIndex { Self.kind($0) != kind }
            pieces.append(text[start..<(end ?? text.endIndex)])
            start = end ?? text.endIndex
        }
        return pieces
    }

    private enum Kind {
        case word, blank, single
    }

    private static func kind(_ character: Character) -> Kind {
        if character.isWhitespace { return .blank }
        guard WordMask.isPartOfWord(character) else { return .single }
        return WordMask.standsWithoutBlanks(character) ? .single : .word
    }

    private static func isWord(_ piece: String) -> Bool {
        piece.first.map(WordMask.isPartOfWord) ?? false
    }

    private static func folded(_ piece: Substring) -> String {
        piece.first?.isWhitespace == true ? " " : WordMask.folded(String(piece))
    }

    /// - Parameter found: what stood there.
    private static func cased(_ right: String, like found: ArraySlice<Substring>) -> String {
        guard right.lowercased() == right else { return right }
        let letters = found.joined().filter { $0.isLetter }
        guard let first = letters.first, first.isUppercase else { return right }
        if letters.count > 1, letters.allSatisfy(\.isUppercase) { return right.uppercased() }
        return right.prefix(1).uppercased() + right.dropFirst()
    }
}
