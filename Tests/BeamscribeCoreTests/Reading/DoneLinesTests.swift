import Testing

@testable import BeamscribeCore

@Suite struct DoneLinesTests {
    private func partial(_ line: Int, at time: Double) -> LiveChunk {
        LiveChunk(partialOf: "l-\(line)", revision: 1, text: "…", sentTimestamp: time)
    }

    private func final(_ line: Int, at time: Double) -> LiveChunk {
        LiveChunk(final: 1, line: "l-\(line)", text: "done", sentTimestamp: time)
    }

    @Test func partialOfADoneLine_isOld_unlessItIsBegunAnew() {
        var done = DoneLines()
        done.note(final(1, at: 10))
        #expect(done.isOld(partial(1, at: 9)) && !done.isOld(partial(1, at: 10.5)))
        #expect(!done.isOld(partial(2, at: 9)))
    }

    @Test func olderWordsOfALine_areOld_untilItIsDone() {
        var done = DoneLines()
        done.note(open: partial(1, at: 5))
        #expect(done.isOld(partial(1, at: 4)) && !done.isOld(partial(1, at: 5)))
        #expect(!done.isOld(partial(1, at: 6)) && !done.isOld(partial(2, at: 4)))
        let earlier = LiveChunk(partialOf: "l-1", revision: 0, text: "…", sentTimestamp: 5)
        #expect(done.isOld(earlier), "of one moment the revision counts")
        done.note(final(1, at: 3))
        #expect(!done.isOld(partial(1, at: 4)))
        var many = DoneLines()
        for line in 1...1_000 { many.note(open: partial(line, at: Double(line))) }
        for line in 1...1_000 {
            #expect(many.isOld(partial(line, at: 0)) == (line > 1_000 - Limits.linesDone))
        }
    }

    @Test func wordsThatWereTakenBack_areOld_whileTheConnectionStands() {
        var done = DoneLines()
        done.note(open: partial(1, at: 5))
        done.takeBack("l-1")
        #expect(done.isOld(partial(1, at: 5)) && !done.isOld(partial(1, at: 6)))
        done.forgetWhatWasTakenBack()
        #expect(!done.isOld(partial(1, at: 5)) && done.isOld(partial(1, at: 4)))
        done.takeBack("l-1")
        done.note(open: partial(1, at: 7))
        #expect(!done.isOld(partial(1, at: 7)), "it was begun again")
        done.endOpenLines()
        done.forgetWhatWasTakenBack()
        #expect(done.isOld(partial(1, at: 7)), "the writer has signed that nothing is open")
    }

    @Test func newestLines_areRemembered() {
        var done = DoneLines()
        for line in 1...1_000 { done.note(final(line, at: Double(line))) }
        for line in 1...1_000 {
            #expect(done.isOld(partial(line, at: 0)) == (line > 1_000 - Limits.linesDone))
        }
    }

    /// The older of two places of a line goes, and the line stays known.
    @Test func lineThatIsDoneAgain_isRememberedFromThenOn() {
        var done = DoneLines()
        done.note(final(1, at: 1))
        for line in 2...Limits.linesDone { done.note(final(line, at: Double(line))) }
        done.note(final(1, at: 500))
        done.note(final(9_999, at: 501))
        #expect(done.isOld(partial(1, at: 499)) && !done.isOld(partial(2, at: 0)))
    }
}
