import Testing

@testable import BeamscribeCore

/// Words of writing without blanks, by the ICU of this machine.
@Suite struct WordBreakerTests {
    @Test func icu_isHere() { #expect(WordBreaker.version ?? 0 >= 60) }

    private func words(_ text: String) -> [String]? {
        guard let boundaries = WordBreaker.boundaries(in: text) else { return nil }
        var words = [""]
        for index in text.indices {
            words[words.count - 1].append(text[index])
            if boundaries.contains(text.index(after: index)) { words.append("") }
        }
        return words.filter { !$0.isEmpty }
    }

    @Test(arguments: [
        ("ภาษาไทย", ["ภาษา", "ไทย"]), ("ພາສາລາວ", ["ພາສາ", "ລາວ"]), ("មនុស្សទាំងអស់", ["មនុស្ស", "ទាំងអស់"]),
        ("မြန်မာ စကား", ["မြန်မာ", " ", "စကား"]), ("我们都是学生", ["我们", "都是", "学生"]),
        ("日本語の字幕", ["日本語", "の", "字幕"]),
    ])
    func boundaries_areThoseOfWords(text: String, words: [String]) {
        #expect(self.words(text) == words)
    }

    @Test(arguments: ["", "plain words", "élan", "Привет", "नमस्ते दुनिया", "안녕하세요"])
    func writingWithBlanks_isNotAskedFor(text: String) {
        #expect(WordBreaker.boundaries(in: text) == nil)
    }

    /// An index of another text would trap, or break a letter.
    @Test func boundaries_areIndexesOfTheText() {
        let texts = ["a\u{1F600}ภาษาไทย\u{1F600}b", "e\u{301}日本e\u{301}", "ก", "龍\u{E0100}龍"]
        for text in texts {
            let boundaries = WordBreaker.boundaries(in: text) ?? []
            #expect(boundaries.contains(text.endIndex))
            #expect(boundaries.isSubset(of: Set(text.unicodeScalars.indices + [text.endIndex])))
        }
    }

    @Test func cues_breakBetweenWords() {
        let thai = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิต่างมีเหตุผล"
        let rows = CaptionRows.cues(of: thai).joined()
        #expect(rows.joined() == thai)
        #expect(rows.count > 1)
        let ends = WordBreaker.boundaries(in: thai) ?? []
        var index = thai.startIndex
        for row in rows {
            index = thai.index(index, offsetBy: row.count)
            #expect(ends.contains(index), "\(row)")
        }
    }
}
