/// Lists of words that are meant.
extension Glossary {
    /// Why a list cannot be used.
    public enum ListError: Error, Equatable, CustomStringConvertible {
        /// What stands in this line, counted from 1, is no entry.
        case notAnEntry(line: Int, String)

        public var description: String {
            switch self {
            case .notAnEntry(let line, let text):
                "line \(line), '\(SafeText.label(text, bytes: 60))', is no entry; write "
                    + "`wrong = right` a line, [de] before those of a language, # for comments"
            }
        }
    }

    /// The entries of a list: `wrong = right` a line, `[de]` before those of a language and `[]`
    /// before those of all again, `#` before a comment. The later of two for the same words counts.
    public init(list text: String) throws(ListError) {
        self.init()
        var lang: String?
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let entry = WordMask.trimmed(line.prefix { $0 != "#" })
            if entry.isEmpty { continue }
            if entry.first == "[", entry.last == "]" {
                let tag = String(entry.dropFirst().dropLast())
                guard CaptionFilter.isLanguage(tag) || tag.isEmpty, tag != "*" else {
                    throw .notAnEntry(line: index + 1, String(entry))
                }
                lang = tag.isEmpty ? nil : tag
                continue
            }
            guard let sign = entry.firstIndex(of: "="),
                insert(
                    String(WordMask.trimmed(entry[..<sign])),
                    String(WordMask.trimmed(entry[entry.index(after: sign)...])), lang: lang)
            else { throw .notAnEntry(line: index + 1, String(entry)) }
        }
    }
}
