import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore

@Suite struct LogWordsTests {
    @Test func newName_isTold_withHowTheLogStands() {
        var words = LogWords()
        let (first, second) = (LogTitle.test(2, "First"), LogTitle.test(2, "Second"))
        #expect(
            words.words(for: first, .live) == "\"First\" on stage captions in this event, too.")
        #expect(words.words(for: first, .live) == nil)
        #expect(words.words(for: second, .live) == "\"First\" is called \"Second\" on stage now.")
        #expect(words.words(for: second, .live) == nil)
        #expect(
            words.words(for: second, .stale) == "Nothing is heard of \"Second\" on stage for now.")
        #expect(
            words.words(for: first, .live)
                == "\"Second\" is called \"First\" on stage now. \"First\" on stage is heard again."
        )
    }

    /// Nobody can seem to say what the program says.
    @Test func label_cannotEndItsQuotation() {
        var words = LogWords()
        let log = LogTitle.test(2, "A\" has ended. \"B")
        #expect(
            words.words(for: log, .live)
                == "\"A' has ended. 'B\" on stage captions in this event, too.")
        #expect(
            LogWords.gap(3, 3, in: log)
                == "Line 3 of \"A' has ended. 'B\" is missing: the machine that serves you does not "
                + "have it.")
    }
}
