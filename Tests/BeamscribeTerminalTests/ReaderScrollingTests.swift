import Testing

@testable import BeamscribeTerminal

@Suite struct ReaderScrollingTests {
    @Test func following_stops_whenOneScrollsUp() {
        var view = ReaderView.test()
        view.add(numbered: 1...20)
        #expect(view.captions() == (13...20).map { " line \($0)" })
        _ = view.handle(.up)
        #expect(view.captions() == (12...19).map { " line \($0)" })
        #expect(view.screen()[8] == "Scrolled back · End or space: live")
        view.add(numbered: 21...21)
        #expect(view.screen()[8] == "1 new line below · End or space: live")
        view.add(numbered: 22...32)
        view.show("and", line: "open")
        #expect(view.captions() == (12...19).map { " line \($0)" })
        #expect(view.screen()[8] == "13 new lines below · End or space: live")
        _ = view.handle(.pageDown)
        #expect(view.captions() == (19...26).map { " line \($0)" })
        #expect(view.screen()[8] == "7 new lines below · End or space: live")
        #expect(!view.viewport.isFollowing)
        view.press(" ")
        #expect(view.captions() == (26...32).map { " line \($0)" } + ["…and"])
        #expect(view.viewport.isFollowing)
    }

    @Test func newLines_areCounted_onASmallScreen() {
        var view = ReaderView.test(columns: 20, rows: 6)
        view.add(numbered: 1...100)
        _ = view.frame()
        _ = view.handle(.pageUp)
        view.add(numbered: 101...112)
        #expect(view.screen()[4] == "12 new · End: live")
    }

    @Test func following_isResumed_whenOneScrollsToTheEnd() {
        var view = ReaderView.test()
        view.add(numbered: 1...20)
        view.press("kkkjj")
        #expect(!view.viewport.isFollowing)
        view.press("j")
        #expect(view.viewport.isFollowing)
        _ = view.handle(.home)
        #expect(view.captions().first == " line 1")
        view.press("G")
        #expect(view.viewport.isFollowing)
        _ = view.handle(.pageUp)
        _ = view.handle(.end)
        #expect(view.viewport.isFollowing && view.captions().last == " line 20")
    }

    @Test func rows_stayWhereTheyAre_whenALineGetsShorter() {
        var view = ReaderView.test(columns: 20, rows: 9)
        view.add(numbered: 1...10)
        view.show("a line that takes several rows of this screen", line: "a")
        let before = view.screen()
        view.show("a line", line: "a")
        let after = view.screen()
        #expect(before.firstIndex(of: " line 10") == after.firstIndex(of: " line 10"))
        #expect(after[5] == "" && after[6] == "")
        view.add("a line", seq: 11, line: "a")
        view.add("next", seq: 12)
        #expect(view.screen()[5] == " next")
    }

    @Test func whatIsRead_stays_whenTheScreenIsResized() {
        var view = ReaderView.test(columns: 60, rows: 12)
        for seq in 1...50 {
            view.add("line \(seq) goes on for some time, and ends here at word \(seq)", seq: seq)
        }
        _ = view.frame()
        for _ in 0..<3 { _ = view.handle(.pageUp) }
        let first = view.captions()[0].drop { $0 == " " }
        view.resize(TerminalSize(columns: 25, rows: 12))
        #expect(first.hasPrefix(view.captions()[0].drop { $0 == " " }))
        view.resize(TerminalSize(columns: 60, rows: 30))
        #expect(view.captions()[0].drop { $0 == " " } == first)
    }

    @Test func search_findsOlderAndNewer_whateverTheCase() {
        var view = ReaderView.test()
        view.add(numbered: 1...40)
        view.add("The Bus line", seq: 41)
        view.add(numbered: 42...60)
        view.add("no bus today", seq: 61)
        view.add(numbered: 62...90)
        _ = view.frame()
        view.press("/BUS")
        #expect(view.screen()[8] == "/BUS_")
        _ = view.handle(.enter)
        #expect(view.captions().contains("/no bus today"))
        view.press("n")
        #expect(view.captions().contains("/The Bus line"))
        #expect(view.screen()[8] == "\"BUS\" · n older · N newer · End: live")
        view.press("n")
        #expect(view.screen()[8] == "No older match of \"BUS\"")
        view.press("N")
        #expect(view.captions().contains("/no bus today"))
        view.press("/zebra")
        _ = view.handle(.enter)
        #expect(view.screen()[8] == "No match of \"zebra\"")
        view.press("/q")
        _ = view.handle(.escape)
        #expect(view.mode == .reading)
    }

    @Test func mark_isShown_andComesBack() {
        var view = ReaderView.test()
        view.press("'")
        #expect(view.screen()[8] == "Nothing is marked; m marks a place.")
        view.add(numbered: 1...30)
        _ = view.frame()
        view.press("m")
        #expect(view.captions().last == ">line 30")
        view.add(numbered: 31...60)
        #expect(view.captions().last == " line 60")
        view.press("'")
        #expect(view.captions().first == ">line 30")
        view.press("m")
        #expect(view.captions().first == " line 30")
    }

    @Test func missedLines_areShown_fromWhereTheReaderLeft() {
        var view = ReaderView.test()
        view.press("w")
        #expect(view.screen()[8] == "You have not been away.")
        view.add(numbered: 1...20)
        _ = view.frame()
        _ = view.handle(.focusLost)
        view.press("w")
        #expect(view.screen()[8] == "Nothing has come since you left.")
        view.add(numbered: 21...60)
        _ = view.frame()
        _ = view.handle(.focusGained)
        #expect(view.screen()[8].hasPrefix("40 lines came while you were away"))
        view.press("w")
        let rule = String(repeating: "─", count: 39)
        #expect(Array(view.captions().prefix(2)) == [rule, " line 21"])
        view.press("jjw")
        #expect(Array(view.captions().prefix(2)) == [rule, " line 21"])
        view.press("kk")
        #expect(Array(view.captions().prefix(4)) == [" line 19", " line 20", rule, " line 21"])
        view.press("G")
        _ = view.handle(.up)
        view.add(numbered: 61...99)
        view.press("w")
        #expect(Array(view.captions().prefix(2)) == [rule, " line 61"])
        _ = view.handle(.home)
        #expect(!view.captions().contains(rule), "There is one, at the newest of the places.")
    }
}
