import BeamscribeCore
import Testing

@Suite struct CaptionRowsTests {
    @Test func rows_holdAllOfTheText_andFit() {
        var generator = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let text = CaptionText.line(using: &generator)
            let cues = CaptionRows.cues(of: text)
            let rows = cues.flatMap(\.self)
            #expect(cues.allSatisfy { (1...2).contains($0.count) })
            #expect(cues.dropLast().allSatisfy { $0.count == 2 })
            #expect(rows.allSatisfy { CaptionWidth.columns(of: $0) <= 42 }, "\(text)")
            #expect(rows.allSatisfy { !CaptionText.withoutBlanks($0).isEmpty }, "\(text)")
            #expect(rows.allSatisfy { $0.first != " " && $0.last != " " })
            let said = CaptionText.withoutBlanks(rows.joined())
            #expect(said == CaptionText.withoutBlanks(text))
        }
    }

    @Test func rows_breakBetweenWords_whenNoneIsTooLong() {
        var generator = SeededGenerator(seed: 2)
        let words = [
            "a", "of", "the", "words", "sentence,", "incomprehensibilities", "مرحبا", "नमस्ते",
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 1...60, using: &generator)
            let chosen = (0..<count).map { _ in words.randomElement(using: &generator)! }
            let rows = CaptionRows.cues(of: chosen.joined(separator: " ")).flatMap(\.self)
            #expect(rows.flatMap { $0.split(separator: " ").map(String.init) } == chosen)
        }
    }

    @Test func rows_areBalanced_whenThereAreTwo() {
        let text = "The quick brown fox jumps over the lazy dog."
        #expect(
            CaptionRows.cues(of: text) == [["The quick brown fox", "jumps over the lazy dog."]])
        let short = "The quick brown fox jumps over a lazy dog."
        #expect(CaptionRows.cues(of: short) == [[short]])
    }

    @Test func word_isSplit_whenItIsLongerThanARow() {
        let word = String(repeating: "x", count: 100)
        let rows = CaptionRows.cues(of: "see \(word) now").flatMap(\.self)
        #expect(rows.count == 4)
        #expect(rows.joined().replacing(" ", with: "") == "see\(word)now")
    }

    @Test func wideCharacters_countTwice_andBreakAnywhereButBeforeAStop() {
        let text = String(repeating: "字", count: 21) + "。"
        let rows = CaptionRows.cues(of: text).flatMap(\.self)
        #expect(rows.count == 2)
        #expect(rows.allSatisfy { !$0.hasPrefix("。") })
        #expect(rows.joined() == text)
        #expect(CaptionWidth.columns(of: "字幕 👍🏽 e\u{301}") == 9)
    }

    @Test func caption_hasNoCue_whenNothingCanBeSeen() {
        for text in ["", " ", "\u{A0}", "  \u{3000} "] {
            #expect(CaptionRows.cues(of: text).isEmpty)
        }
    }
}
