import Foundation
import TestSupport
import Testing

/// `host --caption-voice`: what is said becomes captions, by a recogniser for each talker.
///
/// They run one after the other. All their talkers together would take two processors whole, since
/// sound goes before all else where the system allows that.
@Suite(.serialized) struct CaptionVoiceTests {
    private static let code = Room.crewCode
    private static let recogniser =
        "exec python3 "
        + Repository.path(of: "Tests/BeamscribeCommandTests/Fixtures/hears-tones.py")

    private func open(_ options: String..., code: String? = code) async throws -> Room {
        try await Room.withVoices(options, code: code)
    }

    private func talk(_ room: Room, _ options: String...) throws -> RunningProgram {
        var launch = Launch.beamscribe(
            ["talk", "--host", room.address, "--input"] + options, state: try TemporaryFolder())
        launch.environment["BEAMSCRIBE_CREW_CODE"] = Self.code
        return try RunningProgram(launch)
    }

    private func output(_ words: String..., in room: Room) async throws -> String {
        let program = try RunningProgram(.beamscribe(words, state: room.folder))
        try await program.expectExit(0)
        return program.standardOutputText
    }

    /// Tones of half a second, one each 2 s.
    private func tones(_ count: Int, in folder: TemporaryFolder, rate: Int = 48_000) throws
        -> String
    {
        let samples = SoundSamples.voice(seconds: count * 2, rate: rate, tone: 0.5, every: 2)
        let path = folder.path(of: "tones.raw")
        try samples.write(to: URL(filePath: path))
        return path
    }

    private struct Line: Decodable, Equatable {
        var type: String
        var text: String?
        var speaker: String?
        var log: String?
    }

    private func lines(_ guest: RunningProgram, _ type: String = "line") -> [Line] {
        guest.standardOutputLines
            .compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
            .filter { $0.type == type }
    }

    private func has(
        _ guest: RunningProgram, _ what: String, _ isThere: @escaping ([Line]) -> Bool
    ) async throws {
        try await eventually(what) { isThere(lines(guest)) }
    }

    /// The recogniser that has said a line; nil where that was cut off.
    private func recogniser(of line: Line) -> Int32? {
        line.text?.split(separator: " ").last.flatMap { Int32($0) }
    }

    private func isAlive(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test func whatIsSaid_isReadUnderTheTalkersName_toHisLastWord() async throws {
        let folder = try TemporaryFolder()
        let go = folder.path(of: "go")
        let room = try await open("--caption-voice", "crew=\(Self.recogniser) \(go)")
        let guest = try await room.joined("--format", "jsonl")
        let talker = try talk(room, try tones(2, in: room.folder), "--until-eof")
        func begun() -> [Line] {
            lines(guest, "partial").filter { $0.text == "sound 1 begins" }
        }
        try await eventually("the open line is read") { !begun().isEmpty }
        try Data().write(to: URL(filePath: go))
        try await talker.expectExit(0)
        try await has(guest, "his last words") { $0.count == 3 }
        let said = lines(guest)
        let process = try #require(recogniser(of: said[0]))
        #expect(
            said.map(\.text) == [
                "sound 1 of \(process)", "sound 2 of \(process)", "all heard by \(process)",
            ])
        let name = try #require(said[0].speaker)
        #expect(!name.isEmpty && said.allSatisfy { $0.speaker == name })
        #expect(begun().allSatisfy { $0.speaker == name && $0.log == name })
        try await eventually("the recogniser has gone") { !isAlive(process) }
        #expect(room.host.standardErrorText.contains("What \(name) says on crew becomes captions."))
        room.host.interrupt()
        try await room.host.expectExit(0)
    }

    /// Readers see all of them together, each line with its speaker's name once, or one alone.
    @Test func eachTalker_hasALogOfTheEvent_thatGoesOnWithIt() async throws {
        let options = ["--caption-voice", "crew=\(Self.recogniser)"]
        let room = try await Room.withVoices(options)
        let guest = try await room.joined()
        let path = try tones(1, in: room.folder)
        for name in ["Ann", "Bob"] {
            try await talk(room, path, "--until-eof", "--name", name).expectExit(0)
        }
        // Each has two lines: what is heard, and the recogniser's last word.
        let printed = try await guest.waitForLines(4)
        #expect(printed.count { $0.hasPrefix("Ann: ") } == 2, "\(printed)")
        #expect(printed.count { $0.hasPrefix("Bob: ") } == 2, "\(printed)")
        let ann = try await room.joined("--log", "Ann")
        #expect(try await ann.waitForLines(2).allSatisfy { $0.hasPrefix("Ann: ") })
        try await room.host.killed()
        let again = try await Room.withVoices(
            ["--caption-voice", "crew=\(Self.recogniser)"], in: room.folder)
        try await again.host.waitForLine(containing: "after 4 lines", on: .standardError)
        try await talk(again, path, "--until-eof", "--name", "Ann").expectExit(0)
        let late = try await again.joined("--log", "Ann")
        #expect(try await late.waitForLines(4).allSatisfy { $0.hasPrefix("Ann: ") })
        again.host.interrupt()
        try await again.host.expectExit(0)
        #expect(again.host.standardErrorText.contains("Stopped after 6 lines"))
        let exported = try await output("export", "last", in: again)
        let lines = exported.split(separator: "\n")
        #expect(
            lines.count == 6 && lines.allSatisfy { $0.hasPrefix("Ann: ") || $0.hasPrefix("Bob: ") })
        let sessions = try await output("sessions", "--json", in: again)
        for label in ["Ann", "Bob"] {
            #expect(sessions.split(separator: "\"label\":\"\(label)\"").count == 2, "\(sessions)")
        }
        _ = try await output("sessions", "delete", "last", "--yes", in: again)
        #expect(try await output("sessions", "--json", in: again) == "")
    }

    /// An event all of whose words are in such logs is one with words, for who comes late, too.
    @Test func lateReader_getsWhatWasSaid_onceTheEventIsOver() async throws {
        let room = try await open(
            "--caption-voice", "crew=\(Self.recogniser)", "--until-eof", "--linger", "60")
        let guest = try await room.joined()
        try await talk(room, try tones(1, in: room.folder), "--until-eof", "--name", "Ann")
            .expectExit(0)
        try await guest.waitForLines(2)
        room.host.closeInput()
        try await room.host.waitForLine(containing: "stays for 60 s", on: .standardError)
        try await guest.expectExit(0)
        let late = try room.join()
        try await late.expectExit(0)
        let printed = late.standardOutputLines
        #expect(printed.count == 2 && printed.allSatisfy { $0.hasPrefix("Ann: ") }, "\(printed)")
        room.host.interrupt()
        try await room.host.expectExit(0)
    }

    /// A recogniser that takes its time for a talker's last words is waited for; whoever comes then has them once.
    @Test func lastWords_areInTheEvent_thatEndsBeforeThem() async throws {
        let recogniser = "cat > /dev/null; sleep 1; echo last words"
        let room = try await open(
            "--caption-voice", "crew=\(recogniser)", "--until-eof", "--linger", "60")
        let relay = try await Holder.open(["relay"], of: room.address)
        let far = try relay.join()
        try await far.waitForLine(containing: "Joined", on: .standardError)
        try await talk(room, try tones(1, in: room.folder), "--until-eof", "--name", "Ann")
            .expectExit(0)
        room.host.closeInput()
        try await room.host.waitForLine(containing: "stays for 60 s", on: .standardError)
        let late = try room.join()
        for reader in [late, far] {
            try await reader.expectExit(0)
            #expect(reader.standardOutputLines == ["Ann: last words"])
        }
        try await relay.program.expectExit(0)
        room.host.interrupt()
        try await room.host.expectExit(0)
        #expect(try await output("export", "last", in: room) == "Ann: last words\n")
    }

    /// Who translates reads the main log.
    @Test func talkersWords_areInTheMainLog_ofAnEventThatIsTranslated() async throws {
        let room = try await open(
            "--caption-voice", "crew=\(Self.recogniser)", "--lang", "en", "--translate",
            "de=while read -r line; do echo \"DE $line\"; done")
        let guest = try await room.joined("--lang", "de")
        try await talk(room, try tones(1, in: room.folder), "--until-eof", "--name", "Ann")
            .expectExit(0)
        let printed = try await guest.waitForLines(2)
        #expect(printed.allSatisfy { $0.hasPrefix("Ann: DE ") }, "\(printed)")
        #expect(!(try await output("sessions", in: room)).contains("(Ann)"))
    }

    @Test func recogniserThatIsKilled_isStartedAgain_andAllEndWithTheHost() async throws {
        let room = try await open(
            "--channel", "all:talk=event:hear=event", "--caption-voice", "crew=\(Self.recogniser)",
            "--caption-voice", "all=\(Self.recogniser)")
        let guest = try await room.joined("--format", "jsonl")
        let path = try tones(60, in: room.folder)
        let talker = try talk(room, path)
        let other = try talk(room, path, "--channel", "all")
        func processes() -> Set<Int32> {
            Set(lines(guest).compactMap { recogniser(of: $0) })
        }
        try await eventually("both are heard") { processes().count == 2 }
        let first = processes()
        try #require(kill(#require(first.first), SIGKILL) == 0)
        try await room.host.waitForLine(
            containing: "is started again in 1 s", on: .standardError)
        try await eventually("it listens again") { processes().count == 3 }
        // Whoever ends without a word leaves no recogniser behind.
        other.kill()
        room.host.interrupt()
        try await room.host.expectExit(0)
        try await eventually("all recognisers have gone") { !processes().contains(where: isAlive) }
        talker.interrupt()
    }

    /// He is told himself, and again once he is listened to.
    @Test func fifthTalker_isToldThatHeBecomesNoCaptions() async throws {
        let room = try await open("--caption-voice", "crew=\(Self.recogniser)")
        var four: [RunningProgram] = []
        for number in 1...4 {
            let talker = try talk(room, "/dev/zero", "--name", "person \(number)")
            try await talker.waitForLine(
                containing: "What you say becomes captions.", on: .standardError)
            four.append(talker)
        }
        let fifth = try talk(room, "/dev/zero", "--name", "Eve")
        try await fifth.waitForLine(
            containing: "What you say becomes no captions: as many", on: .standardError)
        four[0].interrupt()
        try await four[0].expectExit(0)
        try await fifth.waitForLine(
            containing: "What you say becomes captions.", on: .standardError)
        for talker in four + [fifth] { talker.interrupt() }
        try await fifth.expectExit(0)
    }

    @Test func floor_becomesCaptions_underTheHostsName() async throws {
        let folder = try TemporaryFolder()
        let room = try await open(
            "--floor", try tones(1, in: folder), "--name", "Stage", "--caption-voice",
            "floor=\(Self.recogniser)", code: nil)
        let guest = try await room.joined("--format", "jsonl")
        try await has(guest, "the floor") { $0.contains { $0.text?.hasPrefix("sound 1") == true } }
        #expect(lines(guest)[0].speaker == "Stage")
    }

    @Test func commandThatIsNotThere_isTold_andCaptionsGoOn() async throws {
        let room = try await open("--caption-voice", "crew=nowhere-to-be-found -")
        let guest = try await room.joined("--format", "jsonl")
        let talker = try talk(room, "/dev/zero")
        let told = try await room.host.waitForLine(
            containing: "The command of --caption-voice crew cannot be run", on: .standardError)
        #expect(told.contains("nowhere-to-be-found"))
        try await room.tell("typed")
        try await has(guest, "a line") { $0.map(\.text) == ["typed"] }
        talker.interrupt()
        try await talker.expectExit(0)
    }

    @Test(arguments: [
        (["--voice", "--crew-code", "--caption-voice", "crew"], "takes a channel and a command"),
        (["--voice", "--crew-code", "--caption-voice", "crew= "], "takes a channel and a command"),
        (["--voice", "--crew-code", "--caption-voice", "=cat"], "takes a channel and a command"),
        (
            ["--voice", "--crew-code", "--caption-voice", "floor=cat"],
            "floor is no channel of this host: there is crew."
        ),
        (
            ["--voice", "--floor", "x", "--caption-voice", "crew=cat"],
            "crew is no channel of this host: there is floor."
        ),
        (
            [
                "--voice", "--crew-code", "--caption-voice", "crew=a", "--caption-voice", "crew=b",
            ], "--caption-voice crew is given twice"
        ),
        (["--caption-voice", "crew=cat"], "go with --voice"),
    ])
    func wrongWords_endWithCode64(words: [String], why: String) async throws {
        let program = try RunningProgram(
            .beamscribe(["host", "--event", "E"] + words, state: try TemporaryFolder()))
        try await program.expectExit(64)
        #expect(program.standardErrorText.contains(why), "\(program.standardErrorText)")
    }
}
