import Testing

@testable import BeamscribeCore
@testable import BeamscribeTerminal

/// Lines of several logs on the screen, in the event's order.
@Suite struct MergedOrderTests {
    private func log(_ number: Int, _ label: String, translating: Bool = false) -> LogTitle {
        .test(number, label, translating: translating ? label : nil)
    }

    private func view(rows: Int = 12, showing names: String...) -> ReaderView {
        var view = ReaderView.test(rows: rows, showing: LogChoice(names))
        view.join(LogTitle.testMain)
        return view
    }

    private func line(
        _ text: String, seq: Int, at place: Int, of target: Int? = nil, replaces: Int? = nil
    ) -> TranscriptLine {
        .test(text, seq: seq, at: place, of: target, replaces: replaces)
    }

    @Test func lateLine_standsInItsPlace() {
        var view = view()
        let room = log(2, "R")
        view.add(line("one", seq: 1, at: 1))
        view.add(line("two", seq: 2, at: 3))
        view.add(line("three", seq: 3, at: 5))
        view.add(line("uno", seq: 1, at: 2), of: room)
        view.add(line("dos", seq: 2, at: 4), of: room)
        view.add(line("tres", seq: 3, at: 6), of: room)
        #expect(view.captions() == [" one", " R: uno", " two", " R: dos", " three", " R: tres"])
        view.add(line("zwei", seq: 4, at: 7, replaces: 2))
        view.add(line("DOS", seq: 4, at: 8, replaces: 2), of: room)
        #expect(
            view.captions() == [
                " one", " R: uno", " zwei (corrected)", " R: DOS (corrected)", " three", " R: tres",
            ])
        #expect(view.document.blocks.brokenInvariant == nil)
    }

    /// Two who had not seen each other's line: the same order for all, whatever came first.
    @Test func linesOfOnePlace_standInTheOrderOfTheirLogs() {
        let (second, third) = (log(2, "B"), log(3, "C"))
        for isReversed in [false, true] {
            var view = view()
            view.add(line("one", seq: 1, at: 1))
            let lines = [(line("b", seq: 1, at: 2), second), (line("c", seq: 1, at: 2), third)]
            for (line, log) in isReversed ? lines.reversed() : lines { view.add(line, of: log) }
            view.add(line("two", seq: 2, at: 2))
            #expect(view.captions() == [" one", " two", " B: b", " C: c"])
        }
    }

    /// An open line becomes final where it stands, whatever came meanwhile.
    @Test func openLine_staysWhereItBegan() {
        var view = view()
        let room = log(2, "R")
        view.add(line("one", seq: 1, at: 1))
        view.show(PartialLine(line: "l-2", text: "tw"))
        view.add(line("uno", seq: 1, at: 2), of: room)
        view.add(line("two", seq: 2, at: 3))
        #expect(view.captions() == [" one", " two", " R: uno"])
    }

    /// What follows lines that the host has lost has their places.
    @Test func linesInThePlacesOfLostOnes_standBehindAll() {
        var view = view()
        view.add(numbered: 1...3)
        view.withdraw(from: 2, through: 3)
        view.add("other", seq: 2)
        view.add(line("uno", seq: 1, at: 1), of: log(2, "R"))
        #expect(
            view.captions() == [
                " line 1", " line 2 (withdrawn)", " line 3 (withdrawn)", " R: uno", " other",
            ])
    }

    @Test func translation_standsUnderItsLine_whereBothAreShown() {
        var view = view(showing: "all")
        let (spanish, french) = (log(2, "es", translating: true), log(3, "fr", translating: true))
        view.add(line("one", seq: 1, at: 1))
        view.add(line("two", seq: 2, at: 2))
        view.add(line("uno", seq: 1, at: 3, of: 1), of: spanish)
        view.add(line("un", seq: 1, at: 4, of: 1), of: french)
        view.add(line("three", seq: 3, at: 5))
        view.add(line("dos", seq: 2, at: 6, of: 2), of: spanish)
        view.add(line("UNO", seq: 3, at: 7, of: 1, replaces: 1), of: spanish)
        #expect(
            view.captions() == [
                " one", " es: UNO (corrected)", " fr: un", " two", " es: dos", " three",
            ])
        #expect(view.lineCount == 3)
    }

    @Test func translationAlone_isAsAnyLog() {
        var view = view(showing: "es")
        let spanish = log(2, "es", translating: true)
        view.add(line("uno", seq: 1, at: 2, of: 1), of: spanish)
        view.add(line("dos", seq: 2, at: 4, of: 2), of: spanish)
        #expect(view.captions() == [" es: uno", " es: dos"])
    }

    // MARK: What is read stays

    @Test func rowAtTheTop_staysThere_whenLinesComeAboveIt() {
        var view = view(rows: 8)
        for number in 1...30 { view.add(line("line \(number)", seq: number, at: 2 * number)) }
        _ = view.screen()
        _ = view.handle(.pageUp)
        _ = view.handle(.pageUp)
        _ = view.screen()
        view.press("m")
        let before = view.captions()
        let top = before[0]
        for number in 1...8 {
            view.add(line("r\(number)", seq: number, at: 2 * number + 1), of: log(2, "R"))
        }
        #expect(view.captions() == before)
        _ = view.handle(.end)
        _ = view.screen()
        view.press("'")
        #expect(view.captions()[0] == top)
    }

    @Test func newest_staysAtTheEnd_whenLinesComeAboveIt() {
        var view = view(rows: 8)
        for number in 1...30 { view.add(line("line \(number)", seq: number, at: 2 * number)) }
        let before = view.captions()
        for number in 1...20 {
            view.add(line("r", seq: number, at: 2 * number + 1), of: log(2, "R"))
        }
        #expect(view.captions() == before)
        // One that belongs on the screen pushes what is above it up.
        view.add(line("late", seq: 21, at: 59), of: log(2, "R"))
        #expect(view.captions().last == " line 30")
        #expect(view.captions().suffix(2).first == " R: late")
    }

    @Test func linesAboveWhatWasSeen_areNoNewLines() {
        var view = view(rows: 8)
        for number in 1...30 { view.add(line("line \(number)", seq: number, at: 2 * number)) }
        _ = view.screen()
        _ = view.handle(.pageUp)
        _ = view.screen()
        view.add(line("early", seq: 1, at: 3), of: log(2, "R"))
        let early = view.screen()
        view.add(line("new", seq: 31, at: 70))
        #expect(!early.joined().contains("1 new") && view.screen().joined().contains("1 new"))
    }

    /// The same order comes of it in whatever order the logs come.
    @Test(arguments: 1...30 as ClosedRange<UInt64>)
    func order_isTheEvents_howeverItComes(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let logs = [nil, log(2, "B"), log(3, "C")]
        var queues: [[TranscriptLine]] = [[], [], []]
        var expected: [String] = []
        for place in 1...700 {
            let number = Int.random(in: 0...2, using: &dice)
            let seq = queues[number].count + 1
            queues[number].append(line("\(place)", seq: seq, at: place))
            expected.append("\(place)")
        }
        var view = view()
        while let number = queues.indices.filter({ !queues[$0].isEmpty }).randomElement(
            using: &dice)
        {
            for _ in 0..<min(queues[number].count, Int.random(in: 1...50, using: &dice)) {
                view.add(queues[number].removeFirst(), of: logs[number])
            }
            if Bool.random(using: &dice) { _ = view.screen() }
        }
        #expect(view.document.blocks.map(\.text) == expected, "seed \(seed)")
        #expect(view.document.blocks.brokenInvariant == nil)
    }

    /// Who comes late gets one log after the other.
    @Test func manyLateLines_areQuick() {
        var view = view()
        for number in 1...20_000 { view.add(line("m", seq: number, at: 2 * number)) }
        let room = log(2, "R")
        for number in 1...20_000 { view.add(line("r", seq: number, at: 2 * number + 1), of: room) }
        #expect(view.lineCount == 40_000 && view.document.blocks.brokenInvariant == nil)
        #expect(view.document.blocks[20_001].text == "r")
    }
}
