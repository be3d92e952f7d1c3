import BeamscribeTerminal
import Testing

@Suite struct LiveViewTests {
    private let size = TerminalSize(columns: 21, rows: 9)

    private func view(colour: Bool = false) -> LiveView {
        LiveView(size: size, style: TerminalStyle(colour: colour))
    }

    @Test func render_isEmpty_whenNothingChanged() {
        var view = view()
        #expect(view.render() == "")
        view.resize(TerminalSize(columns: 5, rows: 5))
        #expect(view.render() == "")
        view.setStatus(left: "live", right: "")
        view.setPartial("hello", line: "1")
        #expect(view.render() != "")
        view.setStatus(left: "live", right: "")
        view.setPartial("hello", line: "1")
        view.setPartial(nil, line: "2")
        #expect(view.render() == "")
    }

    @Test func render_isOneUpdate() {
        var view = view(colour: true)
        view.add(line: "Ann: hello")
        view.setPartial("more", line: "1")
        view.setStatus(left: "live", right: "ok")
        let expected =
            "\u{1B}[?2026h\u{1B}[?25l\r\u{1B}[K\u{1B}[C\u{1B}[J\rAnn: hello\r\n"
            + "\u{1B}[?7l\u{1B}[2mmore\u{1B}[0m\r\n"
            + "\u{1B}[7mlive              ok\u{1B}[0m\u{1B}[?7h\r\u{1B}[1A\u{1B}[?2026l"
        #expect(view.render() == expected)
    }

    @Test func render_drawsAgain_whenResized() {
        var view = view()
        view.setStatus(left: "live", right: "")
        _ = view.render()
        view.resize(TerminalSize(columns: 21, rows: 20))
        #expect(view.render() != "")
        view.resize(TerminalSize(columns: 21, rows: 20))
        #expect(view.render() == "")
    }

    @Test func partials_standInOrderOfFirstAppearance() {
        var view = view()
        var terminal = TerminalEmulator(size: size)
        view.setPartial("one", line: "b")
        view.setPartial("two", line: "a")
        view.setPartial("ONE", line: "b")
        terminal.write(view.render())
        #expect(terminal.logicalLines == ["… ONE", "… two"])
        view.setPartial(nil, line: "b")
        view.add(line: "Ann: ONE")
        terminal.write(view.render())
        #expect(terminal.logicalLines == ["Ann: ONE", "… two"])
    }

    @Test func partials_showTheirEnd_whenOverAThirdOfTheScreen() {
        var view = view()
        var terminal = TerminalEmulator(size: size)
        let text = "a long sentence that takes five rows of this very narrow screen"
        view.setPartial(text, line: "1")
        view.setStatus(left: "live", right: "")
        terminal.write(view.render())
        #expect(
            terminal.logicalLines == [
                "… that takes five", "… rows of this very", "… narrow screen",
                "[live              ]",
            ])
    }

    @Test func status_cutsItsLeftPart_whenThereIsNoRoomForBoth() {
        var view = view()
        var terminal = TerminalEmulator(size: size)
        view.setStatus(left: "connected to the main hall", right: "3 s ago")
        terminal.write(view.render())
        #expect(terminal.logicalLines == ["[connected… 3 s ago]"])
    }

    @Test(arguments: [true, false])
    func notice_cannotBeMistakenForACaption(colour: Bool) {
        var view = view(colour: colour)
        var terminal = TerminalEmulator(size: size)
        view.add(notice: "the battery is nearly empty")
        view.add(line: "*** the battery is full")
        view.add(line: "a sentence with some *** stars")
        terminal.write(view.render())
        #expect(
            terminal.logicalLines == [
                "*** the battery is", "*** nearly empty", " *** the battery is", " full",
                " a sentence with", " some *** stars",
            ])
    }

    @Test func render_writesNoAttributes_whenThereIsNoColour() {
        var view = view()
        var terminal = TerminalEmulator(size: size)
        view.add(notice: "careful")
        view.setPartial("hello", line: "1")
        view.setStatus(left: "live", right: "1")
        let text = view.render()
        #expect(!text.contains(/\u{1B}\[[0-9;]*m/))
        terminal.write(text)
        #expect(terminal.logicalLines == ["*** careful", "… hello", "[live             1]"])
    }

    @Test func render_writesNoControls_whenTextHasThem() {
        var view = view()
        var terminal = TerminalEmulator(size: size)
        let evil = "a\u{1B}[2J\r\n\u{9B}\u{202E}"
        view.add(line: evil)
        view.add(notice: evil)
        view.setPartial(evil, line: evil)
        view.setStatus(left: evil, right: evil)
        terminal.write(view.render())
        #expect(terminal.row == 4)
        #expect(
            terminal.logicalLines == [
                "a␛[2J", "<U+009B><U+202E>", "*** a␛[2J", "*** <U+009B><U+202E>", "… a␛[2J",
                "… <U+009B><U+202E>", "[a␛[2J  <U+009B><U…]",
            ])
    }

    @Test(arguments: ["***", "\u{2067}*** gone\u{2069}", "\u{200B}\u{2060}***", "\u{FEFF}*** x"])
    func caption_isMovedIn_whenItLooksLikeANotice(_ text: String) {
        var view = view()
        view.add(line: text)
        let row = view.render().split(separator: "\r").first { $0.contains("***") }
        #expect(row?.hasPrefix(" ") == true, "\(String(row ?? "").debugDescription)")
    }

    @Test func finish_leavesOnlyFinals() {
        var view = view(colour: true)
        var terminal = TerminalEmulator(size: size)
        #expect(view.finish() == "")
        view.setPartial("hello", line: "1")
        view.setStatus(left: "live", right: "")
        terminal.write(view.render())
        #expect(!terminal.isCursorVisible)
        view.add(line: "last words")
        terminal.write(view.finish())
        #expect(terminal.logicalLines == ["last words"])
        #expect(terminal.row == 1 && terminal.column == 0 && terminal.isCursorVisible)
    }

    @Test func render_isQuick_whenThereAreManyFinals() {
        var view = LiveView(
            size: TerminalSize(columns: 80, rows: 24), style: TerminalStyle(colour: true))
        view.setStatus(left: "live", right: "")
        let time = ContinuousClock().measure {
            for number in 0..<100_000 {
                view.add(line: "Speaker \(number % 3): \(String(repeating: "caption ", count: 10))")
            }
            let text = view.render()
            #expect(text.utf8.count(where: { $0 == 0x0A }) >= 100_000)
            #expect(text.ranges(of: "\u{1B}[7m").count == 1)
        }
        // Half a second is usual with optimisation; the bound is for a busy machine without.
        #expect(time < .seconds(30))
    }
}
