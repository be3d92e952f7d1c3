import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS
import FoundationEssentials
import Testing

@testable import Beamscribe

@Suite struct HostInputTests {
    private let machine = HandMachine()
    private let log = Log()

    /// What the rules had done, in a word each.
    private final class Log {
        var words: [String] = []
    }

    private func opened(_ input: HostConfiguration.Input) throws -> HostInput {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", deviceID: UUID(),
            security: HostSecurity(try HostKey()))
        configuration.input = input
        configuration.inputFormat = .text
        let made = HostInput(configuration, after: 0, in: machine)
        made.perform = { [log] action, _ in
            switch action {
            case .silent: log.words.append("silent")
            case .quiet: log.words.append("quiet")
            case .stalled: log.words.append("stalled")
            case .cameAgain: log.words.append("came again")
            case .lost: log.words.append("lost")
            case .ended: log.words.append("ended")
            case .say(let events):
                log.words += events.compactMap {
                    if case .final(let caption) = $0 { caption.text } else { nil }
                }
            default: break
            }
        }
        made.tell = { [log] in
            switch $0 {
            case .ended(_, let words, let pause): log.words.append("\(words) \(pause.seconds)")
            case .gaveUp: log.words.append("gave up")
            }
        }
        try made.open()
        return made
    }

    @Test func input_isReadFromWhereItIs() throws {
        let standard = try opened(.standardInput)
        let source = try #require(machine.input)
        #expect(source.path == nil && !standard.isOver)
        let file = try opened(.file("/speech"))
        #expect(machine.input?.path == "/speech" && !file.isOver)
        let other = HandMachine()
        #expect(other.input == nil)
    }

    @Test func silence_isTold_whenItsTimeHasCome() throws {
        let input = try opened(.standardInput)
        machine.pass(Duration.seconds(10) - .milliseconds(1))
        #expect(log.words.isEmpty && !input.hasSpoken)
        machine.pass(.milliseconds(1))
        #expect(log.words == ["silent"])
        machine.input?.write("one\n")
        #expect(input.hasSpoken && input.age(at: machine.uptime) == .zero)
        machine.pass(.seconds(60))
        machine.input?.write("two\n")
        #expect(log.words == ["silent", "one", "quiet", "two"])
        machine.pass(.seconds(600))
        machine.input?.write("three\n")
        let words = ["silent", "one", "quiet", "two", "quiet", "stalled", "came again", "three"]
        #expect(log.words == words)
    }

    @Test func source_rests_whileTheOperatorHasItPaused() throws {
        let input = try opened(.standardInput)
        input.follow { $0.pause(now: $1) }
        #expect(machine.input?.isPaused == true)
        input.follow { $0.resume(now: $1) }
        #expect(machine.input?.isPaused == false)
        machine.input?.write("one\n")
        #expect(log.words == ["one"])
    }

    @Test func end_isTold_withWhatWentWrong_andTheSourceIsLetGo() throws {
        let input = try opened(.standardInput)
        machine.input?.write("one\ntwo")
        let failure = SystemError("read", code: 5)
        machine.input?.ended(failure)
        #expect(input.failure == failure && input.isOver && machine.input == nil)
        #expect(log.words == ["one", "two", "ended"])
    }

    @Test func nothing_comesOrFallsDue_onceItIsClosed() throws {
        let input = try opened(.standardInput)
        let source = try #require(machine.input)
        input.close()
        #expect(machine.due == nil)
        source.ended(nil)
        machine.pass(.seconds(100))
        #expect(log.words.isEmpty && input.failure == nil)
    }

    // MARK: A command

    @Test func command_isStartedAgain_andWhatItHadBegunComesOut() throws {
        let input = try opened(.command("listen"))
        let first = try #require(machine.commands.first)
        #expect(first.path == "listen")
        first.write("one\ntwo and a ha")
        first.end(.exited(code: 1), ["no microphone"])
        #expect(log.words == ["one", "two and a ha", "lost", #"["no microphone"] 1.0"#])
        #expect(machine.commands.count == 1)
        machine.pass(.seconds(1))
        try #require(machine.commands.count == 2)
        log.words = []
        // It fails once more, and prints that: those are words, but not the next one's silence.
        machine.commands[1].end(.exited(code: 1), [])
        machine.pass(.seconds(1))
        #expect(log.words == ["[] 2.0"] && machine.commands.count == 2)
        machine.pass(.seconds(1))
        machine.commands[2].write("\n")
        #expect(log.words == ["[] 2.0"])
        machine.commands[2].write("three\n")
        #expect(log.words == ["[] 2.0", "came again", "three"] && !input.isOver)
    }

    @Test func command_rests_alsoWhenItWasStartedMeanwhile() throws {
        let input = try opened(.command("listen"))
        machine.commands[0].end(.exited(code: 0), [])
        input.follow { $0.pause(now: $1) }
        machine.pass(.seconds(1))
        try #require(machine.commands.count == 2)
        #expect(machine.commands[1].isPaused)
        input.follow { $0.resume(now: $1) }
        #expect(!machine.commands[1].isPaused)
    }

    @Test func offRecord_goesOn_whenTheCommandIsStartedAgain() throws {
        let input = try opened(.command("listen"))
        machine.commands[0].write("one\nbegun ")
        input.follow { $0.goOffRecord(now: $1) }
        machine.commands[0].write("and hidden")
        machine.commands[0].end(.exited(code: 0), [])
        machine.pass(.seconds(1))
        machine.commands[1].write("hidden, too\nand not done")
        machine.commands[1].end(.exited(code: 0), [])
        input.follow { $0.resume(now: $1) }
        machine.pass(.seconds(2))
        machine.commands[2].write("two\n")
        let words = log.words.filter { !$0.hasPrefix("[") }
        #expect(words == ["one", "two"])
    }

    @Test func host_isToldOnce_whenThereIsNoSuchCommand() throws {
        let input = try opened(.command("nowhere"))
        machine.commands[0].end(.exited(code: 127), ["not found"])
        machine.pass(.seconds(5))
        #expect(log.words == ["gave up"] && machine.commands.count == 1 && !input.isOver)
    }

    @Test func command_isGone_whenTheInputIsClosed() throws {
        let input = try opened(.command("listen"))
        var isGone = false
        input.close { isGone = true }
        #expect(!isGone)
        machine.commands[0].gone?()
        #expect(isGone)
        let other = try opened(.command("listen"))
        machine.commands[1].end(.exited(code: 0), [])
        other.close {}
        machine.pass(.seconds(60))
        #expect(machine.commands.count == 2)
    }
}
