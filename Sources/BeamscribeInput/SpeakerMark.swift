import BeamscribeCore

/// How captioners say who speaks: `>> ANN: Good morning`, or `ANN: Good morning`.
///
/// A name is one to three words of capitals. A word that often stands before a colon without being
/// one (`NOTE:`) is left in the text, and so is `>>` without a name: it says that somebody else
/// speaks now.
struct SpeakerMark: Equatable {
    let speaker: String
    /// What is said.
    let text: String

    private static let longestName = 40

    /// Whether there may be a mark. Of nearly every line the first two bytes say that there is none.
    ///
    /// - Parameter knowsNames: there are names that count as they are written.
    static func mayBegin(_ text: String, knowsNames: Bool) -> Bool {
        var bytes = text.utf8.makeIterator()
        guard let first = bytes.next(), let second = bytes.next() else { return false }
        if first == UInt8(ascii: ">") { return second == first }
        let isCapital = !isLowercase(first) && !isLowercase(second) && first != 0x20
        return (isCapital || knowsNames)
            && text.utf8.prefix(longestName).contains(UInt8(ascii: ":"))
    }

    private static func isLowercase(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    /// - Parameter names: the speakers whom the operator has named; these count as they are written.
    init?(in line: String, knowing names: [String: String]) {
        var rest = line[...]
        let isTopic = rest.hasPrefix(">>>")
        while rest.first == ">" { rest.removeFirst() }
        rest = rest.drop { $0 == " " }
        guard let colon = rest.prefix(Self.longestName + 1).firstIndex(of: ":") else { return nil }
        let name = rest[..<colon]
        let said = rest[rest.index(after: colon)...]
        guard said.first == " ", said.contains(where: { $0 != " " }) else { return nil }
        guard names[String(name)] != nil || Self.isName(name) else { return nil }
        speaker = String(name)
        let words = LineText.trimmed(said, start: true)
        text = isTopic ? ">>> " + words : String(words)
    }

    private static func isName(_ name: Substring) -> Bool {
        let words = name.split(separator: " ", omittingEmptySubsequences: false)
        guard (1...3).contains(words.count), !HeadingWord.isOne(name) else { return false }
        return words.allSatisfy(isCapitals) && name.filter(\.isLetter).count >= 2
    }

    private static func isCapitals(_ word: Substring) -> Bool {
        guard let first = word.first, first.isLetter else { return false }
        return word.allSatisfy { character in
            if character.isLetter { return character.isUppercase }
            return character == "." || character == "-" || character == "'" || character == "’"
        }
    }
}
