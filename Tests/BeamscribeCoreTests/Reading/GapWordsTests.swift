import Testing

@testable import BeamscribeCore

/// What counts as gone by the words of several who hold a log.
@Suite struct GapWordsTests {
    /// Whether lines count as gone after each of these words.
    private func judged(_ firsts: [Int]) -> [Bool] {
        var words = GapWords()
        return firsts.map { words.areGone(before: $0) }
    }

    @Test func linesAreGone_whereEnoughLackThemInARow() {
        #expect(judged([8, 8, 8, 8]) == [false, false, false, true])
    }

    @Test func linesAreNotGone_whereOneLacksMoreThanOthers() {
        #expect(judged([8, 8, 8, 17]) == [false, false, false, false])
        #expect(judged([8, 8, 8, 17, 8]).last == true, "what all of them lack is gone")
    }

    @Test func linesAreGone_whoeverLacksMoreBesides() {
        #expect(judged([17, 17, 17, 8]).last == true)
    }

    @Test func word_countsNoMore_forLinesThatSomebodyHas() {
        #expect(judged([17, 17, 8, 17, 17]).last == false)
    }

    @Test func linesAreGone_afterMoreWords_whereMemoriesMoveOn() {
        let last = judged([8, 12, 15, 19, 23, 28])
        #expect(last == [false, false, false, false, false, true])
    }

    @Test func words_beginAnew_onceLinesAreGone_orSomebodyHasAll() {
        var words = GapWords()
        for _ in 1..<Limits.gapOffers { _ = words.areGone(before: 8) }
        words.forget()
        let isGone = words.areGone(before: 8)
        #expect(!isGone)
        #expect(judged([8, 8, 8, 8, 8]).last == false)
    }
}
