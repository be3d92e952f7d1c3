import Foundation
import TestSupport
import Testing

/// The program's voices, from one raw stream to another.
@Suite struct TalkTests {
    private static let code = Room.crewCode

    private func open(_ options: String..., code: String? = code) async throws -> Room {
        try await Room.withVoices(options, code: code)
    }

    private func start(
        _ words: [String], in room: Room, code: String? = code, state: TemporaryFolder? = nil
    ) throws -> RunningProgram {
        var launch = Launch.beamscribe(
            [words[0], "--host", room.address] + words.dropFirst(), state: state ?? room.folder)
        launch.environment["BEAMSCRIBE_CREW_CODE"] = code
        return try RunningProgram(launch)
    }

    private func isThere(_ name: String, _ room: Room) -> (path: String, data: () -> Data) {
        let path = room.folder.path(of: name)
        return (path, { FileManager.default.contents(atPath: path) ?? Data() })
    }

    @Test func whatOneSays_theOtherHears_fromBeginningToEnd() async throws {
        let room = try await open()
        let (microphone, ear) = (isThere("mic.raw", room), isThere("ear.raw", room))
        try SoundSamples.voice(seconds: 4).write(to: URL(filePath: microphone.path))
        let listener = try start(["talk", "--output", ear.path], in: room)
        try await listener.waitForLine(containing: "On the channel", on: .standardError)
        let talker = try start(
            ["talk", "--input", microphone.path, "--until-eof"], in: room,
            state: try TemporaryFolder())
        try await talker.expectExit(0)
        try await listener.waitForLine(containing: "is gone (crew)", on: .standardError)
        listener.interrupt()
        try await listener.expectExit(0)
        #expect(SoundSamples.tones(in: ear.data()) == 4)
        let heard = listener.standardErrorLines
        #expect(heard.contains { $0.hasSuffix("is here (crew).") })
        #expect(heard.contains { $0.hasSuffix("talks (crew).") })
        #expect(heard.contains { $0.hasSuffix("has stopped (crew).") })
        #expect(talker.standardErrorLines.contains("You are heard."))
    }

    @Test func soundHasTheRateThatWasAskedFor_andIsPassedOnThroughPipes() async throws {
        let room = try await open("--channel", "es:talk=event:hear=event", code: nil)
        let ear = isThere("ear.raw", room)
        let listener = try start(
            [
                "listen", "--channel", "es", "--output", ear.path, "--rate", "16000", "--format",
                "jsonl",
            ],
            in: room, code: nil)
        try await listener.waitForLine(containing: #""state":"ready""#, on: .standardOutput)
        let talker = try start(
            ["talk", "--channel", "es", "--input", "-", "--until-eof", "--rate", "8000"], in: room,
            code: nil, state: try TemporaryFolder())
        try await talker.waitForLine(containing: "You are heard", on: .standardError)
        try await talker.write(bytes: Array(SoundSamples.voice(seconds: 3, rate: 8_000)) + [1])
        talker.closeInput()
        try await talker.expectExit(0)
        try await listener.waitForLine(containing: #""state":"gone""#, on: .standardOutput)
        listener.interrupt()
        try await listener.expectExit(0)
        #expect(SoundSamples.tones(in: ear.data(), rate: 16_000) == 3)
        #expect(
            listener.standardOutputText.contains(
                #""channel":"es","name":""#))
    }

    @Test func roomIsHeard_byWhoListens_andCaptionsGoOn() async throws {
        let folder = try TemporaryFolder()
        let captions = folder.path(of: "captions")
        try "one\ntwo\n".write(toFile: captions, atomically: true, encoding: .utf8)
        let room = try await Room.open(
            "--voice", "--floor", "-", "--floor-rate", "16000", "--input", captions)
        let ear = isThere("ear.raw", room)
        let guest = try room.join()
        let listener = try start(
            ["listen", "--output", ear.path], in: room, code: nil, state: try TemporaryFolder())
        try await listener.waitForLine(containing: "talks (floor)", on: .standardError)
        try await room.host.write(bytes: Array(SoundSamples.voice(seconds: 3, rate: 16_000)))
        room.host.closeInput()
        try await listener.waitForLine(containing: "has stopped (floor)", on: .standardError)
        try await room.host.waitForLine(
            containing: "The floor's sound has ended", on: .standardError)
        #expect(try await guest.waitForLines(2) == ["one", "two"])
        listener.interrupt()
        try await listener.expectExit(0)
        #expect(listener.standardErrorLines.last?.contains("has stopped") == true)
        #expect(SoundSamples.tones(in: ear.data()) == 3)
    }

    @Test func host_endsWithCode65_whereTheFloorIsNotThere() async throws {
        let folder = try TemporaryFolder()
        let host = try RunningProgram(
            .beamscribe(
                ["host", "--event", "E", "--voice", "--floor", folder.path(of: "none.raw")]
                    + Room.quiet(port: 0), state: folder))
        try await host.expectExit(65)
        #expect(host.standardErrorText.contains("none.raw"))
    }

    @Test func whoIsOnAChannel_goesToAnother_asAnotherProgramAsks() async throws {
        let room = try await open("--channel", "es")
        let pipe = room.folder.path(of: "control")
        let talker = try start(
            ["talk", "--input", "/dev/zero", "--control", pipe], in: room)
        try await talker.waitForLine(containing: "You are heard.", on: .standardError)
        let listener = try start(
            ["talk", "--channel", "es", "--output", "/dev/null", "--format", "jsonl"], in: room,
            state: try TemporaryFolder())
        try await listener.waitForLine(containing: #""state":"ready""#, on: .standardOutput)
        let file = try FileHandle(forUpdating: URL(filePath: pipe))
        try file.write(contentsOf: Data("channel nowhere\nchannel es\n".utf8))
        try await talker.waitForLine(
            containing: "The host has no channel nowhere for you.", on: .standardError)
        try await talker.waitForLine(containing: "On the channel es.", on: .standardError)
        try await listener.waitForLine(containing: #""state":"talking""#, on: .standardOutput)
        try file.write(contentsOf: Data("quit\n".utf8))
        try await talker.expectExit(0)
        try await listener.waitForLine(containing: #""state":"gone""#, on: .standardOutput)
        listener.interrupt()
        try await listener.expectExit(0)
    }

    @Test func commandIsRun_whenTalksBeginAndEnd_andKnowsWhoTalks() async throws {
        let room = try await open()
        let path = room.folder.path(of: "ran")
        let said =
            #""$BEAMSCRIBE_TALK|${BEAMSCRIBE_SPEAKER-none}|$BEAMSCRIBE_CHANNEL|$BEAMSCRIBE_EVENT|"#
            + #"${BEAMSCRIBE_CREW_CODE-none}|$(cat)""#
        let listener = try start(
            ["talk", "--output", "/dev/null", "--exec", #"printf '%s\n' \#(said) >>\#(path)"#],
            in: room)
        try await listener.waitForLine(containing: "On the channel", on: .standardError)
        let microphone = isThere("mic.raw", room)
        try SoundSamples.voice(seconds: 1).write(to: URL(filePath: microphone.path))
        let talker = try start(
            ["talk", "--input", microphone.path, "--until-eof", "--name", "Ann $HOME"], in: room,
            state: try TemporaryFolder())
        try await talker.expectExit(0)
        try await listener.waitForLine(containing: "is gone (crew)", on: .standardError)
        listener.interrupt()
        try await listener.expectExit(0)
        let ran = try room.folder.read("ran").split(separator: "\n")
        let event = try #require(ran.first?.split(separator: "|").dropFirst(3).first)
        #expect(
            ran == [
                "begins|Ann $HOME|crew|\(event)|none|Ann $HOME talks (crew).",
                "ends|Ann $HOME|crew|\(event)|none|Ann $HOME has stopped (crew).",
            ])
    }

    @Test func waveFile_isSaidWithoutItsHeader_orRefusedWhereItIsOfAnotherKind() async throws {
        let room = try await open()
        let (file, ear) = (isThere("said.wav", room), isThere("ear.raw", room))
        try SoundSamples.wave(SoundSamples.voice(seconds: 3)).write(to: URL(filePath: file.path))
        let listener = try start(["talk", "--output", ear.path], in: room)
        try await listener.waitForLine(containing: "On the channel", on: .standardError)
        let talker = try start(
            ["talk", "--input", file.path, "--until-eof"], in: room, state: try TemporaryFolder())
        try await talker.expectExit(0)
        let other = try start(
            ["talk", "--input", file.path, "--rate", "16000"], in: room,
            state: try TemporaryFolder())
        try await other.expectExit(65)
        #expect(other.standardErrorText.contains("48000 samples a second: give --rate 48000"))
        listener.interrupt()
        try await listener.expectExit(0)
        #expect(SoundSamples.tones(in: ear.data()) == 3)
    }

    /// In the place of a pedal's device there is a named pipe.
    @Test func pedal_isHeldToTalk_andMissedWhereItIsNotThere() async throws {
        let room = try await open()
        let path = room.folder.path(of: "pedal")
        #expect(mkfifo(path, 0o600) == 0)
        let pedal = try FileHandle(forUpdating: URL(filePath: path))
        let talker = try start(
            ["talk", "--input", "/dev/zero", "--ptt-key", "\(path):KEY_B"], in: room)
        try await talker.waitForLine(
            containing: "Nobody hears you before the key of --ptt-key is held.",
            on: .standardError)
        func press(_ value: UInt8) throws {
            // A time, EV_KEY, KEY_B, whether it is down.
            let record = [UInt8](repeating: 0, count: 16) + [1, 0, 48, 0, value, 0, 0, 0]
            try pedal.write(contentsOf: Data(record))
        }
        try press(1)
        try await talker.waitForLine(containing: "You are heard.", on: .standardError)
        try press(0)
        try await talker.waitForLine(containing: "You are not heard.", on: .standardError)
        talker.interrupt()
        try await talker.expectExit(0)
        let other = try start(
            ["talk", "--input", "/dev/zero", "--ptt-key", "/nowhere/pedal:KEY_B"], in: room)
        try await other.waitForLine(
            containing: "The key of --ptt-key is of no use: cannot open /nowhere/pedal",
            on: .standardError)
        other.interrupt()
        try await other.expectExit(0)
    }

    @Test(arguments: [
        (["--ptt-key", "pedal"], "DEVICE:KEY"), (["--ptt-key", "p:KEY_NONE"], "DEVICE:KEY"),
        (["--ptt-key", "p:KEY_B", "--talk", "open"], "--talk ptt"),
    ])
    func keyThatIsNone_isRefused(words: [String], reason: String) async throws {
        let talker = try RunningProgram(
            .beamscribe(["talk"] + words, state: try TemporaryFolder()))
        try await talker.expectExit(64)
        #expect(talker.standardErrorText.contains(reason))
    }

    @Test func talkBeginsAndEnds_asOtherProgramsAskForIt() async throws {
        let room = try await open()
        let pipe = room.folder.path(of: "control")
        let talker = try start(
            ["talk", "--input", "/dev/zero", "--talk", "ptt", "--control", pipe], in: room)
        let state = "On the channel"
        try await talker.waitForLine(containing: state, on: .standardError)
        func ask(_ line: String) throws {
            let file = try FileHandle(forUpdating: URL(filePath: pipe))
            try file.write(contentsOf: Data((line + "\n").utf8))
            try file.close()
        }
        func said(_ line: String, _ count: Int) async throws {
            try await talker.waitForOutput("'\(line)' \(count) times", within: Deadline.generous) {
                $0.standardError.lines.count { $0 == line } >= count
            }
        }
        try ask("talk on")
        try await said("You are heard.", 1)
        try ask("talk off")
        try await said("You are not heard.", 1)
        talker.signal(SIGUSR2)
        try await said("You are heard.", 2)
        talker.signal(SIGUSR2)
        try await said("You are not heard.", 2)
        try ask("shout\nmute Nobody Here on")
        try await talker.waitForLine(
            containing: "--control does not take 'shout'", on: .standardError)
        try await talker.waitForLine(
            containing: "Nobody Here is not there", on: .standardError)
        try ask("quit")
        try await talker.expectExit(0)
        #expect(!FileManager.default.fileExists(atPath: pipe))
    }

    @Test func talkEnds_asOtherProgramsAskForIt_beforeItsHostIsFound() async throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path(of: "control")
        #expect(mkfifo(pipe, 0o600) == 0)
        let silent = try TCPSocket.listening()
        let talker = try RunningProgram(
            .beamscribe(
                [
                    "talk", "--host", "127.0.0.1:\(silent.port)", "--input", "/dev/zero",
                    "--control",
                    pipe, "--timeout", "600",
                ], state: folder))
        let file = try FileHandle(forUpdating: URL(filePath: pipe))
        try file.write(contentsOf: Data("talk on\nquit\n".utf8))
        try await talker.expectExit(0)
        try file.close()
    }

    @Test func captionsGoOn_whilePeopleTalk() async throws {
        let room = try await open()
        let guest = try room.join()
        let talker = try start(
            ["talk", "--input", "/dev/zero", "--output", "/dev/null"], in: room,
            state: try TemporaryFolder())
        try await talker.waitForLine(containing: "You are heard", on: .standardError)
        try await room.tell(numbered(1...50))
        #expect(try await guest.waitForLines(50) == numbered(1...50))
        talker.interrupt()
        try await talker.expectExit(0)
    }

    @Test(arguments: [
        (["talk", "--input", "/dev/zero"], "BCDF-GHJK-MNPR", "the crew's code is wrong", 77),
        (["talk", "--input", "/dev/zero"], nil, "there is no right to do that", 77),
        (["listen", "--output", "/dev/null"], nil, "the host has no such channel", 69),
    ])
    func whoeverHasNoRight_isToldSo(
        words: [String], code: String?, why: String, status: Int32
    ) async throws {
        let room = try await open()
        let guest = try start(words, in: room, code: code)
        try await guest.expectExit(status)
        #expect(guest.standardErrorLines.last?.contains(why) == true, "\(guest.standardErrorText)")
        #expect(guest.standardOutputText == "")
    }

    @Test func door_isClosed_whereCodesAreGuessed() async throws {
        let room = try await open()
        for _ in 0..<5 {
            let guest = try start(
                ["talk", "--input", "/dev/zero"], in: room, code: "BCDF-GHJK-MNPR")
            try await guest.expectExit(77)
        }
        try await room.host.waitForLine(containing: "Too many wrong codes", on: .standardError)
        let late = try start(["talk", "--input", "/dev/zero"], in: room)
        try await late.expectExit(77)
    }

    @Test func guestIsTold_whereTheHostHasNoVoices() async throws {
        let room = try await Room.open()
        let guest = try start(["listen", "--output", "-"], in: room, code: nil)
        try await guest.expectExit(69)
        #expect(guest.standardErrorLines.last?.contains("offers no voices") == true)
    }

    @Test(arguments: [false, true])
    func hearingGoesOn_whenTheHostIsBack(isServedMeanwhile: Bool) async throws {
        let room = try await open()
        var relay: Holder?
        if isServedMeanwhile {
            relay = try await Holder.open(["relay"], of: room.address)
            try await room.host.waitForLine(containing: "(1 such machine)", on: .standardError)
        }
        let guest = try start(["talk", "--output", "/dev/null"], in: room)
        try await guest.waitForLine(containing: "On the channel", on: .standardError)
        room.host.kill()
        _ = try await room.host.waitForExit(within: Deadline.generous)
        try await guest.waitForLine(containing: "Reconnecting", on: .standardError)
        if isServedMeanwhile {
            try await guest.waitForOutput("it is in the event", within: Deadline.generous) {
                $0.standardError.lines.count { $0.contains("In \"Town Hall\"") } == 2
            }
        }
        var launch = Launch.beamscribe(
            ["host", "--resume", "last", "--voice"] + Room.quiet(port: room.port),
            state: room.folder)
        launch.environment["BEAMSCRIBE_CREW_CODE"] = Self.code
        let host = try RunningProgram(launch)
        _ = try await Room.port(of: host)
        try await guest.waitForOutput("it is on the channel again", within: Deadline.generous) {
            $0.standardError.lines.count { $0.contains("On the channel") } == 2
        }
        host.interrupt()
        try await host.expectExit(0)
        relay?.program.kill()
    }

    @Test(arguments: [
        (["host", "--event", "E", "--voice"], "nothing to offer"),
        (
            [
                "host", "--event", "E", "--voice", "--insecure", "--channel",
                "a:talk=event:hear=event",
            ], "no voices without encryption"
        ),
        (["host", "--event", "E", "--voice", "--channel", "a"], "needs --crew-code"),
        (["host", "--event", "E", "--voice", "--channel", "a b"], "--channel takes a name"),
        (["host", "--event", "E", "--voice", "--channel", "a:talk=me"], "of crew, event and host"),
        (
            [
                "host", "--event", "E", "--voice", "--channel", "a:talk=event:hear=event",
                "--channel", "a:talk=event:hear=event",
            ], "twice"
        ),
        (["host", "--event", "E", "--channel", "a"], "go with --voice"),
        (["host", "--event", "E", "--voice", "--floor", "-"], "goes with --input or --run"),
        (["host", "--event", "E", "--floor", "x"], "go with --voice"),
        (
            ["host", "--event", "E", "--voice", "--floor", "x", "--floor-rate", "9"],
            "--floor-rate takes"
        ),
        (["talk", "--mic", "none", "--speaker", "none"], "there is nothing to do"),
        (["talk", "--input", "x", "--mic", "a"], "--input and --mic exclude each other"),
        (["talk", "--output", "x", "--speaker", "a"], "--output and --speaker exclude"),
        (["talk", "--devices", "--try"], "--devices and --try exclude"),
        (["talk", "--json"], "--json goes with --devices"),
        (["talk", "--try", "--input", "x"], "--try is for a microphone"),
        (["talk", "--output", "-", "--until-eof"], "--until-eof goes with --input"),
        (["talk", "--output", "-", "--rate", "7999"], "--rate takes 8000 to 48000"),
        (["talk", "--output", "-", "--hear", "floor=loud"], "--hear takes"),
        (["talk", "--output", "-", "--control", "/dev/null"], "--control takes a named pipe"),
        (["listen", "--speaker", "none"], "without a loudspeaker"),
        (["listen", "--output", "-", "--insecure"], "no voices without encryption"),
    ])
    func wrongWords_endWithCode64(words: [String], why: String) async throws {
        let program = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        try await program.expectExit(64)
        #expect(program.standardErrorText.contains(why), "\(program.standardErrorText)")
    }

    @Test func unreadableInput_endsWithCode74_andUnwritableOutputToo() async throws {
        let room = try await open()
        for words in [
            ["talk", "--input", room.folder.path(of: "none.raw")],
            ["talk", "--output", room.folder.path],
        ] {
            let guest = try start(words, in: room)
            try await guest.expectExit(74)
        }
    }
}
