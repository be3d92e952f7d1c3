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
        #expect(LineWrap.rows(text, columns: columns) == rows)
    }

    @Test(arguments: [
        ("漢字漢字", 4, ["漢字", "漢字"]),
        ("漢字漢字", 5, ["漢字", "漢字"]),
        ("ab漢字cd", 4, ["ab漢", "字cd"]),
        ("漢字。漢", 4, ["漢", "字。", "漢"]),
        ("a漢。", 3, ["a", "漢", "。"]),
        ("漢　字", 4, ["漢", "字"]),
        ("😀😀", 3, ["😀", "😀"]),
        ("e\u{301}e\u{301}e\u{301}", 2, ["e\u{301}e\u{301}", "e\u{301}"]),
    ])
    func rows_breakBesideWideCharacters(text: String, columns: Int, rows: [String]) {
        #expect(LineWrap.rows(text, columns: columns) == rows)
    }

    @Test(arguments: [1, 0, -5])
    func rows_replaceWideCharacters_whenThereIsOneColumn(columns: Int) {
        #expect(LineWrap.rows("漢a😀", columns: columns) == ["?", "a", "?"])
    }

    @Test(arguments: 0..<300)
    func rows_fitAndLoseNothing(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        let text = RandomText.line(using: &generator)
        let columns = Int.random(in: 1...40, using: &generator)
        let rows = LineWrap.rows(text, columns: columns)
        for row in rows {
            #expect(DisplayWidth.columns(of: row) <= columns)
            #expect(!row.hasPrefix(" ") && !row.hasSuffix(" "))
            #expect(rows.count == 1 || !row.isEmpty)
        }
        let expected = text.filter { $0 != " " }
            .map { DisplayWidth.columns(of: $0) > columns ? "?" : $0 }
        #expect(rows.joined().filter { $0 != " " } == String(expected))
    }

    @Test func direction_endsWithItsRow_andBeginsTheNext() {
        let rows = LineWrap.rows("a \u{2067}bb cc\u{2069} d", columns: 4)
        let wanted = ["a \u{2067}bb\u{2069}", "\u{2067}cc\u{2069} d"]
        #expect(rows.map { Array($0.unicodeScalars) } == wanted.map { Array($0.unicodeScalars) })
        #expect(DisplayWidth.columns(of: rows[0]) == 4)
        let cut = DisplayWidth.truncated("a\u{2067}bcd\u{2069}", columns: 3)
        #expect(Array(cut.unicodeScalars) == Array("a\u{2067}b\u{2069}…".unicodeScalars))
    }
}
