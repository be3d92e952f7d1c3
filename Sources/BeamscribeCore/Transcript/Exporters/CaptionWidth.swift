/// How much of a caption's row a character takes.
///
/// Broadcasters count characters: 42 Latin ones a row, but 16 (Chinese, Korean) to 21 (Japanese in
/// half-width cells) of those that are twice as wide. So a wide character counts 2, everything else
/// 1, and a letter counts with its marks. What a terminal does differs (CharacterWidths): there
/// a row that is too long breaks the screen, here it is a matter of reading.
public enum CaptionWidth {
    /// 2 for East Asian wide characters and emoji, else 1.
    public static func columns(of character: Character) -> Int {
        if character.isASCII { return 1 }
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 1 }
        if first.value >= 0x1100, isWide(first) || first.properties.isEmojiPresentation {
            return 2
        }
        // U+FE0F makes a picture of a character that is a sign by default.
        return scalars.contains("\u{FE0F}") ? 2 : 1
    }

    /// The sum of the characters of `text`.
    public static func columns(of text: some StringProtocol) -> Int {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// Whether a row may end before or after a character although there is no blank: ideographs
    /// and kana, but not Hangul, which has blanks between its words.
    static func standsAlone(_ character: Character) -> Bool {
        guard let scalar = character.unicodeScalars.first else { return false }
        return breakable.contains { $0.contains(scalar.value) }
    }

    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        wide.contains { $0.contains(scalar.value) }
    }

    /// CJK radicals, punctuation, kana, Bopomofo, ideographs, Yi; full-width forms; the ideographs
    /// of the planes 2 and 3 (Unicode's EastAsianWidth.txt).
    private static let breakable: [ClosedRange<UInt32>] = [
        0x2E80...0x303E, 0x3041...0x312F, 0x3190...0x4DBF, 0x4E00...0xA4CF, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD,
    ]

    /// Those, Hangul, brackets, Tangut, historic kana, and squared words.
    private static let wide: [ClosedRange<UInt32>] =
        breakable + [
            0x1100...0x115F, 0x2329...0x232A, 0x3131...0x318E, 0xA960...0xA97C, 0xAC00...0xD7A3,
            0xFE10...0xFE19, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
        ]
}
