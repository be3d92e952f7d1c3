import Testing

@testable import BeamscribeTerminal

@Suite struct TalkViewTests {
    private func view(rows: Int = 10, columns: Int = 80) -> TalkView {
        TalkView(
            size: TerminalSize(columns: columns, rows: rows), style: TerminalStyle(colour: false))
    }

    private func shown(_ view: inout TalkView, rows: Int = 10, columns: Int = 80) -> [String] {
        var terminal = TerminalEmulator(size: TerminalSize(columns: columns, rows: rows))
        terminal.write(view.render())
        return terminal.logicalLines
    }

    private let ann = TalkPerson(
        name: "Ann", channel: "crew", isTalking: true, level: -30, quality: "good", delay: 34)
    private let bob = TalkPerson(
        name: "Bob", channel: "es", quality: "poor", delay: 210, lost: 8, volume: nil)

    @Test func screen_saysInWordsWhatThereIs() {
        var view = view()
        var content = TalkContent()
        content.state = .talking
        content.level = -24
        content.place = "Town Hall · crew · by UDP"
        content.people = [ann, bob]
        view.show(content)
        #expect(
            shown(&view).prefix(4) == [
                " TALKING   microphone -24 dB ######....",
                "> 1 * Ann (crew)  good, 34 ms, 0 % lost  -30 dB #####.....",
                "  2   Bob (es)  poor, 210 ms, 8 % lost  silenced",
                "[Town Hall · crew · by UDP SPACE talks and ends it · m mutes · ? keys · q ends]",
            ])
    }

    @Test func devices_areShown_andChosenByTheirNumbers() {
        var view = view()
        var content = TalkContent()
        let microphone = TalkDevice(kind: "microphone ", id: "mic-a", name: "USB", isUsed: true)
        let speaker = TalkDevice(kind: "loudspeaker", id: "spk", name: "HDMI", isUsed: false)
        content.devices = [microphone, speaker]
        content.people = [ann, bob]
        view.show(content)
        #expect(view.handle(.character("d")) == .devices)
        let lines = shown(&view)
        #expect(lines.contains("  1 * microphone   USB"))
        #expect(lines.contains("  2   loudspeaker  HDMI"))
        #expect(view.handle(.character("3")) == nil)
        #expect(view.handle(.character("2")) == .use(speaker))
        #expect(!shown(&view).contains { $0.contains("HDMI") })
        #expect(view.handle(.character("2")) == nil, "digits mean people again")
        #expect(view.handle(.character("x")) == .silence("Bob"))
        #expect(view.handle(.character("d")) == .devices)
        #expect(view.handle(.escape) == nil)
        #expect(!shown(&view).contains { $0.contains("HDMI") })
        #expect(view.handle(.character("c")) == .channel)
    }

    @Test func captions_scrollAway_andWhatIsSaidNowStandsAboveTheState() {
        var view = TalkView(
            size: TerminalSize(columns: 40, rows: 12), style: TerminalStyle(colour: false),
            showsCaptions: true)
        var content = TalkContent()
        content.caption =
            "and one line that is being said for so long that it takes three rows of the screen"
        view.show(content)
        view.tell("Ann talks (floor).")
        view.add(caption: "Ann: good evening\u{1B}[31m")
        view.add(caption: "*** You are heard.")
        let lines = shown(&view, rows: 12, columns: 40)
        #expect(lines.first == "*** Ann talks (floor).")
        #expect(lines.dropFirst().first?.hasPrefix("Ann: good evening") == true)
        #expect(lines.contains(" *** You are heard."), "nobody speaks for the program")
        #expect(lines.filter { $0.hasPrefix("… ") }.count == 2)
        #expect(lines.contains { $0.hasPrefix("… ") && $0.hasSuffix("the screen") })
    }

    @Test func smallScreen_showsAsManyAsThereIsRoomFor() {
        var view = view(rows: 5)
        var content = TalkContent()
        content.people = (1...9).map {
            TalkPerson(name: "Guest \($0)", channel: "crew", quality: "good")
        }
        view.show(content)
        let lines = shown(&view, rows: 5)
        #expect(lines.count <= 5)
        #expect(lines.contains { $0.contains("and 7 more") })
        #expect(lines.contains { $0.hasPrefix("[") })
    }

    @Test func spaceBar_togglesWhereReleasesAreNotTold_andIsHeldWhereTheyAre() {
        var view = view()
        #expect(view.handle(.character(" ")) == .toggle)
        #expect(view.handle(.released(" ")) == nil)
        #expect(view.handle(.releasesAreTold) == nil)
        #expect(view.handle(.character(" ")) == .key(isDown: true))
        #expect(view.handle(.character(" ")) == nil)
        #expect(view.handle(.released("x")) == nil)
        #expect(view.handle(.released(" ")) == .key(isDown: false))
        #expect(view.handle(.released(" ")) == nil)
    }

    @Test func heldKey_isLetGo_whenAnotherWindowIsTypedIn() {
        var view = view()
        _ = view.handle(.releasesAreTold)
        _ = view.handle(.character(" "))
        #expect(view.handle(.focusLost) == .key(isDown: false))
        #expect(view.handle(.focusLost) == nil)
    }

    @Test func keys_areAboutWhoWasChosen() {
        var view = view()
        #expect(view.handle(.up) == nil)
        var content = TalkContent()
        content.people = [ann, bob]
        view.show(content)
        #expect(view.handle(.up) == .volume(of: "Ann", by: 3))
        #expect(view.handle(.character("2")) == nil)
        #expect(view.handle(.character("-")) == .volume(of: "Bob", by: -3))
        #expect(view.handle(.character("x")) == .silence("Bob"))
        #expect(view.handle(.character("9")) == nil)
        content.people = [ann]
        view.show(content)
        #expect(view.handle(.character("x")) == .silence("Ann"))
        #expect(view.handle(.character("m")) == .mute)
        #expect(view.handle(.interrupt) == .quit)
    }

    @Test func names_cannotDrawAnything() {
        var view = view()
        var content = TalkContent()
        content.people = [
            TalkPerson(name: "\u{1B}[2J\u{202E}x", channel: "crew", quality: "good")
        ]
        view.show(content)
        #expect(!view.render().contains("\u{1B}[2J"))
    }
}
