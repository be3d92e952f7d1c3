import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Translations on the screen.
@Suite struct TranslationViewTests {
    private static let main = "6265616d-7363-4269-a265-000000000001"
    private let spanish: LogTitle = {
        let record = LogRecord(
            "6265616d-7363-4269-a265-000000000002", translating: main, of: main, as: "es",
            lang: "es", eventName: "Town Hall", deviceName: "stage", created: 1, number: 1)
        return LogTitle(record, by: Fingerprint(bytes: [UInt8](repeating: 7, count: 32))!)
    }()

    private func view() -> ReaderView {
        var view = ReaderView(
            size: TerminalSize(columns: 40, rows: 12), style: TerminalStyle(colour: false),
            replacesByTranslations: true
        ) { _ in "14:05" }
        view.join(Self.main)
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
