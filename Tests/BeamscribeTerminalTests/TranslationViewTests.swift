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
        _ view: inout ReaderView, _ text: String, of target: Int, seq: Int, replaces: Int? = nil,
        at place: Int? = nil
    ) {
        var line = TranscriptLine(
            seq: seq, line: "es-\(target)", text: text, speaker: "Ann", replaces: replaces,
            sentTimestamp: 0, receivedTimestamp: 0, latency: 0)
        (line.of, line.at) = (target, place ?? target + 1)
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

    @Test func lineInTheReadersLanguage_isNotReplaced() {
        var view = view()
        say(&view, "no", seq: 1, at: 1, lang: "es-MX")
        translate(&view, "sí", of: 1, seq: 1)
        #expect(view.captions() == [" no"])
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

    /// A reader who comes later gets the translation of the lost line behind the new one.
    @Test func oldTranslation_standsForNoNewLine_butItsCorrectionDoes() {
        var view = view()
        view.add("line 1", seq: 1)
        view.add(.test("other", seq: 2, at: 10_003))
        translate(&view, "dos", of: 2, seq: 1, at: 3)
        #expect(view.captions() == [" line 1", " other"])
        translate(&view, "otra", of: 2, seq: 2, replaces: 1, at: 10_004)
        #expect(view.captions() == [" line 1", " otra"])
    }

    // MARK: Interpreters

    private func interpret(_ view: inout ReaderView, _ text: String, seq: Int, at place: Int) {
        view.add(.test(text, seq: seq, at: place), of: spanish)
    }

    private func say(
        _ view: inout ReaderView, _ text: String, seq: Int, at place: Int, lang: String? = nil
    ) {
        var line = TranscriptLine.test(text, seq: seq, at: place)
        line.lang = lang
        view.add(line)
    }

    @Test func interpretersLine_standsForWhatWasSaidSinceTheOneBefore() {
        var view = view()
        say(&view, "good evening", seq: 1, at: 1)
        interpret(&view, "buenas noches", seq: 1, at: 2)
        say(&view, "thank you", seq: 2, at: 3)
        say(&view, "for coming", seq: 3, at: 4)
        #expect(
            view.captions() == [
                " good evening", " buenas noches", " thank you", " for coming",
            ])
        interpret(&view, "gracias por venir", seq: 2, at: 5)
        say(&view, "now", seq: 4, at: 6)
        let shown = [" good evening", " buenas noches", " gracias por venir", " now"]
        #expect(view.captions() == shown)
        #expect(view.lineCount == 4)
        #expect(view.transcript.split(separator: "\n").count == 4)
    }

    /// Who comes late has the main log first, and the interpreter's then.
    @Test func interpretation_isTheSame_whicheverLogComesFirst() {
        var (early, late) = (view(), view())
        let captions = [(1, 1), (2, 3), (3, 4), (4, 6)]
        let spoken = [(1, 2), (2, 5)]
        for (seq, at) in captions { say(&early, "line \(seq)", seq: seq, at: at) }
        for (seq, at) in spoken { interpret(&early, "línea \(seq)", seq: seq, at: at) }
        for (seq, at) in spoken { interpret(&late, "línea \(seq)", seq: seq, at: at) }
        for (seq, at) in captions { say(&late, "line \(seq)", seq: seq, at: at) }
        #expect(early.captions() == [" line 1", " línea 1", " línea 2", " line 4"])
        #expect(late.captions() == early.captions() && late.lineCount == early.lineCount)
    }

    @Test func lineInTheReadersLanguage_isShown_whateverAnInterpreterSays() {
        var view = view()
        interpret(&view, "uno", seq: 1, at: 1)
        say(&view, "hola", seq: 1, at: 2, lang: "es-MX")
        interpret(&view, "dos", seq: 2, at: 3)
        #expect(view.captions() == [" uno", " hola", " dos"])
    }

    @Test func lineThatWasTranslatedByItself_isShown_whateverIsSaidBehindIt() {
        var view = view()
        interpret(&view, "uno", seq: 1, at: 1)
        say(&view, "two", seq: 1, at: 2)
        say(&view, "three", seq: 2, at: 3)
        translate(&view, "dos", of: 1, seq: 2)
        interpret(&view, "cuatro", seq: 3, at: 5)
        #expect(view.captions() == [" uno", " dos", " cuatro"])
        translate(&view, "tres", of: 2, seq: 4)
        #expect(view.captions() == [" uno", " dos", " tres", " cuatro"])
        #expect(view.lineCount == 4)
    }

    /// Who captions when the host is gone is interpreted as the host was.
    @Test func interpretersLine_standsForWhatIsSaidInThePlaceOfTheHost() {
        var view = view()
        let standby = LogTitle.test(3, "Standby", standingInFor: LogTitle.testMain)
        interpret(&view, "uno", seq: 1, at: 1)
        view.add(.test("two", seq: 1, at: 2), of: standby)
        #expect(view.captions() == [" uno", " Standby: two"])
        interpret(&view, "dos", seq: 2, at: 3)
        #expect(view.captions() == [" uno", " dos"])
    }

    /// An open line stands where it was begun, and is not interpreted before it was said.
    @Test func lineThatWasOpen_isInterpreted_byWhatIsSaidBehindIt() {
        var view = view()
        interpret(&view, "uno", seq: 1, at: 1)
        view.show("two", line: "l-1")
        interpret(&view, "otra cosa", seq: 2, at: 2)
        say(&view, "two.", seq: 1, at: 3)
        #expect(view.captions() == [" uno", " two.", " otra cosa"])
        interpret(&view, "dos", seq: 3, at: 4)
        #expect(view.captions() == [" uno", " otra cosa", " dos"])
    }
}
