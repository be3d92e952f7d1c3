import BeamscribeTerminal
import Testing

@Suite struct CharacterWidthsTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("…", 1), ("漢", 2), ("Ａ", 2), ("ｱ", 1), ("한", 2),
        ("\u{1100}\u{1161}\u{11A8}", 2), ("😀", 2), ("👩‍👩‍👧‍👦", 8), ("👍🏽", 4), ("☝🏽", 3), ("🇩🇪", 2),
        ("❤", 1), ("❤️", 1), ("❤‍🔥", 3), ("1️⃣", 1), ("1", 1), ("#", 1), ("\u{301}", 0),
        ("\u{200B}", 0), ("\u{7}", 0), ("\r\n", 0), ("\u{7F}", 0), ("ก\u{E33}", 2),
    ])
    func character_hasItsColumns(character: Character, columns: Int) {
        #expect(CharacterWidths.common.columns(of: character) == columns)
        #expect(CharacterWidths.common.columns(of: String(character)) == columns)
    }

    @Test func text_isTheSumOfItsCharacters() {
        #expect(CharacterWidths.common.columns(of: "") == 0)
        #expect(CharacterWidths.common.columns(of: "plain") == 5)
        #expect(CharacterWidths.common.columns(of: "日本 e\u{301}👍🏽"[...]) == 10)
    }

    @Test func prefix_endsBeforeACharacterThatDoesNotFit() {
        #expect(CharacterWidths.common.prefix("a漢b", columns: 2) == "a")
        #expect(CharacterWidths.common.prefix("a漢b", columns: 3) == "a漢")
        #expect(CharacterWidths.common.prefix("e\u{301}x", columns: 1) == "e\u{301}")
        #expect(CharacterWidths.common.prefix("abc", columns: 0) == "")
        #expect(CharacterWidths.common.prefix("abc", columns: -1) == "")
        #expect(CharacterWidths.common.prefix("abc", columns: .max) == "abc")
    }

    @Test func truncated_endsWithAnEllipsis_whenTextIsTooLong() {
        #expect(CharacterWidths.common.truncated("abc", columns: 3) == "abc")
        #expect(CharacterWidths.common.truncated("abcd", columns: 3) == "ab…")
        #expect(CharacterWidths.common.truncated("漢字", columns: 3) == "漢…")
        #expect(CharacterWidths.common.truncated("漢字", columns: 2) == "…")
        #expect(CharacterWidths.common.truncated("ab", columns: 1) == "…")
        #expect(CharacterWidths.common.truncated("ab", columns: 0) == "")
        #expect(CharacterWidths.common.truncated("", columns: -3) == "")
    }
}
