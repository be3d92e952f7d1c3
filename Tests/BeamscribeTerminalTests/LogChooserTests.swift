import TestSupport
import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Choosing among an event's logs while one reads.
@Suite struct LogChooserTests {
    private let room = LogTitle.test(2, "Room 2", lang: "es")
    private let spanish = LogTitle.test(3, "es", translating: "es")

    /// A view of an event in whose main log and second room three lines each were said.
    private func view(
        columns: Int = 60, rows: Int = 16, showing choice: LogChoice = LogChoice(),
        isForeign: Bool = false
    ) -> ReaderView {
        var view = ReaderView.test(columns: columns, rows: rows, showing: choice)
        view.join(LogTitle.testMain, on: "stage")
        view.note(.live, of: room)
        for number in 1...3 {
            view.add(.test("line \(number)", seq: number, at: 2 * number))
            view.add(
                .test("room \(number)", seq: number, at: 2 * number + 1), of: room,
                isForeign: isForeign)
        }
        return view
    }

    private let floor = ["  line 1", "  line 2", "  line 3"]
    private let others = ["  Room 2: room 1", "  Room 2: room 2", "  Room 2: room 3"]

    // MARK: The list

    @Test func key_saysSo_whenThereIsOneLog() {
        var view = ReaderView.test(columns: 80)
        view.add("one", seq: 1)
        view.press("l")
        #expect(view.mode == .reading)
        #expect(view.screen().contains { $0.contains("in one log") })
    }

    @Test func list_tellsTheLogs_andHowTheyStand() {
        var view = view()
        view.note(.stale, of: room)
        view.note(.live, of: spanish)
        view.press("l")
        #expect(
            view.screen().prefix(5) == [
                "Logs of this event: [x] is shown",
                "> [x] Floor   live · captions · stage",
                "  [x] Room 2  not heard · captions in es · stage",
                "  [ ] es      live · translation into es · stage",
                String(repeating: "─", count: 59),
            ])
        #expect(view.screen()[14].hasPrefix("Space: show or hide"))
    }

    @Test func list_takesInWhatComes_whileItIsOpen() {
        var view = view()
        view.press("lj")
        view.note(.live, of: spanish)
        view.note(.ended, of: room)
        let screen = view.screen()
        #expect(screen[2].hasPrefix("> [x] Room 2  ended"))
        #expect(screen[3].hasPrefix("  [ ] es"))
        view.press("jjj ")
        #expect(view.screen()[3].hasPrefix("> [x] es"))
    }

    @Test(arguments: ["l", "q", "\u{1B}"])
    func list_isLeft_byItsKeys(key: Character) {
        var view = view()
        view.press("l")
        #expect(view.handle(key == "\u{1B}" ? .escape : .character(key)) == nil)
        #expect(view.mode == .reading && view.captions().count == 6)
    }

    @Test(arguments: 1...9, [1, 2, 8, 20, 40])
    func list_hasTheSelectedLog_onAnyScreen(rows: Int, columns: Int) {
        var view = view(columns: columns, rows: rows)
        for number in 4...9 { view.note(.live, of: .test(number, "Room \(number)")) }
        view.press("l")
        for selected in 0..<8 {
            let screen = view.screen()
            #expect(screen.count == rows && view.mode == .logs(selected))
            #expect(columns < 2 || screen.contains { $0.hasPrefix(">") || $0.hasPrefix("…") })
            _ = view.handle(.down)
        }
    }

    // MARK: What is shown

    @Test func logThatIsLeftOut_goes_andComesBackWhole() {
        var view = view()
        view.press("lj ")
        // The lines below the list change at once.
        #expect(view.screen().contains("  line 3") && !view.screen().contains(others[2]))
        view.press("l")
        #expect(view.captions() == floor)
        #expect(view.lineCount == 3 && view.transcript == "line 1\nline 2\nline 3\n")
        #expect(view.chosenLogs == "1 of 2 logs")
        view.add(.test("room 4", seq: 4, at: 9), of: room)
        view.show(PartialLine(line: "open", text: "still being said"), of: room)
        view.add(.test("line 4", seq: 4, at: 8))
        #expect(view.captions() == floor + ["  line 4"])
        view.press("lj l")
        #expect(
            view.captions() == [
                floor[0], others[0], floor[1], others[1], floor[2], others[2], "  line 4",
                "  Room 2: room 4", "… Room 2: still being said",
            ])
        #expect(view.lineCount == 8 && view.chosenLogs == nil)
    }

    @Test func allCaptions_areShown_byOneKey() {
        var view = view(showing: LogChoice(["Room 2"]))
        #expect(view.captions() == others)
        view.note(.live, of: spanish)
        view.press("la")
        #expect(view.screen()[1...3].map { $0.prefix(5) } == ["> [x]", "  [x]", "  [ ]"])
        view.press("l")
        #expect(view.captions().count == 6)
    }

    @Test(arguments: [4, 16])
    func reader_isToldHowToGoOn_whenNothingIsShown(rows: Int) {
        var view = view(rows: rows)
        view.press("l jj l")
        #expect(view.captions().isEmpty && view.lineCount == 0)
        #expect(view.screen()[rows - 2].hasPrefix("No log is shown · l chooses"))
        view.press("la")
        #expect(view.lineCount == 6)
    }

    @Test func correction_isInItsPlace_whenItsLogWasHidden() {
        var view = view()
        view.press("lj l")
        view.add(.test("ROOM 2", seq: 4, at: 9, replaces: 2), of: room)
        #expect(view.captions() == floor)
        view.press("lj l")
        #expect(view.captions().contains("  Room 2: ROOM 2 (corrected)"))
        #expect(view.lineCount == 6)
    }

    @Test func notice_isSeenByWhoSeesItsLog() {
        var view = view()
        view.press("lj l")
        view.add(notice: "Lines of it are missing.", of: room)
        #expect(!view.captions().joined().contains("missing"))
        view.press("lj l")
        #expect(view.captions().joined().contains("missing"))
    }

    /// A log that comes later is shown as it was asked for at first.
    @Test func newLog_isShown_unlessOthersWereAskedForByName() {
        var all = view()
        var one = view(showing: LogChoice(["floor"]))
        let late = LogTitle.test(4, "Room 4")
        all.add(.test("late", seq: 1, at: 10), of: late)
        one.add(.test("late", seq: 1, at: 10), of: late)
        #expect(all.captions().last == "  Room 4: late" && one.captions() == floor)
    }

    @Test func linesInOtherLanguages_areShown_whenTheirLogIsChosen() {
        var view = view(showing: LogChoice(languages: ["en"]), isForeign: true)
        #expect(view.captions() == floor && view.lineCount == 3)
        view.press("lj")
        #expect(view.screen()[2].hasPrefix("> [-] Room 2"))
        view.press(" l")
        #expect(view.captions().count == 6 && view.lineCount == 6)
        view.press("lj l")
        #expect(view.captions() == floor)
    }

    // MARK: Translations

    private func translate(_ view: inout ReaderView) {
        view.add(.test("uno", seq: 1, at: 8, of: 1), of: spanish)
        view.add(.test("dos", seq: 2, at: 9, of: 2), of: spanish)
    }

    @Test func translation_isShownUnderItsLine_orAlone() {
        var view = view(showing: LogChoice(["floor"]))
        translate(&view)
        #expect(view.captions() == floor && view.lineCount == 3)
        view.press("ljj l")
        #expect(view.captions() == ["  line 1", "  es: uno", "  line 2", "  es: dos", "  line 3"])
        #expect(view.lineCount == 3)
        view.press("l l")
        #expect(view.captions() == ["  es: uno", "  es: dos"] && view.lineCount == 2)
    }

    /// Who has asked for a language can see what was said, and goes back.
    @Test func translationInThePlaceOfItsLine_givesWay() {
        var view = view(showing: LogChoice(languages: ["es"]))
        translate(&view)
        let translated = ["  uno", others[0], "  dos", others[1], floor[2], others[2]]
        #expect(view.captions() == translated)
        view.press("ljj l")
        #expect(view.captions()[0] == floor[0] && view.captions()[2] == floor[1])
        view.press("l l")
        #expect(view.captions() == others)
        // It has no place but that of its lines.
        view.press("ljj l")
        #expect(view.captions() == translated)
        view.press("l l")
        #expect(view.captions() == others && view.lineCount == 3)
    }

    // MARK: The reader's place

    @Test func reader_keepsHisPlace() {
        var view = ReaderView.test(columns: 60, rows: 12)
        view.join(LogTitle.testMain)
        for number in 1...60 {
            view.add(.test("line \(number)", seq: number, at: 2 * number))
            view.add(.test("room \(number)", seq: number, at: 2 * number + 1), of: room)
        }
        _ = view.screen()
        for _ in 1...4 { _ = view.handle(.pageUp) }
        // Its first row is of the log that goes.
        while !view.screen()[0].contains("room") { _ = view.handle(.up) }
        let top = view.screen()[0]
        let number = top.split(separator: " ").last!
        view.press("lj l")
        #expect(view.screen()[0] == "  line \(Int(bounded: number)! + 1)")
        view.press("lj l")
        #expect(view.screen()[0] == top)
        view.press("G")
        #expect(view.captions().last == "  Room 2: room 60")
    }

    @Test func newLines_areCounted_asFarAsTheyAreShown() {
        var view = view(rows: 8)
        for number in 4...40 { view.add(.test("line \(number)", seq: number, at: 2 * number)) }
        _ = view.screen()
        _ = view.handle(.pageUp)
        _ = view.screen()
        view.press("lj l")
        for number in 4...8 {
            view.add(.test("room \(number)", seq: number, at: 100 + number), of: room)
        }
        view.add(.test("line 41", seq: 41, at: 120))
        #expect(view.screen().contains { $0.hasPrefix("1 new line below") })
        view.press("lj l")
        #expect(view.screen().contains { $0.hasPrefix("6 new lines below") })
    }

    @Test func search_findsWhatIsShown() {
        var view = view()
        view.press("lj l/room")
        _ = view.handle(.enter)
        #expect(view.screen().contains { $0.hasPrefix("No match") })
    }

    @Test func nothing_isLeftOnTheScreen_ofALogThatIsNotShown() {
        var view = view()
        view.press("lj l")
        _ = view.render()
        let end = view.finish(farewell: nil)
        #expect(end.contains("line 3") && !end.contains("room"))
    }

    /// A room of few words, in an event of many.
    @Test func view_isQuick_whenManyLinesAreHidden() {
        var view = ReaderView.test(columns: 60, rows: 24)
        view.join(LogTitle.testMain)
        for number in 1...3 { view.add(.test("room", seq: number, at: number), of: room) }
        for number in 1...100_000 { view.add(.test("line", seq: number, at: number + 3)) }
        view.press("l l")
        let drawing = ProcessorTime.measure { for _ in 1...100 { _ = view.screen() } }
        #expect(drawing < .seconds(5) && view.captions().count == 3)
        #expect(view.document.blocks.brokenInvariant == nil)
    }

    /// Whatever was chosen in between, the screen is that of one who has asked for the same at first.
    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func choice_isAsOneFromTheBeginning(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let logs = [nil, room, LogTitle.test(4, "Room 4")]
        let names = ["floor", "room 2", "room 4"]
        var changing = view(rows: 300)
        var shown: Set<Int> = [0, 1, 2]
        for log in logs { changing.note(.live, of: log) }
        var events: [(ReaderView) -> ReaderView] = []
        var seqs = [3, 3, 0]
        for place in 8..<80 {
            let number = Int.random(in: 0...2, using: &dice)
            seqs[number] += 1
            let replaces = Int.random(in: 0...4, using: &dice) == 0 ? 1 : nil
            let line = TranscriptLine.test(
                "\(place)", seq: seqs[number], at: place, replaces: replaces)
            events.append { view in
                var view = view
                view.add(line, of: logs[number])
                return view
            }
            changing = events[events.count - 1](changing)
            guard Int.random(in: 0...5, using: &dice) == 0 else { continue }
            let toggled = Int.random(in: 0...2, using: &dice)
            if shown.remove(toggled) == nil { shown.insert(toggled) }
            changing.press("l" + String(repeating: "j", count: toggled) + " l")
            _ = changing.screen()
        }
        // No name at all would mean every log.
        let wanted = shown.isEmpty ? ["nobody"] : shown.map { names[$0] }
        var fresh = view(rows: 300, showing: LogChoice(wanted))
        for log in logs { fresh.note(.live, of: log) }
        for event in events { fresh = event(fresh) }
        #expect(changing.captions() == fresh.captions(), "seed \(seed)")
        #expect(changing.lineCount == fresh.lineCount && changing.transcript == fresh.transcript)
    }
}
