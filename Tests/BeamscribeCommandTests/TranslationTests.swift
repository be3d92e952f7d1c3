import Foundation
import Glibc
import TestSupport
import Testing

/// `host --translate`: what is said, in other languages, too.
@Suite struct TranslationTests {
    /// A translator that answers at once, to each of its lines.
    private static let shouting = "while read -r line; do echo \"DE $line\"; done"

    private func open(_ options: String..., by translator: String = shouting) async throws -> Room {
        try await Room.open(["--lang", "en", "--translate", "de=\(translator)"] + options)
    }

    @Test func readers_chooseTheirLanguage() async throws {
        let room = try await open("--until-eof", "--input-format", "jsonl")
        let guests = (
            all: try await room.joined("--format", "jsonl", "--log", "all"),
            german: try await room.joined("--lang", "de"),
            english: try await room.joined("--lang", "en"),
            any: try await room.joined(),
            both: try await room.joined("--log", "floor", "--log", "de")
        )
        try await room.tell(#"{"text":"Good morning","speaker":"Ann"}"#, #"{"text":"Welcome"}"#)
        room.host.closeInput()
        for guest in [guests.all, guests.german, guests.english, guests.any, guests.both] {
            try await guest.expectExit(0)
        }
        #expect(guests.german.standardOutputLines == ["Ann: DE Good morning", "DE Welcome"])
        for guest in [guests.english, guests.any] {
            #expect(guest.standardOutputLines == ["Ann: Good morning", "Welcome"])
        }
        #expect(
            guests.both.standardOutputLines.sorted() == [
                "Ann: Good morning", "Welcome", "[de] Ann: DE Good morning", "[de] DE Welcome",
            ])
        let main = try #require(guests.all.standardOutputText.firstMatch(of: /"session":"(.+?)"/))
        let log = try #require(
            guests.all.standardOutputLines.first { $0.contains(#""type":"log""#) })
        #expect(log.contains(#""kind":"translation""#) && log.contains(#""of":"\#(main.1)""#))
        let ofs = guests.all.standardOutputText.matches(of: /"of":(\d+)/).map {
            String($0.output.1)
        }
        #expect(ofs == ["1", "2"])
        let said = room.host.standardErrorText
        #expect(said.contains("ended after 2 lines") && !said.contains("translation"), "\(said)")
        let exported = try await run(["export", "last", "--lang", "de"], in: room.folder)
        #expect(exported == "Ann: DE Good morning\nDE Welcome\n")
        // What is meant is the event, and its translation goes with it.
        #expect(
            try await run(["export", "last"], in: room.folder) == "Ann: Good morning\nWelcome\n")
        room.host.interrupt()
        try await room.host.expectExit(0)
        _ = try await run(["sessions", "delete", "last", "--yes"], in: room.folder)
        #expect(try await run(["sessions", "--json"], in: room.folder) == "")
    }

    /// The host is killed and goes on, and readers are with a relay.
    @Test func everyTranslation_isThereOnce_throughARelay_andADeath() async throws {
        let options = ["--lang", "en", "--translate", "de=\(Self.shouting)"]
        let first = try await Room.open(options)
        let relay = try await Holder.open(["relay"], of: first.address)
        let reader = try relay.join("--lang", "de")
        try await first.tell("one", "two")
        try await reader.waitForLines(2)
        try await first.host.killed()
        let second = try await Room.resume(
            in: first.folder, "--lang", "en", "--translate", "de=\(Self.shouting)")
        try await second.tell("three")
        try await reader.waitForLines(3)
        let wanted = ["DE one", "DE two", "DE three"]
        #expect(reader.standardOutputLines == wanted)
        for late in [try relay.join("--lang", "de"), try second.join("--no-ble", "--lang", "de")] {
            #expect(try await late.waitForLines(3) == wanted)
        }
        let sessions = try await run(["sessions", "--json"], in: first.folder)
        #expect(sessions.matches(of: /"label":"de"/).count == 1)
    }

    /// Files, commands and subtitles get a translation under the numbers of what it translates.
    @Test func outputs_getTheLanguage_thatIsAskedFor() async throws {
        let room = try await open("--until-eof")
        let folder = try TemporaryFolder()
        let said = folder.path(of: "said")
        let guest = try await room.joined(
            "--lang", "de", "--format", "srt", "--save", folder.path(of: "all.txt"), "--exec",
            "read -r line; echo \"$BEAMSCRIBE_SEQ $line\" >> '\(said)'")
        try await room.tell("one", "two")
        try await guest.waitForLine(containing: "DE two")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(try folder.read("all.txt") == "DE one\nDE two\n")
        #expect(try folder.read("said") == "1 DE one\n2 DE two\n")
        #expect(guest.standardOutputLines.contains("DE one"))
    }

    /// Where nothing is signed there is one log, which has all lines.
    @Test func translations_areAmongTheLines_ofAnEventThatIsNotSigned() async throws {
        let room = try await open("--insecure")
        let guest = try await room.joined("--insecure")
        try await room.tell("one")
        #expect(try await guest.waitForLines(2) == ["one", "DE one"])
    }

    /// What was not translated when the host was killed is when it goes on, and nothing twice.
    @Test func everyLine_isTranslatedOnce_throughDeaths() async throws {
        let folder = try TemporaryFolder()
        // It dies at each third line that it is given, and the host with one of them.
        let dying =
            "n=0; while read -r line; do n=$((n+1)); [ $n = 3 ] && kill -KILL $$; "
            + "echo \"DE $line\"; done"
        let options = ["--lang", "en", "--translate", "de=\(dying)"] + Room.quiet(port: 0)
        let first = try RunningProgram(
            .beamscribe(["host", "--event", "X"] + options, state: folder))
        try await first.write((1...4).map { "line \($0)\n" }.joined())
        try await first.waitForLine(containing: "was ended by signal 9", on: .standardError)
        first.signal(SIGKILL)
        try await first.waitForExit()
        let second = try RunningProgram(
            .beamscribe(["host", "--resume", "last"] + options, state: folder))
        let guest = try RunningProgram(
            .beamscribe(
                ["join", "--host", "127.0.0.1:\(try await Room.port(of: second))", "--lang", "de"],
                state: folder))
        #expect(try await guest.waitForLines(4) == (1...4).map { "DE line \($0)" })
        second.signal(SIGINT)
        try await second.expectExit(0)
    }

    @Test func captionsGoOn_withoutATranslator() async throws {
        let room = try await open(by: "no-such-translator --to de")
        let guest = try await room.joined()
        try await room.host.waitForLine(containing: "cannot be run", on: .standardError)
        try await room.tell("one")
        #expect(try await guest.waitForLines(1) == ["one"])
        let said = room.host.standardErrorText
        #expect(said.contains("--translate de") && said.contains("captions go on"))
    }

    @Test func withdrawnLine_isWithdrawnInBoth() async throws {
        let room = try await open("--input-format", "jsonl", "--until-eof")
        let guest = try await room.joined("--format", "jsonl", "--lang", "de")
        try await room.tell(#"{"text":"one"}"#)
        try await guest.waitForLine(containing: "DE one")
        try await room.tell(#"{"text":"two","replaces":1}"#)
        try await guest.waitForLine(containing: "DE two")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(try await run(["export", "last"], in: room.folder) == "two\n")
        let german = ["export", "last", "--log", "de"]
        #expect(try await run(german, in: room.folder) == "DE two\n")
    }

    @Test(arguments: [
        (["--translate", "de"], "takes a language and a command"),
        (["--translate", "=x"], "takes a language and a command"),
        (["--translate", "de= "], "takes a language and a command"),
        (["--translate", "de_DE=x"], "takes a language and a command"),
        (["--translate", "de=x", "--translate", "DE=y", "--lang", "en"], "given twice"),
        (["--translate", "en=x", "--lang", "en"], "nothing is to be translated"),
        (["--translate", "de=x"], "needs --lang"),
    ])
    func host_explainsItself(options: [String], sentence: String) async throws {
        let host = try RunningProgram(
            .beamscribe(["host", "--event", "X"] + options, state: try TemporaryFolder()))
        try await host.expectExit(64)
        #expect(host.standardErrorText.contains(sentence))
    }

    private func run(_ words: [String], in folder: TemporaryFolder) async throws -> String {
        let program = try RunningProgram(.beamscribe(words, state: folder))
        try await program.expectExit(0)
        return program.standardOutputText
    }
}
