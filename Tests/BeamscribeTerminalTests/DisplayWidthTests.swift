import BeamscribeTerminal
import Testing

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("a", 1), ("é", 1), ("e\u{301}", 1), ("…", 1), ("漢", 2), ("Ａ", 2), ("ｱ", 1), ("한", 2),
        ("\u{1100}\u{1161}\u{11A8}", 2), ("😀", 2), ("👩‍👩‍👧‍👦", 2), ("👍🏽", 2), ("☝🏽", 2), ("🇩🇪", 2),
        ("❤", 1), ("❤️", 2), ("❤‍🔥", 2), ("1️⃣", 2), ("1", 1), ("#", 1), ("\u{301}", 0),
        ("\u{200B}", 0), ("\u{7}", 0), ("\r\n", 0), ("\u{7F}", 0), ("ก\u{E33}", 2),
    ])
    func character_hasItsColumns(character: Character, columns: Int) {
        #expect(DisplayWidth.columns(of: character) == columns)
        #expect(DisplayWidth.columns(of: String(character)) == columns)
    }

    @Test func text_isTheSumOfItsCharacters() {
        #expect(DisplayWidth.columns(of: "") == 0)
        #expect(DisplayWidth.columns(of: "plain") == 5)
        #expect(DisplayWidth.columns(of: "日本 e\u{301}👍🏽"[...]) == 8)
    }

    @Test func prefix_endsBeforeACharacterThatDoesNotFit() {
        #expect(DisplayWidth.prefix("a漢b", columns: 2) == "a")
        #expect(DisplayWidth.prefix("a漢b", columns: 3) == "a漢")
        #expect(DisplayWidth.prefix("e\u{301}x", columns: 1) == "e\u{301}")
        #expect(DisplayWidth.prefix("abc", columns: 0) == "")
        #expect(DisplayWidth.prefix("abc", columns: -1) == "")
        #expect(DisplayWidth.prefix("abc", columns: .max) == "abc")
    }

    @Test func truncated_endsWithAnEllipsis_whenTextIsTooLong() {
        #expect(DisplayWidth.truncated("abc", columns: 3) == "abc")
        #expect(DisplayWidth.truncated("abcd", columns: 3) == "ab…")
        #expect(DisplayWidth.truncated("漢字", columns: 3) == "漢…")
        #expect(DisplayWidth.truncated("漢字", columns: 2) == "…")
        #expect(DisplayWidth.truncated("ab", columns: 1) == "…")
        #expect(DisplayWidth.truncated("ab", columns: 0) == "")
        #expect(DisplayWidth.truncated("", columns: -3) == "")
    }
}
