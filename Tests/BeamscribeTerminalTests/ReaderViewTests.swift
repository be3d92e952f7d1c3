import TestSupport
import Testing

@testable import BeamscribeTerminal

@Suite struct ReaderViewTests {
    @Test func captions_standInTheOrderInWhichTheyBegan() {
        var view = ReaderView.test()
        view.show("one", line: "b")
        view.show("two", line: "a")
        view.show("one more", line: "b")
        #expect(view.captions() == ["…one more", "…two"])
        view.add("two it is", seq: 1, line: "a")
        view.add("three", seq: 2)
        #expect(view.captions() == ["…one more", " two it is", " three"])
        view.add("one more time", seq: 3, line: "b", speaker: "Ann")
        #expect(view.captions() == [" one more time (Ann)", " two it is", " three"])
        #expect(view.transcript == "Ann: one more time\ntwo it is\nthree\n")
    }

    @Test func withdrawnLine_saysSo_andIsNotSaved() {
        var view = ReaderView.test()
        view.add("one", seq: 1, speaker: "Ann")
        view.add("two", seq: 2)
        view.add("", seq: 3, replaces: 1)
        view.add("", seq: 4, replaces: 2)
        #expect(view.captions() == [" Ann: (withdrawn)", " (withdrawn)"])
        #expect(view.transcript == "")
        view.add("two again", seq: 5, replaces: 2)
        #expect(view.captions() == [" Ann: (withdrawn)", " two again (corrected)"])
    }

    @Test func correction_standsInItsPlace_marked() {
        var view = ReaderView.test()
        view.add(numbered: 1...3)
        view.add("line too", seq: 4, replaces: 2)
        #expect(view.captions() == [" line 1", " line too (corrected)", " line 3"])
        view.add("line II", seq: 5, speaker: "Ann", replaces: 4)
        #expect(view.captions() == [" line 1", " line II (Ann) (corrected)", " line 3"])
        view.add("what was that", seq: 6, replaces: 99)
        view.add("four", seq: 7, replaces: 0)
        #expect(view.captions().suffix(2) == [" what was that", " four"])
        #expect(view.lineCount == 5)
    }

    @Test func correction_ofAMissingLine_standsForIt() {
        var view = ReaderView.test()
        view.add("ten", seq: 10)
        view.add("eight, corrected", seq: 11, replaces: 8)
        view.add("eight, corrected again", seq: 12, replaces: 8)
        #expect(view.captions() == [" ten", " eight, corrected again (corrected)"])
    }

    @Test func lines_areMarked_whenTheHostHasLostThem() {
        var view = ReaderView.test()
        view.add(numbered: 1...3)
        view.withdraw(from: 2, through: 3)
        view.add("other", seq: 2)
        view.add("corrected", seq: 3, replaces: 2)
        #expect(
            view.captions() == [
                " line 1", " line 2 (withdrawn)", " line 3 (withdrawn)", " corrected (corrected)",
            ])
    }

    @Test(arguments: ["***", "\u{2067}*** gone\u{2069}", "\u{200B}\u{2060}***", "\u{FEFF}*** x"])
    func caption_cannotPassForANotice(_ text: String) {
        var view = ReaderView.test()
        view.add(notice: "the battery is nearly empty")
        view.add(text, seq: 1)
        view.add("x", seq: 2, speaker: text)
        let rows = view.captions()
        #expect(rows[0] == "*** the battery is nearly empty")
        #expect(rows.dropFirst().allSatisfy { $0.hasPrefix(" ") })
    }

    @Test func speakers_areNamedAlways_andColouredWhereThatIsAllowed() {
        for colour in [true, false] {
            var view = ReaderView.test(colour: colour)
            view.add("hello", seq: 1, speaker: "Ann")
            view.add("hi", seq: 2, speaker: "Ben")
            view.add("how are you", seq: 3, speaker: "Ann")
            #expect(view.captions() == [" Ann: hello", " Ben: hi", " Ann: how are you"])
            let text = view.render()
            #expect(text.contains("\u{1B}[1;36mAnn:\u{1B}[0m") == colour)
            #expect(text.contains("\u{1B}[1;35mBen:\u{1B}[0m") == colour)
            #expect(text.contains(/\u{1B}\[[0-9;]*m/) == colour)
        }
    }

    @Test func tail_isDim_untilItHasSettled() {
        var view = ReaderView.test(colour: true)
        view.advance(to: 10)
        view.show("we are", line: "a")
        #expect(view.frame()[0].text == " \u{1B}[2mwe are\u{1B}[0m")
        view.advance(to: 10.2)
        view.show("we are here", line: "a")
        #expect(view.frame()[0].text == " we are\u{1B}[2m here\u{1B}[0m")
        view.advance(to: 11.3)
        #expect(view.frame()[0].text == " we are here")
        view.show("we were here", line: "a")
        #expect(view.frame()[0].text == " we\u{1B}[2m were here\u{1B}[0m")
        view.add("we were here", seq: 1, line: "a")
        #expect(view.frame()[0].text == " we were here")
    }

    @Test func times_standBeforeTheLines() {
        var view = ReaderView.test(columns: 60)
        view.advance(to: 100)
        view.add("one", seq: 1)
        view.advance(to: 175)
        view.show("two and more words than there is room for in a single row here", line: "a")
        #expect(view.handle(.character("t")) == .keep(view.settings))
        #expect(view.captions().prefix(2).map { $0.prefix(9) } == ["  14:05 o", "… 14:05 t"])
        #expect(view.captions()[2].hasPrefix("…       "))
        view.press("t")
        #expect(view.captions().prefix(2).map { $0.prefix(11) } == ["    00:00 o", "…   01:15 t"])
        view.resize(TerminalSize(columns: 20, rows: 10))
        #expect(view.captions().prefix(2) == [" 00:00 one", "…01:15 two and more"])
        view.press("t")
        #expect(view.captions()[0] == " one")
    }

    @Test func settings_areChangedByKeys() {
        var view = ReaderView.test(columns: 80, colour: true)
        view.show("unfinished", line: "a")
        view.press("p")
        #expect(view.captions().isEmpty && !view.settings.showsPartials)
        view.press("p")
        #expect(view.captions().count == 1)
        view.press("<")
        #expect(view.settings.width == 73 && view.layout.columns == 73)
        for _ in 0..<20 { view.press("-") }
        #expect(view.settings.width == 32)
        for _ in 0..<20 { view.press("+") }
        #expect(view.settings.width == nil)
        view.press("c")
        #expect(!view.settings.usesColours && view.captions() == ["… unfinished"])
        var plain = ReaderView.test(colour: false)
        #expect(plain.handle(.character("c")) == nil)
    }

    @Test func help_namesEveryKey_onAnyScreen() {
        for (columns, rows) in [(80, 24), (20, 6), (10, 4)] {
            var view = ReaderView.test(columns: columns, rows: rows)
            view.press("?")
            var seen = ""
            for _ in 0..<200 {
                seen += view.screen().prefix(view.captionHeight).joined(separator: " ") + " "
                _ = view.handle(.down)
            }
            for key in ["PageUp", "Home", "End", "Space", "Ctrl-C", "?"] {
                #expect(seen.contains(key), "\(columns)")
            }
            view.press("x")
            #expect(view.mode == .reading)
        }
    }

    @Test func status_saysTheState_onNarrowScreens() {
        var view = ReaderView.test(columns: 20, rows: 6)
        view.setStatus(left: "Town Hall · stage", right: ["live", "1234 lines", "12 ms"])
        #expect(view.screen()[5] == "[live · 1234 lines]")
        view.setStatus(
            left: "Town Hall · stage", right: ["network lost for 3 s, trying again", "2 lines"])
        #expect(view.screen()[5] == "[network lost for…]")
    }

    @Test func message_becomesANotice_whenItIsTooLong() {
        var view = ReaderView.test(columns: 20, rows: 6)
        view.press("'")
        #expect(view.captions().isEmpty)
        view.tell("Saved 12 lines to Town-Hall-2026-05-01.txt")
        #expect(view.captions().joined(separator: " ").contains("*** Town-Hall-"))
        view.advance(to: 60)
        #expect(!view.screen().contains { $0.contains("Saved 12 lines to…") })
    }

    @Test func finish_leavesTheLastCaptions_andAFarewell() {
        var view = ReaderView.test(columns: 40, rows: 8)
        var terminal = TerminalEmulator(size: TerminalSize(columns: 40, rows: 8))
        #expect(view.finish(farewell: nil) == "")
        view.add(numbered: 1...30)
        view.add("*** fake", seq: 31)
        view.show("unfinished", line: "a")
        terminal.write(view.render())
        terminal.write(view.finish(farewell: "Town Hall: 31 lines in 5 s."))
        #expect(
            terminal.screen.filter { !$0.isEmpty } == [
                "line 26", "line 27", "line 28", "line 29", "line 30", " *** fake",
                "*** Town Hall: 31 lines in 5 s.",
            ])
    }

    @Test func render_writesOnlyTheRowsThatChanged() {
        var view = ReaderView.test(columns: 40, rows: 10)
        view.setStatus(left: "Town Hall", right: ["live"])
        view.show("one", line: "a")
        #expect(view.render().count { $0 == "H" } >= 10)
        #expect(view.render() == "")
        view.show("one two", line: "a")
        let text = view.render()
        #expect(
            text
                == "\u{1B}[?2026h\u{1B}[?7l\u{1B}[1;1H…one two\u{1B}[K\u{1B}[?7h\u{1B}[?2026l")
    }

    @Test func render_writesNoControls_whenTextHasThem() {
        var view = ReaderView.test()
        let evil = "a\u{1B}[2J\r\n\u{9B}\u{202E}"
        view.add(evil, seq: 1, speaker: evil)
        view.add(notice: evil)
        view.show(evil, line: evil)
        view.setStatus(left: evil, right: [evil])
        view.tell(evil)
        let text = view.render() + view.finish(farewell: evil)
        for control in ["\u{1B}[2J", "\u{9B}", "\u{202E}", "\n\u{9B}"] {
            #expect(!text.contains(control))
        }
        #expect(text.contains("a␛[2J  <U+009B><U+202E>"))
    }

    @Test(arguments: [
        (80, 24, "The event has ended. q leaves, s saves."), (30, 10, "Ended: q leaves, s saves"),
        (20, 6, "Ended: q leaves"), (12, 6, "Ended · q"),
    ])
    func view_saysThatTheEventHasEnded_whateverIsDoneThen(
        columns: Int, rows: Int, sentence: String
    ) {
        var view = ReaderView.test(columns: columns, rows: rows)
        view.add(numbered: 1...100)
        _ = view.frame()
        view.end(.eventOver)
        #expect(view.screen()[rows - 2] == sentence)
        #expect(view.captions().last?.hasSuffix("line 100") == true, "It follows still.")
        _ = view.handle(.pageUp)
        #expect(view.screen()[rows - 2] == sentence)
        view.press("/line 5")
        #expect(view.screen()[rows - 2] == "/line 5_")
        _ = view.handle(.enter)
        view.advance(to: ReaderView.messageTime + 1)
        #expect(view.screen()[rows - 2] == sentence)
        #expect(view.captions().contains { $0.hasPrefix("/") })
        #expect(view.handle(.character("s")) == .save)
        #expect(view.handle(.character("q")) == .leave)
    }

    @Test func view_isQuick_whenThereAreManyLines() {
        var view = ReaderView.test(columns: 80, rows: 24, colour: true)
        let adding = ProcessorTime.measure {
            for seq in 1...100_000 {
                view.add("\(String(repeating: "caption ", count: 10))\(seq)", seq: seq)
                if seq % 100 == 0 { _ = view.render() }
            }
        }
        // Without optimisation; the bounds are for a slow machine.
        #expect(adding < .seconds(60))
        let using = ProcessorTime.measure {
            _ = view.handle(.home)
            _ = view.render()
            for columns in 20...120 {
                view.resize(TerminalSize(columns: columns, rows: 30))
                _ = view.render()
            }
            for _ in 0..<100 { _ = view.handle(.pageDown) }
            view.add("more", seq: 100_001)
            _ = view.render()
            _ = view.handle(.end)
            _ = view.render()
        }
        #expect(using < .seconds(20))
    }
}
