import BeamscribeTerminal
import Testing

@testable import Beamscribe
@testable import BeamscribeCommand
@testable import BeamscribeCore

/// When the operator's keys are read, what they do, and what is said of it.
@Suite struct ConsolePartsTests {
    /// A pipe into a host that the user looks at.
    private let pipe = ConsoleOccasion(showsAnything: true, isInForeground: true)
    /// A host that the user types into.
    private let keyboard = ConsoleOccasion(
        readsKeyboard: true, isOwnKeyboard: true, showsAnything: true, isInForeground: true)

    private func kind(
        _ occasion: ConsoleOccasion, _ change: (inout ConsoleOccasion) -> Void = { _ in }
    ) -> ConsoleKind? {
        var occasion = occasion
        change(&occasion)
        return occasion.kind
    }

    @Test func console_isThere_whereThereIsSomebodyToSeeIt() {
        #expect(kind(pipe) == .keys)
        #expect(kind(keyboard) == .typed)
        // It waits for its turn, and does not touch the terminal before.
        #expect(kind(pipe) { $0.isInForeground = false } == .keys)
        #expect(kind(keyboard) { $0.isQuiet = true } == .typed)
        // Whoever types into the terminal looks at it, too.
        #expect(kind(keyboard) { $0.showsAnything = false } == .typed)
    }

    @Test func console_isNotThere_whereItWouldBeInTheWay() {
        for occasion in [pipe, keyboard] {
            #expect(kind(occasion) { $0.wanted = false } == nil)
            #expect(kind(occasion) { $0.isDumb = true } == nil)
            #expect(kind(occasion) { $0.isUnattended = true } == nil)
        }
        #expect(kind(pipe) { $0.showsAnything = false } == nil)
        #expect(kind(pipe) { $0.isQuiet = true } == nil)
        #expect(kind(keyboard) { $0.isInForeground = false } == nil)
        #expect(kind(keyboard) { $0.isOwnKeyboard = false } == nil)
        #expect(kind(keyboard) { $0.takesText = false } == nil)
    }

    @Test func console_isThere_whenItIsAskedFor() {
        #expect(
            kind(pipe) { ($0.wanted, $0.showsAnything, $0.isQuiet) = (true, false, true) } == .keys)
    }

    @Test func keys_areCommands_eachItsOwn() {
        for isTyping in [false, true] {
            for command in ConsoleCommand.allCases {
                let isLine = command == .correct || command == .type
                let byControl = ConsoleCommand(.control(command.control), isTyping: isTyping)
                #expect(byControl == (isTyping && isLine ? nil : command))
                let byLetter = ConsoleCommand(.character(command.letter), isTyping: isTyping)
                #expect(byLetter == (isTyping ? nil : command))
            }
        }
        // What an editor needs is no command: Enter, Tab, backspace, ends of lines and words.
        let editing = Set("mijhaewud")
        #expect(ConsoleCommand.allCases.allSatisfy { !editing.contains($0.control) })
        #expect(!ConsoleCommand.allCases.map(\.control).contains("z"))
    }

    @Test func event_endsByItsWord_andByNothingElse() {
        func outcome(_ keys: [Key]) -> EndQuestion.Outcome {
            var question = EndQuestion(asked: .zero)
            var outcome = EndQuestion.Outcome.asksOn
            for key in keys where outcome == .asksOn { outcome = question.take(key) }
            return outcome
        }
        func letters(_ text: String) -> [Key] { text.map { .character($0) } }
        #expect(outcome(letters("end") + [.enter]) == .ends)
        #expect(outcome(letters("En") + [.backspace] + letters("nd") + [.enter]) == .ends)
        #expect(outcome(letters("en") + [.enter]) == .isLeft("en"))
        #expect(outcome(letters("ee")) == .isLeft("ee"))
        #expect(outcome([.control("x")]) == .isLeft(""))
        #expect(outcome([.escape]) == .isLeft("") && outcome([.pasted("end")]) == .isLeft(""))
        let question = EndQuestion(asked: .seconds(5))
        #expect(!question.isOver(at: .seconds(14)) && question.isOver(at: .seconds(15)))
    }

    @Test func question_saysWhatIsNotOutYet_onOneRow() {
        func words(_ waiting: Int, _ isTyping: Bool, _ isOff: Bool, _ pasted: Int) -> String {
            EndQuestion.words(
                waiting: waiting, isTyping: isTyping, isOffRecord: isOff, pasted: pasted,
                corrects: false)
        }
        #expect(words(0, false, false, 0) == "End the event for everybody?")
        #expect(words(2, false, false, 0).hasSuffix("2 typed lines go out first."))
        #expect(
            words(0, true, false, 1).hasSuffix("1 typed line goes out first, 1 pasted not sent."))
        #expect(words(0, true, true, 0).hasSuffix("what is typed goes nowhere."))
        #expect(words(12, true, false, 12).count < 80)
    }

    @Test func hint_fitsAnOrdinaryScreen() {
        for isTyping in [false, true] {
            #expect(ConsoleCommand.hint(isTyping: isTyping).count < 80)
            #expect(ConsoleCommand.help(isTyping: isTyping).allSatisfy { $0.count < 80 })
            #expect(ConsoleCommand.help(isTyping: isTyping).count < 20)
        }
    }

    @Test func guests_areATable() {
        let guests = [
            GuestReport(
                guest: GuestDescription(name: "Zoë", peer: "192.0.2.7:4000"), state: .stable,
                lagLines: 2, lagSeconds: 0.52,
                latency: LatencyPercentiles(p50: 0.0031, p95: 0.0123), unstable: 0),
            GuestReport(
                guest: GuestDescription(name: "", peer: "192.0.2.8:4000"), state: .connecting,
                lagLines: 0, lagSeconds: 0, latency: nil, unstable: 0),
        ]
        #expect(
            GuestRows(guests: guests).rows == [
                "GUEST              STATE      LAG                p50/p95     FROM",
                "Zoë                stable     2 lines, 0.5 s     3/12 ms     192.0.2.7:4000",
                "(no name yet)      connecting none               -           192.0.2.8:4000",
            ])
        #expect(GuestRows(guests: []).rows.count == 2)
    }

    private func status(_ change: (inout HostView) -> Void = { _ in }) -> ConsoleStatus {
        var counts = GuestCounts()
        (counts.stable, counts.syncing) = (2, 1)
        var view = HostView(lines: [], open: [], lineCount: 41, counts: counts, gate: .open)
        view.inputAge = .seconds(3)
        (view.wordsPerMinute, view.linesPerMinute) = (130, 12)
        change(&view)
        return ConsoleStatus(view: view, isTyped: false)
    }

    @Test func status_saysHowThingsStand() {
        #expect(status().left == "live · 3 guests · 41 lines")
        #expect(status().right.first == "last input 3 s ago · 130 words/min, 12 lines/min")
        #expect(status { $0.gate = .paused }.left.hasPrefix("PAUSED · "))
        #expect(status { $0.gate = .offRecord }.left.hasPrefix("OFF THE RECORD · "))
        #expect(status { $0.isEventOver = true }.left == "ended · 3 guests · 41 lines")
        #expect(status { $0.isUnsaved = true }.left == "live · NOT SAVED · 3 guests · 41 lines")
        #expect(status { $0.waitingLines = 2 }.left.contains("2 typed waiting"))
        #expect(
            status { $0.counts.serving = 1 }.left == "live · 3 guests (1 serving) · 41 lines")
        #expect(status { $0.inputAge = nil }.right.last == "no input yet")
        #expect(status { $0.isInputOver = true }.right.last == "the input has ended")
    }
}
