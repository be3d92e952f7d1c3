import Beamscribe
import BeamscribeCore
import BeamscribeTerminal

/// What the console has the host do, and what it says of it.
extension HostConsole {
    // MARK: What gets out

    func togglePause() async {
        switch await host.view().gate {
        case .open:
            await host.pause()
            note = "Paused. What comes in waits, and goes out when you go on."
        case .paused: await goOn()
        case .offRecord:
            note = "Off the record: nothing goes out in any case, and nothing waits."
        }
    }

    func toggleRecord() async {
        switch await host.view().gate {
        case .open, .paused:
            await host.goOffRecord()
            editor.showAgain()
            typedOnRecord = editor.openText
            note = "Off the record. What comes in is thrown away; nobody gets it."
        case .offRecord:
            note = "On the record."
            // What was typed meanwhile was not meant for anybody.
            if !editor.openText.isEmpty, editor.openText != typedOnRecord {
                editor.clear()
                note = "On the record. What you have typed meanwhile is thrown away."
            }
            await host.resume()
            editor.showAgain()
        }
    }

    private func goOn() async {
        await host.resume()
        editor.showAgain()
        note = "The captions go on."
    }

    func mark() async {
        let lines = await host.view().lineCount
        await host.mark()
        note = lines == 0 ? "Marked before the first line." : "Marked after line \(lines)."
    }

    /// Shows how phones get there once more: what was shown at the start has scrolled away.
    func showPage() {
        guard let link = page?.links().first else {
            note = "There is no page for phones; begin the host with --web for one."
            return
        }
        let size = Console.size
        let code = PageService.drawing(
            of: link, columns: size.columns, rows: size.rows - Self.rowsBelow)
        _ = screen.print(((code ?? []) + ["Phones: \(link.link)"]).map { $0 + "\n" }.joined())
        if code == nil { note = "The QR code does not fit here: make the terminal larger." }
    }

    /// About what is drawn below the code: so much of the terminal has no room for it.
    private static let rowsBelow = 8

    // MARK: Typed captions

    func perform(_ action: EditorAction) async {
        switch action {
        case .partial(let text, let speaker): await host.type(partial: text, speaker: speaker)
        case .final(let text, let speaker): tell(await host.type(text, speaker: speaker))
        case .correction(let seq, let text, let speaker):
            let outcome = await host.correct(seq, text: text, speaker: speaker)
            note =
                outcome == .refused
                ? "Line \(seq) could not be corrected." : "Line \(seq) is corrected."
        case .end: await end()
        }
    }

    func sendPartial() async {
        if let action = editor.partial() { await perform(action) }
    }

    private func tell(_ outcome: TypedOutcome) {
        switch outcome {
        case .sent: break
        case .waits: note = "Paused: the line goes out when you go on."
        case .offRecord: note = "Off the record: the line went nowhere."
        case .refused: note = "The line was not sent: too many wait, or the event is over."
        }
    }

    private func end() async {
        if kind == .typed { await host.endTyping() }
        closeEditor()
    }
}
