import BeamscribeCore
import BeamscribeTerminal
import Testing

@Suite struct PickerTests {
    private let size = TerminalSize(columns: 30, rows: 6)

    private func items(_ titles: [String]) -> [PickerItem] {
        titles.map { PickerItem(id: "id-" + $0, title: $0, detail: "hall") }
    }

    private func picker(_ titles: [String], colour: Bool = false) -> Picker {
        var picker = Picker(size: size, style: TerminalStyle(colour: colour))
        picker.update(items: items(titles))
        return picker
    }

    @Test func render_marksTheSelectedItem() {
        var picker = picker(["A", "B"])
        picker.setStatus("r refresh, q quit")
        var terminal = TerminalEmulator(size: size)
        terminal.write(picker.render())
        #expect(
            terminal.logicalLines == [
                "> 1 A  hall", "  2 B  hall", "[r refresh, q quit          ]",
            ])
        #expect(picker.handle(.down) == nil)
        terminal.write(picker.render())
        #expect(Array(terminal.logicalLines.prefix(2)) == ["  1 A  hall", "> 2 B  hall"])
        #expect(picker.render() == "")
        terminal.write(picker.finish())
        #expect(terminal.logicalLines == [] && terminal.isCursorVisible)
    }

    @Test(arguments: [
        ([Key.enter], PickerOutcome.chosen(id: "id-A")), ([.down, .enter], .chosen(id: "id-B")),
        ([.character("j"), .character("j"), .enter], .chosen(id: "id-C")),
        ([.end, .character("k"), .enter], .chosen(id: "id-B")),
        ([.end, .home, .enter], .chosen(id: "id-A")), ([.up, .enter], .chosen(id: "id-A")),
        ([.pageDown, .enter], .chosen(id: "id-C")), ([.character("3")], .chosen(id: "id-C")),
        ([.end, .pageUp, .enter], .chosen(id: "id-A")),
        ([.character("r")], .refresh), ([.character("q")], .cancelled), ([.escape], .cancelled),
        ([.interrupt], .cancelled),
    ])
    func handle_givesTheOutcome(keys: [Key], outcome: PickerOutcome) {
        var picker = picker(["A", "B", "C"])
        for key in keys.dropLast() { #expect(picker.handle(key) == nil) }
        #expect(picker.handle(keys[keys.count - 1]) == outcome)
    }

    @Test(arguments: [Key.character("4"), .character("0"), .character("x"), .backspace, .unknown])
    func handle_doesNothing_whenKeyMeansNothing(key: Key) {
        var picker = picker(["A", "B", "C"])
        #expect(picker.handle(key) == nil)
        #expect(picker.handle(.enter) == .chosen(id: "id-A"))
    }

    @Test func handle_doesNotChoose_whenThereIsNothingOrItIsDisabled() {
        var picker = picker([])
        for key in [Key.enter, .down, .up, .end, .character("1")] {
            #expect(picker.handle(key) == nil)
        }
        picker.update(items: [PickerItem(id: "1", title: "old", detail: "v1", enabled: false)])
        #expect(picker.handle(.enter) == nil)
        #expect(picker.handle(.character("1")) == nil)
        var terminal = TerminalEmulator(size: size)
        terminal.write(picker.render())
        #expect(terminal.logicalLines == ["> - old  v1"])
    }

    @Test func selection_staysOnItsItem_whenTheListChanges() {
        var picker = picker(["A", "B"])
        #expect(picker.handle(.down) == nil)
        picker.update(items: items(["X", "A", "Y", "B"]))
        #expect(picker.handle(.enter) == .chosen(id: "id-B"))
        picker.update(items: items(["X", "A"]))
        #expect(picker.handle(.enter) == .chosen(id: "id-A"))
        picker.update(items: [])
        #expect(picker.handle(.enter) == nil)
        picker.update(items: items(["Z"]))
        #expect(picker.handle(.enter) == .chosen(id: "id-Z"))
    }

    @Test func render_scrolls_whenThereAreMoreItemsThanRows() {
        var picker = picker((1...20).map { "item \($0)" })
        var terminal = TerminalEmulator(size: size)
        terminal.write("before\r\n")
        for _ in 0..<12 { _ = picker.handle(.down) }
        terminal.write(picker.render())
        #expect(
            terminal.logicalLines == [
                "before", "    item 11  hall", "    item 12  hall", ">   item 13  hall",
                "    item 14  hall", "[                   13 of 20]",
            ])
    }

    @Test func render_cutsAndCleansRows() {
        var picker = picker([])
        picker.update(items: [
            PickerItem(id: "1", title: "evil\u{1B}[2J\n漢字漢字漢字漢字漢字漢字", detail: "x")
        ])
        var terminal = TerminalEmulator(size: size)
        terminal.write(picker.render())
        #expect(terminal.logicalLines == ["> 1 evil␛[2J 漢字漢字漢字漢…"])
    }

    @Test(arguments: 0..<50, TerminalEmulator.Resizing.allCases)
    func screen_isTheListOnce_whenResized(seed: Int, resizing: TerminalEmulator.Resizing) {
        var generator = SeededGenerator(seed: UInt64(clamping: seed))
        var picker = picker((1...8).map { "event \($0)" }, colour: true)
        var terminal = TerminalEmulator(size: size, resizing: resizing)
        terminal.write("before\r\n")
        for _ in 0..<20 {
            let size = TerminalSize(
                columns: Int.random(in: 12...40, using: &generator),
                rows: Int.random(in: 3...12, using: &generator))
            _ = picker.handle([.up, .down, .end, .home].randomElement(using: &generator)!)
            terminal.resize(size)
            picker.resize(size)
            terminal.write(picker.render())
            let lines = terminal.logicalLines
            #expect(lines.first == "before")
            #expect(lines.count == 1 + min(size.rows - 1, 8))
            #expect(lines.count(where: { $0.hasPrefix("> ") }) == 1)
        }
    }
}
