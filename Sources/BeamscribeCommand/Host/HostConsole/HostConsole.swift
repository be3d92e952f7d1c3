import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// The operator's keys and screen: what is pressed is done, and how the event stands is shown.
actor HostConsole {
    private enum Table {
        case guests
        case keys
    }

    private let host: Host
    private let kind: ConsoleKind
    private let page: PageService?
    private var editor: CaptionEditor
    /// Whether letters are words.
    private var isTyping: Bool
    /// What the last key did, or asks.
    private var note = ""
    /// What was typed when the event went off the record.
    private var typedOnRecord = ""
    private let screen: ConsoleScreen
    private let keys: KeySource
    private var table: Table?
    /// One line is being corrected, and nothing else is typed.
    private var correctsOnly = false
    private var asksForEnd = false
    private var tasks: [Task<Void, Never>] = []

    init(
        _ host: Host, _ screen: ConsoleScreen, _ keys: KeySource, speakers: [String],
        page: PageService?
    ) {
        self.host = host
        self.page = page
        self.screen = screen
        self.keys = keys
        kind = screen.kind
        isTyping = screen.kind == .typed
        editor = CaptionEditor(speakers: speakers)
    }

    /// Takes the terminal, while the program is in the foreground.
    func start(_ signals: Signals) async {
        ConsoleTerminal.ignoreStops()
        TerminalOwner.set(screen)
        await look()
        tasks = [
            Task { while let keys = await keys.next() { await take(keys) } },
            Task {
                for await signal in signals.terminalChanges.listen() {
                    await terminalChanged(signal)
                }
            },
            Task {
                while (try? await Task.sleep(for: Limits.consoleInterval)) != nil { await look() }
            },
        ]
    }

    /// Leaves the terminal as it was found.
    func stop() async {
        tasks.forEach { $0.cancel() }
        await keys.stop()
        screen.finish()
        TerminalOwner.set(nil)
    }

    /// Has everybody get what was typed and not sent, before the host goes. A correction that was
    /// begun is none.
    func sendTyped() async {
        if let action = editor.takeOpen() { await perform(action) }
    }

    private func terminalChanged(_ signal: SignalSource.Signal) async {
        if signal == .continued { screen.reattach() } else { screen.resize() }
        await look()
    }

    /// A program in the background must leave the terminal alone, until it is back.
    private func look() async {
        if screen.attach() { await keys.start() } else { await keys.rest() }
        await draw()
    }

    private func draw() async {
        let view = await host.view(withGuests: table == .guests)
        var content = OperatorContent()
        let status = ConsoleStatus(view: view, isTyped: kind == .typed)
        (content.status, content.details) = (status.left, status.right)
        content.lines = view.lines
        content.open = view.open.filter { !$0.line.hasPrefix("typed-") }.map(\.spokenText)
        content.note = note
        content.hint = ConsoleCommand.hint(isTyping: isTyping)
        switch table {
        case .guests: content.table = GuestRows(guests: view.guests).rows
        case .keys: content.table = ConsoleCommand.help(isTyping: isTyping)
        case nil: break
        }
        if isTyping {
            content.editor = .init(prompt: prompt, line: editor.line, correcting: editor.correcting)
        }
        screen.show(content)
    }

    private var prompt: String {
        editor.correcting.map { "correcting line \($0)" } ?? editor.speakers.current ?? ""
    }

    // MARK: Keys

    private func take(_ keys: [Key]) async {
        for key in keys { await take(key) }
        if let action = editor.partial() { await perform(action) }
        await draw()
    }

    private func take(_ key: Key) async {
        if key == .control("z") { return screen.suspend() }
        note = ""
        let command = ConsoleCommand(key, isTyping: isTyping)
        defer { asksForEnd = command == .endEvent && !asksForEnd }
        if let command {
            await perform(command)
        } else if isTyping {
            await edit(key)
        } else if key == .escape {
            table = nil
        }
    }

    private func perform(_ command: ConsoleCommand) async {
        switch command {
        case .pause: await togglePause()
        case .offRecord: await toggleRecord()
        case .mark: await mark()
        case .guests: table = table == .guests ? nil : .guests
        case .phones: showPage()
        case .keys: table = table == .keys ? nil : .keys
        case .type: isTyping = true
        case .correct: await beginCorrection()
        case .endEvent:
            if asksForEnd { return await host.endEvent() }
            note = "End the event for everybody? The same key again ends it."
        }
    }

    private func beginCorrection() async {
        editor.lines = await host.view().lines
        _ = editor.handle(.up)
        isTyping = editor.correcting != nil
        correctsOnly = isTyping
        if !isTyping { note = "There is no line to correct yet." }
    }

    private func edit(_ key: Key) async {
        if key == .escape, editor.correcting == nil, kind == .keys { return closeEditor() }
        if editor.needsLines(for: key) { editor.lines = await host.view().lines }
        if let action = editor.handle(key) { await perform(action) }
        if correctsOnly, editor.correcting == nil { closeEditor() }
    }

    /// Letters are commands again.
    private func closeEditor() {
        editor.clear()
        isTyping = false
        correctsOnly = false
    }

    // MARK: What gets out

    private func togglePause() async {
        switch await host.view().gate {
        case .open:
            await host.pause()
            note = "Paused. What comes in waits, and goes out when you go on."
        case .paused:
            await host.resume()
            editor.showAgain()
            note = "The captions go on."
        case .offRecord:
            note = "Off the record: nothing goes out in any case, and nothing waits."
        }
    }

    private func toggleRecord() async {
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

    private func mark() async {
        let lines = await host.view().lineCount
        await host.mark()
        note = lines == 0 ? "Marked before the first line." : "Marked after line \(lines)."
    }

    /// Shows how phones get there once more: what was shown at the start has scrolled away.
    private func showPage() {
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

    private func perform(_ action: EditorAction) async {
        switch action {
        case .partial(let text, let speaker): await host.type(partial: text, speaker: speaker)
        case .final(let text, let speaker): tell(await host.type(text, speaker: speaker))
        case .correction(let seq, let text, let speaker):
            let outcome = await host.correct(seq, text: text, speaker: speaker)
            note =
                outcome == .refused
                ? "Line \(seq) could not be corrected." : "Line \(seq) is corrected."
        case .end:
            if kind == .typed { await host.endTyping() }
            closeEditor()
        }
    }

    private func tell(_ outcome: TypedOutcome) {
        switch outcome {
        case .sent: break
        case .waits: note = "Paused: the line goes out when you go on."
        case .offRecord: note = "Off the record: the line went nowhere."
        case .refused: note = "The line was not sent: too many wait, or the event is over."
        }
    }
}
