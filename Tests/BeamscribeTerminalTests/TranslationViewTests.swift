import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Translations on the screen.
@Suite struct TranslationViewTests {
    private let spanish = LogTitle.test(2, "es", translating: "es")

    private func view() -> ReaderView {
        var view = ReaderView(
            size: TerminalSize(columns: 40, rows: 12), style: TerminalStyle(colour: false),
            showing: LogChoice(languages: ["es"])
        ) { _ in "14:05" }
        view.join(LogTitle.testMain)
        return view
    }

    private func translate(
        _ view: inout ReaderView, _ text: String, of target: Int, seq: Int, replaces: Int? = nil
    ) {
        var line = TranscriptLine(
            seq: seq, line: "es-\(target)", text: text, speaker: "Ann", replaces: replaces,
            sentTimestamp: 0, receivedTimestamp: 0, latency: 0)
        line.of = target
        view.add(line, of: spanish)
    }

    @Test func translation_takesThePlaceOfItsLine_unmarked() {
        var view = view()
        view.add("one", seq: 1, speaker: "Ann")
        view.add("two", seq: 2, speaker: "Ann")
        translate(&view, "uno", of: 1, seq: 1)
        #expect(view.captions() == [" Ann: uno", " Ann: two"])
        view.add("three", seq: 3)
        translate(&view, "dos", of: 2, seq: 2)
        #expect(view.captions() == [" Ann: uno", " Ann: dos", " three"])
        #expect(view.lineCount == 3 && view.transcript == "Ann: uno\nAnn: dos\nthree\n")
    }

    @Test func correctedLine_isShownAsItIsNow_untilThatIsTranslated() {
        var view = view()
        view.add("one", seq: 1)
        translate(&view, "uno", of: 1, seq: 1)
        view.add("won", seq: 2, replaces: 1)
        #expect(view.captions() == [" won (corrected)"])
        translate(&view, "ganado", of: 2, seq: 2, replaces: 1)
        #expect(view.captions() == [" ganado (corrected)"])
        view.add("", seq: 3, replaces: 1)
        translate(&view, "", of: 3, seq: 3, replaces: 1)
        #expect(view.captions() == [" (withdrawn)"])
    }

    @Test func lineThatCannotBeTranslated_staysAsItIs() {
        var view = view()
        view.add("one", seq: 1)
        translate(&view, "", of: 1, seq: 1)
        #expect(view.captions() == [" one"])
    }

    @Test func translationThatComesFirst_waitsForItsLine() {
        var view = view()
        view.add("one", seq: 1)
        translate(&view, "dos", of: 2, seq: 1)
        #expect(view.captions() == [" one"])
        view.add("two", seq: 2)
        #expect(view.captions() == [" one", " dos"])
    }

    /// The host has lost a line, and says another under its number.
    @Test func lineInTheNumberOfALostOne_isNotTranslatedByItsWords() {
        var view = view()
        view.add(numbered: 1...2)
        translate(&view, "dos", of: 2, seq: 1)
        translate(&view, "tres", of: 3, seq: 2)
        view.withdraw(from: 2, through: 2)
        view.add("other", seq: 2)
        view.add("another", seq: 3)
        #expect(
            view.captions() == [" line 1", " dos (withdrawn)", " other", " another"])
    }
}
