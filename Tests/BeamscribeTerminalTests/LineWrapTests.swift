import BeamscribeCore
import BeamscribeTerminal
import Testing

@Suite struct LineWrapTests {
    @Test(arguments: [
        ("", 10, [""]),
        ("   ", 10, [""]),
        ("one two", 10, ["one two"]),
        ("one two", 7, ["one two"]),
        ("one two", 6, ["one", "two"]),
        ("one two", 3, ["one", "two"]),
        ("one   two", 4, ["one", "two"]),
        ("one   two  ", 10, ["one   two"]),
        ("  one", 10, ["one"]),
        ("one ", 3, ["one"]),
        ("abcdef", 4, ["abcd", "ef"]),
        ("x abcdef", 4, ["x", "abcd", "ef"]),
        ("a b", 1, ["a", "b"]),
        ("one\u{A0}two three", 8, ["one\u{A0}two", "three"]),
    ])
    func rows_breakAtBlanks(text: String, columns: Int, rows: [String]) {
        #expect(LineWrap.rows(text, columns: columns, .common) == rows)
    }

    @Test(arguments: [
        ("漢字漢字", 4, ["漢字", "漢字"]),
        ("漢字漢字", 5, ["漢字", "漢字"]),
        ("ab漢字cd", 4, ["ab", "漢字", "cd"]),
        ("漢字。漢", 4, ["漢", "字。", "漢"]),
        ("a漢。", 3, ["a", "漢", "。"]),
        ("漢　字", 4, ["漢", "字"]),
        ("😀😀", 3, ["😀", "😀"]),
        ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
    ])
    func rows_breakBesideWideCharacters(text: String, columns: Int, rows: [String]) {
        #expect(LineWrap.rows(text, columns: columns, .common) == rows)
    }

    @Test(arguments: [1, 0, -5])
    func rows_replaceWideCharacters_whenThereIsOneColumn(columns: Int) {
        #expect(LineWrap.rows("漢a😀", columns: columns, .common) == ["?", "a", "?"])
    }

    @Test(arguments: 0..<300)
    func rows_fitAndLoseNothing(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        let text = RandomText.line(using: &generator)
        let columns = Int.random(in: 1...40, using: &generator)
        let rows = LineWrap.rows(text, columns: columns, .common)
        for row in rows {
            #expect(CharacterWidths.common.columns(of: row) <= max(columns, widest(text, columns)))
            #expect(!row.hasPrefix(" ") && !row.hasSuffix(" "))
            #expect(rows.count == 1 || !row.isEmpty)
        }
        let expected = text.filter { $0 != " " }
            .map { isTooWide($0, columns) ? "?" : $0 }
        #expect(rows.joined().filter { $0 != " " } == String(expected))
    }

    /// The columns of the widest letter that is shown.
    private func widest(_ text: String, _ columns: Int) -> Int {
        text.filter { !isTooWide($0, columns) }
            .map { CharacterWidths.common.columns(of: $0) }.max() ?? 0
    }

    /// A letter is never too wide because of its marks; a picture can be.
    private func isTooWide(_ character: Character, _ columns: Int) -> Bool {
        guard CharacterWidths.common.columns(of: character) > columns else { return false }
        let first = character.unicodeScalars.first ?? " "
        return first.properties.isEmoji
            || CharacterWidths.common.columns(of: Character(first)) > columns
    }

    @Test func direction_endsWithItsRow_andBeginsTheNext() {
        let rows = LineWrap.rows("a \u{2067}bb cc\u{2069} d", columns: 4, .common)
        let wanted = ["a \u{2067}bb\u{2069}", "\u{2067}cc\u{2069} d"]
        #expect(rows.map { Array($0.unicodeScalars) } == wanted.map { Array($0.unicodeScalars) })
        #expect(CharacterWidths.common.columns(of: rows[0]) == 4)
        let cut = CharacterWidths.common.truncated("a\u{2067}bcd\u{2069}", columns: 3)
        #expect(Array(cut.unicodeScalars) == Array("a\u{2067}b\u{2069}…".unicodeScalars))
    }
}

extension LineWrapTests {
    @Test(arguments: [
        ("ภาษาไทยง่าย", 5, ["ภาษา", "ไทย", "ง่าย"]), ("ภาษาไทยง่าย", 8, ["ภาษาไทย", "ง่าย"]),
        ("我们都是学生。", 10, ["我们都是", "学生。"]), ("日本語の字幕です", 8, ["日本語の", "字幕です"]),
        ("日本語", 4, ["日本", "語"]), ("まあ、はい", 6, ["まあ、", "はい"]),
    ])
    func rows_breakBetweenWordsWithoutBlanks(text: String, columns: Int, rows: [String]) {
        #expect(LineWrap.rows(text, columns: columns, .common) == rows)
    }

    /// A letter of two columns with its sign is no wide character.
    @Test func rows_keepIndicWordsWhole() {
        let text = "सभी मनुष्यों को गौरव"
        for columns in 10...30 {
            let rows = LineWrap.rows(text, columns: columns, .common)
            #expect(rows.joined(separator: " ") == text, "at \(columns) columns")
        }
    }
}
