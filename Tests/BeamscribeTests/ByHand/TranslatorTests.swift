import FoundationEssentials
import Testing

@testable import Beamscribe
@testable import BeamscribeCore
@testable import BeamscribeIO

/// A translator whose command a test plays.
@Suite struct TranslatorTests {
    private let machine = HandMachine()
    private let log: EventLog
    private let publisher: Publisher
    private let translator: Translator
    private let heard = Heard()

    private final class Heard {
        var news: [TranslationNews] = []
        var isDone = false
    }

    init() {
        log = EventLog(session: UUID(), now: machine.now)
        publisher = Publisher(into: log)
        translator = Translator(
            HostConfiguration.Translation(into: "de", by: "translate"), of: log, saidIn: nil,
            in: machine)
        // As a host does: whatever is said may be the next to be translated.
        translator.say = { [publisher, machine, unowned translator] in
            defer { translator.look() }
            return publisher.publish(final: $0, now: machine.now)
        }
        translator.tell = { [heard] in heard.news.append($0) }
        translator.start()
    }

    private func say(_ text: String) {
        publisher.publish(final: Caption(text: text, lang: "en"), now: machine.now)
        translator.look()
    }

    private var command: HandCommand { machine.commands[machine.commands.count - 1] }
    private var translations: [String] {
        (1...log.lastSeq).compactMap { log.final($0) }.filter { $0.of != nil }.map(\.text)
    }

    @Test func lines_areAskedForOneByOne_andItsAnswersAreCut() {
        ["one", "two", "three"].forEach(say)
        #expect(command.questions == ["one\n"])
        command.write("ei")
        command.write("ns\r\n  ")
        #expect(command.questions == ["one\n", "two\n"] && translations == ["eins"])
        command.write("zwei\nunasked\n")
        // Nobody knows what of that belongs to the third.
        #expect(translations == ["eins", "zwei", "unasked"] && log.final(6)?.of == 3)
        command.write("drei\n")
        #expect(heard.news == [.unasked] && translations.count == 3)
    }

    @Test func line_isTakenBack_thoughItWasWithdrawnBeforeItsAnswerCame() {
        say("one")
        #expect(publisher.correct(1, text: "", now: machine.now) == 2)
        command.write("eins\n")
        #expect(translations == ["eins", ""] && log.final(4)?.replaces == 3)
    }

    @Test func greeting_isNoAnswer() {
        command.write("loading a model\n")
        say("one")
        command.write("eins\n")
        #expect(translations == ["eins"] && heard.news.isEmpty)
    }

    @Test func line_isAskedForAgain_onceTheCommandHasEnded() {
        say("one")
        command.end(.signalled(9), ["killed"])
        #expect(heard.news == [.ended(.signalled(9), words: ["killed"], pause: .seconds(1))])
        machine.pass(.seconds(1))
        #expect(machine.commands.count == 2 && command.questions == ["one\n"])
        command.write("eins\n")
        #expect(translations == ["eins"])
    }

    @Test func line_isLeft_whenTheCommandEndsAtItTwice() {
        ["one", "two"].forEach(say)
        command.end(.signalled(11), [])
        machine.pass(.seconds(1))
        command.end(.signalled(11), [])
        #expect(heard.news.contains(.left(line: 1)))
        machine.pass(.seconds(2))
        #expect(command.questions == ["two\n"])
    }

    @Test func command_isStartedAnew_whenItDoesNotAnswer() {
        ["one", "two", "three"].forEach(say)
        machine.pass(Limits.translationBeginning - .seconds(1))
        command.write("eins\n")
        machine.pass(Limits.translationPatience)
        #expect(heard.news.suffix(2) == [.silent(Limits.translationPatience), .left(line: 2)])
        command.gone?()
        machine.pass(.seconds(1))
        #expect(machine.commands.count == 2 && command.questions == ["three\n"])
        #expect(translations == ["eins"])
    }

    @Test func missingCommand_isNotStartedAgain() {
        command.end(.exited(code: 127), ["not found"])
        machine.pass(.seconds(3_600))
        #expect(machine.commands.count == 1)
        #expect(heard.news == [.gaveUp(.exited(code: 127), words: ["not found"])])
    }

    @Test func delay_isToldOnce_andThatItIsOver() {
        say("one")
        machine.pass(Limits.translationDelay + .seconds(1))
        command.write("eins\n")
        say("two")
        machine.pass(Limits.translationDelay + .seconds(1))
        command.write("zwei\n")
        say("three")
        command.write("drei\n")
        #expect(heard.news == [.behind(.seconds(21)), .caughtUp])
    }

    // MARK: The end

    private func finish() { translator.finish { [heard] in heard.isDone = true } }

    @Test func end_waitsForAnswers() {
        ["one", "two"].forEach(say)
        finish()
        #expect(heard.news == [.finishing(lines: 2)])
        command.write("eins\n")
        #expect(!heard.isDone)
        command.write("zwei\n")
        #expect(heard.isDone && heard.news.count == 1 && translations.count == 2)
    }

    @Test func end_isAtOnce_whenNothingWaits() {
        finish()
        #expect(heard.isDone && heard.news.isEmpty)
    }

    @Test func end_waitsForNoCommandThatIsGone() {
        ["one", "two"].forEach(say)
        finish()
        command.end(.signalled(9), [])
        #expect(heard.isDone && heard.news.last == .unfinished(lines: 2))
    }

    @Test func close_endsTheCommand_andWhoWaitsGoesOn() {
        ["one", "two"].forEach(say)
        finish()
        var isGone = false
        translator.close { isGone = true }
        #expect(heard.isDone && !isGone && heard.news.last == .unfinished(lines: 2))
        command.gone?()
        #expect(isGone)
        machine.pass(.seconds(3_600))
        #expect(machine.commands.count == 1)
    }
}
