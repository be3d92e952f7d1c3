import BeamscribeCore
import BeamscribeIO
import BeamscribeInput
import BeamscribeTLS
import BeamscribeVoice
import FoundationEssentials
import Testing

@testable import Beamscribe

/// What is said, by talkers whose commands a test plays.
@Suite(.enabled(if: VoiceLibraries.areHere)) struct VoiceCaptionsTests {
    private let machine = HandMachine()
    private let captions: VoiceCaptions
    private let heard = Heard()

    private final class Heard {
        /// "Ann: words", with its line's id, of partials in brackets.
        var lines: [String] = []
        var finals: [String] { lines.filter { !$0.hasPrefix("[") } }
        var ids: [String] = []
        var news: [VoiceCaptionNews] = []
        /// What talkers are told themselves: "5 full", or "5 on".
        var told: [String] = []
        var isGone = false
    }

    init() throws {
        var configuration = HostConfiguration(
            eventName: "Town Hall", deviceName: "stage", security: HostSecurity(try HostKey()))
        var voices = VoiceConfiguration(channels: [.crew, .floor])
        voices.captions = [
            VoiceConfiguration.Captions(of: "crew", by: "listen"),
            VoiceConfiguration.Captions(of: "floor", by: "listen to the floor"),
        ]
        configuration.voices = voices
        captions = VoiceCaptions(configuration, run: 2, in: machine)
        captions.say = { [heard] events, _ in
            for event in events {
                switch event {
                case .final(let caption), .correction(let caption):
                    heard.lines.append("\(caption.speaker ?? ""): \(caption.text)")
                    heard.ids.append(caption.line ?? "")
                case .partial(let caption):
                    heard.lines.append("[\(caption.speaker ?? ""): \(caption.text)]")
                    heard.ids.append(caption.line ?? "")
                case .warning(let text): heard.lines.append(text)
                }
            }
        }
        captions.tell = { [heard] in heard.news.append($1) }
        captions.inform = { [heard] in heard.told.append("\($0) \($1.reason ?? "on")") }
    }

    private func talk(
        _ id: ConnectionID, _ name: String, on channel: String = "crew", packets: Int = 1
    ) {
        for index in 0..<packets {
            let header = RTPHeader(
                payloadType: VoicePayload.opus.rawValue, isMarked: index == 0,
                sequence: UInt16(clamping: index), timestamp: UInt32(clamping: index * 480),
                source: UInt32(clamping: id))
            let bytes = RTPPacket(header, payload: [18 << 3]).bytes
            captions.hear(
                .packet(bytes, of: id, named: name, on: channel, at: machine.uptime))
            machine.pass(.milliseconds(10))
        }
    }

    private func isAfter(_ time: Duration) { machine.pass(time) }
    private var commands: [HandCommand] { machine.commands }
    private func news(_ isWanted: (VoiceCaptionNews) -> Bool) -> Int {
        heard.news.count(where: isWanted)
    }

    @Test func eachTalker_hasACommand_andLinesOfHisOwn() {
        talk(1, "Ann", packets: 10)
        talk(2, "Bob\u{1B}[2J", packets: 10)
        #expect(commands.map(\.path) == ["listen", "listen"])
        commands[0].write("hello\n")
        commands[1].write("{\"partial\":\"go\"}\n")
        commands[1].write("{\"text\":\"good day\"}\n")
        commands[0].write("there\n")
        isAfter(.seconds(2))
        #expect(heard.finals.filter { $0.hasPrefix("Ann") } == ["Ann: hello", "Ann: there"])
        #expect(heard.lines.contains { $0.hasPrefix("[Bob") && $0.hasSuffix("go]") })
        #expect(heard.lines.contains { $0.hasPrefix("Bob") && $0.hasSuffix("good day") })
        #expect(!heard.lines.contains { $0.contains("\u{1B}") })
        #expect(Set(heard.ids).count == 3, "\(heard.ids)")
    }

    /// 16 kHz, 16 bits: of half a second, and of the silence behind it.
    @Test func commands_hearAsMuchAsIsSaid_andSilenceBehindIt() {
        talk(1, "Ann", packets: 50)
        isAfter(.seconds(10))
        #expect((32_000 * 19 / 10...32_000 * 21 / 10).contains(commands[0].fed))
        #expect(!commands[0].hasAllInput)
        talk(1, "Ann", packets: 50)
        isAfter(.seconds(10))
        #expect(commands.count == 1 && commands[0].fed > 32_000 * 38 / 10)
    }

    @Test func fifth_isTold_andListenedToOnceSomebodyHasGone() {
        for id in ConnectionID(1)...5 { talk(id, "person \(id)") }
        talk(5, "person 5")
        #expect(commands.count == 4 && news { $0 == .full("person 5") } == 1)
        captions.hear(.gone(2))
        talk(5, "person 5")
        #expect(commands.count == 5 && news { $0 == .began("person 5") } == 1)
        #expect(heard.told == ["1 on", "2 on", "3 on", "4 on", "5 full", "5 on"])
    }

    @Test func comingAndGoing_startsNoMoreThanMayRun() {
        for id in ConnectionID(1)...50 {
            talk(id, "Ann")
            captions.hear(.gone(id))
        }
        #expect(commands.count == Limits.listeningPrograms)
    }

    @Test func lastWords_areTaken_ofWhoHasGone() {
        talk(1, "Ann", packets: 10)
        captions.hear(.gone(1))
        #expect(!commands[0].hasAllInput, "what he said last is not heard yet")
        isAfter(.seconds(3))
        #expect(commands[0].hasAllInput)
        commands[0].write("one\nlast words")
        commands[0].end(.exited(code: 0), [])
        isAfter(.zero)
        #expect(heard.finals == ["Ann: one", "Ann: last words"])
        #expect(heard.news == [.began("Ann")] && commands.count == 1)
        captions.close { [heard] in heard.isGone = true }
        #expect(heard.isGone)
    }

    @Test func commandThatDoesNotEnd_isEnded() {
        talk(1, "Ann")
        captions.hear(.gone(1))
        commands[0].write("one\n")
        isAfter(Limits.lastWords - .seconds(1))
        #expect(commands[0].gone == nil)
        isAfter(.seconds(1))
        #expect(commands[0].gone != nil && heard.lines == ["Ann: one"])
        captions.close { [heard] in heard.isGone = true }
        #expect(!heard.isGone)
        commands[0].gone?()
        #expect(heard.isGone)
    }

    @Test func commandThatEnds_isStartedAgain() {
        talk(1, "Ann")
        commands[0].write("one\ntw")
        commands[0].end(.signalled(9), ["killed"])
        #expect(
            heard.news.last
                == .ended(.signalled(9), words: ["killed"], pause: .seconds(1), of: "Ann"))
        talk(1, "Ann")
        #expect(commands.count == 1)
        isAfter(.seconds(1))
        #expect(commands.count == 2)
        commands[1].write("three\n")
        isAfter(.seconds(2))
        #expect(heard.finals == ["Ann: one", "Ann: tw", "Ann: three"])
        // Nobody starts it for who has gone.
        commands[1].end(.exited(code: 1), [])
        captions.hear(.gone(1))
        isAfter(.seconds(60))
        #expect(commands.count == 2)
    }

    @Test func commandThatIsNotThere_isToldOfOnce_andNotTriedForOthers() {
        talk(1, "Ann")
        commands[0].end(.exited(code: 127), ["listen: not found"])
        talk(1, "Ann")
        talk(2, "Bob")
        isAfter(.seconds(60))
        let missing = VoiceCaptionNews.cannotRun(
            .exited(code: 127), words: ["listen: not found"])
        #expect(heard.news == [.began("Ann"), missing] && commands.count == 1)
        #expect(heard.told == ["1 on", "1 off"])
        talk(3, "stage", on: "floor")
        #expect(commands.last?.path == "listen to the floor")
    }

    @Test func slowCommand_isToldOfOnce() {
        talk(1, "Ann")
        commands[0].isSlow = true
        talk(1, "Ann", packets: 100)
        #expect(news { $0 == .behind("Ann") } == 1)
    }

    @Test func nothingComesOut_offTheRecord_andWhatIsPausedWaits() {
        talk(1, "Ann")
        captions.set(.paused)
        talk(2, "Bob")
        commands[0].write("one\n")
        commands[1].write("two\n")
        #expect(heard.lines.isEmpty)
        captions.set(.open)
        #expect(Set(heard.finals) == ["Ann: one", "Bob: two"])
        heard.lines = []
        captions.set(.offRecord)
        commands[0].write("secret\n")
        commands[1].write("secret ")
        isAfter(.seconds(2))
        captions.set(.open)
        commands[1].write("too\nsaid again\n")
        isAfter(.seconds(2))
        #expect(
            heard.finals == ["Bob: said again"] && !heard.lines.contains { $0.contains("secret") })
    }

    @Test func lastWordsThatWait_areNotLost_howeverLongTheEventIsPaused() {
        talk(1, "Ann")
        captions.set(.paused)
        captions.hear(.gone(1))
        // The next of those times comes at once.
        isAfter(Limits.lastWords * 3 - .milliseconds(1))
        #expect(commands[0].gone == nil)
        captions.set(.open)
        isAfter(Limits.lastWords - .seconds(1))
        #expect(commands[0].gone == nil)
        commands[0].write("one\n")
        isAfter(.seconds(1))
        #expect(commands[0].gone != nil && heard.lines == ["Ann: one"])
    }

    @Test func everyCommand_isEnded_withTheHost() {
        talk(1, "Ann")
        talk(2, "Bob")
        captions.hear(.gone(2))
        commands[0].write("begun")
        captions.close { [heard] in heard.isGone = true }
        #expect(heard.finals == ["Ann: begun"] && !heard.isGone)
        commands.forEach { $0.gone?() }
        #expect(heard.isGone)
        talk(3, "Eve")
        #expect(commands.count == 2)
    }
}
