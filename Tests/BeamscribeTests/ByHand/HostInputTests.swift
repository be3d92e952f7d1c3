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
            case .stalled: log.words.append("stalled")
            case .cameAgain: log.words.append("came again")
            case .ended: log.words.append("ended")
            case .say(let events):
                log.words += events.compactMap {
                    if case .final(let caption) = $0 { caption.text } else { nil }
                }
            default: break
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
        #expect(log.words == ["silent", "one", "stalled", "came again", "two"])
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
}
