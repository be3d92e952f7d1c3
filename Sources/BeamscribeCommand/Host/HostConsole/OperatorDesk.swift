import Beamscribe
import BeamscribeCore
import BeamscribeIO
import BeamscribeTerminal

/// What an operator's keys do, and what there is to be seen of it. It knows no terminal.
///
/// Invariant: letters are an answer while there is a question, else what is looked for while that is
/// typed, else words while `isTyping`, else commands.
actor OperatorDesk {
    private enum Table {
        case guests
        case keys
    }

    private let host: Host
    private let kind: ConsoleKind
    private let page: PageService?
    private let keep: @Sendable (GlossaryPair) throws(SystemError) -> String?
    /// What the last correction would have mended for good: until the next key.
    private var offer: GlossaryPair?
    private var editor: CaptionEditor
    /// Whether letters are words.
    private var isTyping: Bool
    /// What the last key did, or asks.
    private var note = ""
    /// What was typed when the event went off the record.
    private var typedOnRecord = ""
    private var table: Table?
    /// One line is being corrected, and nothing else is typed.
    private var correctsOnly = false
    /// Asked at this moment.
    private var question: EndQuestion?
    /// The words that a line is looked for by; those of the last search, and the place of the line it found.
    private var wanted: EditableText?
    private var search: String?
    private var lastFound: Int?
    /// Who captions here, too.
    private let writers: WriterDesk
    /// Who is on the voices' channels.
    private let voices: VoiceDesk
    /// Whose turn the captions are.
    private let air: AirDesk
    /// The page's code, while it is shown.
    private var picture: [String] = []

    /// - Parameters:
    ///   - page: that of the event, for phones; nil where there is none.
    ///   - keep: keeps a pair for the next time; says where, nil for nowhere.
    init(
        of host: Host, _ kind: ConsoleKind, speakers: [String], page: PageService?,
        keep: @escaping @Sendable (GlossaryPair) throws(SystemError) -> String?
    ) {
        self.host = host
        (air, writers, voices) = (AirDesk(of: host), WriterDesk(of: host), VoiceDesk(of: host))
        self.keep = keep
        self.page = page
        self.kind = kind
        isTyping = kind == .typed
        editor = CaptionEditor(speakers: speakers)
    }

    /// Has everybody get what was typed and not sent, before the host goes. A correction that was
    /// begun is none.
    func sendTyped() async {
        if let action = editor.takeOpen() { await perform(action) }
    }

    /// Time has passed: a question goes away.
    func tick() async {
        if question?.isOver(at: Clock.uptime) == true, let answer = question?.answer {
            await leaveQuestion(answer)
        }
    }

    /// What there is to be seen.
    func content() async -> OperatorContent {
        let view = await host.view(withGuests: table == .guests)
        var content = OperatorContent()
        let status = ConsoleStatus(view: view, isTyped: kind == .typed)
        (content.status, content.details) = (status.left, status.right)
        // In a mesh they are printed, with those of all others.
        if view.peers == nil { content.lines = view.lines }
        content.open =
            view.open.filter { !$0.line.hasPrefix("typed-") }.map(\.spokenText) + view.openOfOthers
        content.note = note
        content.picture = picture
        content.hint = ConsoleCommand.hint(isTyping: isTyping)
        switch table {
        case .guests:
            content.table =
                view.peers.map { PeerRows(peers: $0).rows } ?? GuestRows(guests: view.guests).rows
        case .keys:
            content.table =
                ConsoleCommand.help(isTyping: isTyping) + (view.peers == nil ? [] : PeerRows.help)
        case nil: break
        }
        content.editor = openLine
        return content
    }

    /// What letters go to.
    private var openLine: OperatorContent.Editor? {
        if let question {
            return .init(prompt: "type end and Enter", line: EditableText(question.answer))
        }
        if let wanted { return .init(prompt: "find", line: wanted) }
        guard isTyping else { return nil }
        return .init(prompt: prompt, line: editor.line, correcting: editor.correcting)
    }

    private var prompt: String {
        guard let line = editor.corrected else { return editor.speakers.current ?? "" }
        return "correcting line \(line.seq)" + (editor.speaker.map { " " + $0 } ?? "")
    }

    // MARK: Keys

    /// Does what these keys are for, which came together.
    func take(_ keys: [Key]) async {
        if let text = burst(in: keys) {
            await take(.pasted(text))
        } else {
            for key in keys { await take(key) }
        }
        if let action = editor.partial() { await perform(action) }
    }

    private func take(_ key: Key) async {
        if question != nil { return await answer(key) }
        if wanted != nil { return await look(with: key) }
        note = ""
        picture = []
        let isPaste = if case .pasted = key { true } else { false }
        let offered = offer.take()
        if case .character(let digit) = key, let said = await answer(to: digit) {
            note = said
            return
        }
        let command = ConsoleCommand(key, isTyping: isTyping)
        if command != .take, command != .hand { await air.forget() }
        if command != .writers { await writers.forget() }
        await voices.forget()
        if let command {
            await perform(command, offered)
        } else if isTyping || isPaste {
            isTyping = true
            await edit(key)
        } else if key == .escape {
            table = nil
        }
    }

    /// What comes in one piece where letters are commands is text that was pasted, in a terminal
    /// that does not say so.
    private func burst(in keys: [Key]) -> String? {
        guard !isTyping, question == nil, wanted == nil else { return nil }
        var text = ""
        for key in keys {
            switch key {
            case .character(let character): text.append(character)
            case .tab: text += " "
            case .enter: text += "\n"
            default: break
            }
        }
        return text.filter { $0 != "\n" }.count >= Limits.burst ? text : nil
    }

    private func perform(_ command: ConsoleCommand, _ offered: GlossaryPair?) async {
        if command.changesEvent, await host.view().isEventOver {
            note = "The event has ended; Ctrl-C stops the host."
            return
        }
        switch command {
        case .pause: await togglePause()
        case .offRecord: await toggleRecord()
        case .mark: await mark()
        case .guests: table = table == .guests ? nil : .guests
        case .phones: showPage()
        case .relays: await toggleRelays()
        case .writers: note = await writers.letIn(by: name(.writers))
        case .voices: note = await voices.show()
        case .take: note = await air.take(by: name(.take))
        case .hand: note = await air.hand(by: name(.hand))
        case .keys: table = table == .keys ? nil : .keys
        case .type: isTyping = true
        case .correct: await beginCorrection()
        case .find: wanted = EditableText()
        case .always: await mendAlways(offered)
        case .endEvent: await askForEnd()
        }
    }

    /// A digit picks one of what the key before has shown.
    private func answer(to digit: Character) async -> String? {
        if let said = await air.choose(digit) { return said }
        if let said = await voices.choose(digit) { return said }
        return await writers.choose(digit)
    }

    private func name(_ command: ConsoleCommand) -> String {
        let name = command.name(isTyping: isTyping)
        return name.hasPrefix("^") ? "Ctrl-\(name.dropFirst())" : name
    }

    /// Where phones go once this host is gone. They believe the page that they read, so that an operator
    /// says whose that may be.
    private func toggleRelays() async {
        let pages = await host.pagesOfOthers
        guard !pages.admitted.isEmpty || !pages.others.isEmpty else {
            note = "Nobody else serves this event to phones: beamscribe relay --web does."
            return
        }
        await host.admitPagesOfOthers(!pages.others.isEmpty)
        let all = (pages.admitted + pages.others).joined(separator: ", ")
        note =
            pages.others.isEmpty
            ? "Phones stay here when this host is gone."
            : "Phones read on at \(all) when this host is gone; v again: they do not."
    }

    // MARK: The end

    private func askForEnd() async {
        let view = await host.view()
        question = EndQuestion(asked: Clock.uptime)
        let isHalfTyped = editor.pastedCount == 0 && editor.openText.contains { !$0.isWhitespace }
        note = EndQuestion.words(
            waiting: view.waitingLines, isTyping: isHalfTyped, isOffRecord: view.gate == .offRecord,
            pasted: editor.pastedCount, corrects: editor.correcting != nil)
    }

    private func answer(_ key: Key) async {
        switch question?.take(key) {
        case .ends:
            await sendTyped()
            await host.endEvent()
            (question, note) = (nil, "The event has ended.")
        case .isLeft(let letters): await leaveQuestion(letters)
        case .asksOn, nil: break
        }
    }

    /// The event goes on. Words that somebody went on typing are words.
    private func leaveQuestion(_ letters: String) async {
        question = nil
        note = "The event goes on."
        guard isTyping else { return }
        for letter in letters { await edit(.character(letter)) }
        note = "The event goes on."
    }

    // MARK: Lines that are out

    private func look(with key: Key) async {
        switch key {
        case .character(let character): wanted?.insert(character)
        case .pasted(let text): wanted?.insert(text.replacing("\n", with: " "))
        case .backspace: wanted?.backspace()
        case .enter:
            let text = wanted?.text ?? ""
            wanted = nil
            await find(text)
        case .escape, .control: wanted = nil
        default: break
        }
    }

    /// Opens the newest line that holds `text`, or the next older one where that was looked for
    /// before.
    private func find(_ text: String) async {
        let text = text.isEmpty ? search ?? "" : text
        guard !text.isEmpty else { return }
        let before = search == text ? editor.correcting ?? lastFound : nil
        var state = EventSearch(for: text, before: before ?? .max)
        while state.found.isEmpty, !state.isOver { state = await host.look(state) }
        search = text
        guard let line = state.found.first else {
            lastFound = nil
            note = "No \(before == nil ? "" : "older ")line holds \"\(text)\"."
            return
        }
        lastFound = line.at
        correctsOnly = correctsOnly || !isTyping
        isTyping = true
        editor.lines = await host.view().lines
        editor.correct(line)
    }

    /// Has the editor know the lines that `key` may go to.
    private func fetchLines(for key: Key) async {
        guard editor.needsLines(for: key) else { return }
        let newest = await host.view().lines
        let oldest = newest.first?.at ?? 1
        if editor.correcting == nil {
            editor.lines = newest
        } else if let last = editor.lines.last?.at, last >= oldest {
            editor.lines = editor.lines.filter { $0.at < oldest } + newest
        }
        guard editor.needsOlderLines(for: key), let first = editor.lines.first?.at else { return }
        var state = EventSearch(for: "", before: first)
        while state.found.isEmpty, !state.isOver { state = await host.look(state) }
        editor.lines = state.found.reversed() + editor.lines
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
        await fetchLines(for: key)
        if let action = editor.handle(key) { await perform(action) }
        if correctsOnly, editor.correcting == nil, editor.pastedCount == 0 { closeEditor() }
        if editor.pastedCount > 0 { note = pasteNote }
    }

    private var pasteNote: String {
        editor.pasted.isEmpty
            ? "Pasted. Enter sends it, Escape lets go of it."
            : "\(plural(editor.pastedCount, "pasted line")): Enter sends one after another, Escape "
                + "lets go."
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
        let view = await host.view()
        switch view.gate {
        case .open, .paused:
            await host.goOffRecord()
            editor.showAgain()
            typedOnRecord = editor.openText
            note = "Off the record. What comes in is thrown away; nobody gets it."
            if view.waitingLines > 0 {
                note +=
                    " So \(view.waitingLines == 1 ? "is" : "are") "
                    + "\(plural(view.waitingLines, "typed line")) that waited."
            }
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
        let lines = await host.view().lastSeq
        await host.mark()
        note = lines == 0 ? "Marked before the first line." : "Marked after line \(lines)."
    }

    /// Shows how phones get there once more: what was shown at the start has scrolled away.
    private func showPage() {
        guard let link = page?.links().first else {
            note = "There is no page for phones; begin the host with --web for one."
            return
        }
        let size = TerminalSize(of: .output)
        let code = PageService.drawing(
            of: link, columns: size.columns, rows: size.rows - Self.rowsBeside)
        picture = (code ?? []) + ["Phones: \(link.link)"]
        if code == nil { note = "The QR code does not fit here: make the terminal larger." }
    }

    /// What is shown beside the code: its link, how things stand, and a row of the log.
    private static let rowsBeside = 3

    // MARK: Typed captions

    private func perform(_ action: EditorAction) async {
        switch action {
        case .partial(let text, let speaker): await host.type(partial: text, speaker: speaker)
        case .final(let text, let speaker): tell(await host.type(text, speaker: speaker))
        case .corrections(let corrections): for each in corrections { await correct(each) }
        case .end:
            if kind == .typed { await host.endTyping() }
            closeEditor()
        }
    }

    private func correct(_ correction: EditorAction.Correction) async {
        let before = await host.wording(of: correction.seq, in: correction.log)
        let old = before.map { " It was: \"\($0)\"" } ?? ""
        let outcome = await host.correct(
            correction.seq, in: correction.log, text: correction.text, speaker: correction.speaker)
        let done = correction.text.isEmpty ? "withdrawn" : "corrected"
        guard outcome != .refused else {
            note = "Line \(correction.seq) could not be \(done)."
            return
        }
        note = "Line \(correction.seq) is \(done)."
        if let before, !correction.text.isEmpty,
            let after = await host.wording(of: correction.seq, in: correction.log),
            let pair = GlossaryPair(from: before, to: after)
        {
            offer = pair
            // Before the old words, which may need all the room that there is.
            note +=
                " \(ConsoleCommand.always.name(isTyping: kind == .typed)): always \"\(pair.right)\"."
        }
        note += old
    }

    private func mendAlways(_ offered: GlossaryPair?) async {
        guard let pair = offered else {
            note = "Correct a word in a line; right after that this mends it in all that comes."
            return
        }
        await host.mend(pair)
        note = "\"\(pair.wrong)\" is \"\(pair.right)\" from now on."
        do throws(SystemError) {
            let file = try keep(pair)
            note += file.map { " It is in \($0)." } ?? " With --glossary FILE it would last."
        } catch {
            note += " Not kept for the next time: \(error)."
        }
    }

    private func tell(_ outcome: TypedOutcome) {
        note = TypedWords.sentence(outcome, toTake: name(.take)) ?? note
    }
}
