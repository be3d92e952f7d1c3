import BeamscribeCore
import Testing

@testable import BeamscribeTerminal

@Suite struct PartialSettlingTests {
    private func settled(_ settling: PartialSettling) -> String {
        String(decoding: settling.text.utf8.prefix(settling.settledEnd), as: UTF8.self)
    }

    @Test func words_settle_whenTwoRevisionsHaveThem() {
        var settling = PartialSettling()
        settling.revise("the cat", at: 0)
        #expect(settled(settling) == "")
        settling.revise("the cats sat", at: 0.1)
        #expect(settled(settling) == "the")
        settling.revise("the cats sat", at: 0.2)
        #expect(settled(settling) == "the cats")
        settling.revise("the cats", at: 0.3)
        #expect(settled(settling) == "the cats")
        settling.revise("a cat", at: 0.4)
        #expect(settled(settling) == "")
    }

    @Test func words_settle_whenTheyStandForASecond() {
        var settling = PartialSettling()
        settling.revise("one", at: 0)
        settling.revise("one two", at: 0.5)
        #expect(settled(settling) == "one")
        settling.pass(to: 1.4)
        #expect(settled(settling) == "one" && settling.isWaiting)
        settling.pass(to: 1.5)
        #expect(settled(settling) == "one two" && !settling.isWaiting)
    }

    @Test func characters_settle_whereThereAreNoBlanks() {
        var settling = PartialSettling()
        settling.revise("予算は", at: 0)
        settling.revise("予算の話", at: 0.1)
        #expect(settled(settling) == "予算")
    }

    @Test(arguments: 0..<500)
    func settled_isABeginning_thatBothRevisionsHave(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var settling = PartialSettling()
        var before = ""
        for step in 0..<40 {
            let text = RandomText.line(using: &generator)
            let next = Bool.random(using: &generator) ? before + " " + text : text
            settling.revise(next, at: Double(step) * 0.1)
            let settled = settled(settling)
            #expect(next.hasPrefix(settled) || next.utf8.starts(with: settled.utf8))
            #expect(before.utf8.starts(with: settled.utf8))
            before = next
        }
    }
}
