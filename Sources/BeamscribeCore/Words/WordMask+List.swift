/// Lists of words to mask.
extension WordMask {
    /// Why a list cannot be used.
    public enum ListError: Error, Equatable, CustomStringConvertible {
        /// What stands in this line, counted from 1, is not one word.
        case notAWord(line: Int, String)
        /// There is no word in it.
        case empty

        public var description: String {
            switch self {
            case .notAWord(let line, let text):
                "line \(line), '\(SafeText.label(text, bytes: 60))', is not one word; write one word "
                    + "of letters and digits a line, word* for all that begin so, # for comments"
            case .empty: "there is no word in it; write one word a line"
            }
        }
    }

    /// A mask of the words of a list: one a line, `word*` for all words that begin so, and `#`
    /// before a comment.
    public init(list text: String) throws(ListError) {
        self.init()
        var isEmpty = true
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let word = Self.trimmed(line.prefix { $0 != "#" })
            guard !word.isEmpty else { continue }
            guard insert(word) else { throw .notAWord(line: index + 1, String(word)) }
            isEmpty = false
        }
        if isEmpty { throw .empty }
    }

    /// Without blanks around it, and without the mark that some editors put at a file's beginning.
    static func trimmed(_ text: Substring) -> Substring {
        func isBlank(_ character: Character) -> Bool {
            character.isWhitespace || character == "\u{FEFF}"
        }
        let start = text.drop(while: isBlank)
        return start.lastIndex { !isBlank($0) }.map { start[...$0] } ?? ""
    }

    /// The few English words that broadcasters do not let pass, and slurs. Words that are names or
    /// have another meaning are not among them.
    public static let english: WordMask = {
        var mask = WordMask()
        for word in englishWords.split(separator: " ") { mask.insert(word) }
        return mask
    }()

    private static let englishWords =
        "fuck* motherfuck* mothafuck* clusterfuck* unfuck* fck fcking "
        + "shit shits shitty shittier shittiest shitting shitted shithead* shithole* shitload* "
        + "shitshow* shite bullshit* horseshit dipshit* batshit chickenshit "
        + "cunt cunts cunty asshole* arsehole* dumbass* asshat* "
        + "bitch bitches bitching bitchy bitched bastard bastards bollocks "
        + "wanker* wanking twat twats cocksucker* dickhead* "
        + "slut sluts slutty whore whores goddamn goddamned "
        + "nigger* nigga niggas faggot* kike kikes"
}
