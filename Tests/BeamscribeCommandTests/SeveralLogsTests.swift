import Foundation
import TestSupport
import Testing

/// An event in which another machine captions, too, by `host --into`.
@Suite(.timeLimit(.minutes(3))) struct SeveralLogsTests {
    /// A writer in a room's event.
    private struct Writer {
        let program: RunningProgram
        let folder: TemporaryFolder

        init(
            in address: String, in folder: TemporaryFolder? = nil, into event: String = "Town Hall",
            _ options: String...
        ) throws {
            self.folder = try folder ?? TemporaryFolder()
            program = try RunningProgram(
                .beamscribe(
                    ["host", "--into", event, "--as", "Room 2", "--host", address, "--no-ble"]
                        + options, state: self.folder))
        }

        /// Waits until its lines are read.
        func isLetIn() async throws {
            try await program.waitForLine(containing: "Let in", on: .standardError)
        }
    }

    private func other(_ lines: [String]) -> [String] { lines.map { "[Room 2] \($0)" } }

    /// The lines of each log that a reader has printed, in the order in which they came.
    private func printed(by reader: RunningProgram) -> (main: [String], other: [String]) {
        let lines = reader.standardOutputLines
        return (
            lines.filter { !$0.hasPrefix("[Room 2] ") }, lines.filter { $0.hasPrefix("[Room 2] ") }
        )
    }

    @Test func readers_getBothLogs_alsoThroughARelay_andLate() async throws {
        let room = try await Room.open("--admit", "all")
        let relay = try await Holder.open(["relay"], of: room.address)
        let readers = [try await room.joined("--no-ble"), try relay.join()]
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await room.tell("one", "two")
        try await writer.program.write("uno\ndos\n")
        for reader in readers + [try room.join("--no-ble"), try relay.join()] {
            try await reader.waitForLines(4)
            let lines = printed(by: reader)
            #expect(lines.main == ["one", "two"] && lines.other == other(["uno", "dos"]))
        }
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        try await readers[0].waitForLine(containing: "has ended", on: .standardError)
    }

    /// The host reads 20 lines a second on average, and 1,200 at once.
    @Test func writer_isToldWhatDidNotGetThere_whereTheEventEndsBefore() async throws {
        let room = try await Room.open("--admit", "all", "--until-eof")
        let reader = try await room.joined("--no-ble")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        let many = (1...6_000).map { "line \($0)\n" }.joined()
        try await writer.program.write(many)
        try await reader.waitForLines(1)
        room.host.closeInput()
        try await writer.program.expectExit(75)
        try await reader.expectExit(0)
        let count = reader.standardOutputLines.count
        #expect(reader.standardOutputLines == other((1..<count + 1).map { "line \($0)" }))
        let why = "\"Town Hall\" has ended before lines \(count + 1) to "
        #expect(writer.program.standardErrorText.contains(why))
    }

    @Test(arguments: ["srt", "vtt"])
    func subtitlesOnAPipe_areOfTheHost_orOfTheLogThatIsAskedFor(format: String) async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble", "--format", format)
        let other = try await room.joined("--no-ble", "--format", format, "--log", "Room 2")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await room.tell("one")
        try await writer.program.write("uno\n")
        try await other.waitForLine(containing: "uno")
        #expect(!other.standardOutputText.contains("one"))
        try await reader.waitForLine(containing: "one")
        let left = "those of \"Room 2\" are not among them."
        try await reader.waitForLine(containing: left, on: .standardError)
        #expect(!reader.standardOutputText.contains("uno"))
        #expect(!other.standardErrorText.contains("not among them"))
        for program in [reader, other] { program.interrupt() }
        for program in [reader, other] { try await program.expectExit(0) }
    }

    @Test func jsonLines_tellTheLogsApart() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try room.join("--no-ble", "--format", "jsonl")
        let writer = try Writer(in: room.address, "--lang", "es")
        try await writer.isLetIn()
        try await room.tell("one")
        try await reader.waitForLine(containing: #""text":"one""#)
        try await writer.program.write("uno\n")
        let line = try await reader.waitForLine(containing: #""text":"uno""#)
        #expect(line.contains(#""log":"Room 2""#) && line.contains(#""at":2,"#))
        #expect(!line.contains(#""late""#))
        let log = try await reader.waitForLine(containing: #""type":"log""#)
        #expect(log.contains(#""state":"live""#) && log.contains(#""lang":"es""#))
    }

    // MARK: Translations

    /// A person who interprets says lines of his own, a program names those that it translates.
    @Test func translators_standForWhatIsSaid_forWhoReadsTheirLanguage() async throws {
        let room = try await Room.open("--admit", "all", "--lang", "en")
        let spanish = try await room.joined("--no-ble", "--lang", "es")
        let captions = try await room.joined("--no-ble")
        let interpreter = try Writer(in: room.address, "--lang", "es", "--of", "Floor")
        try await interpreter.isLetIn()
        let program = try Writer(
            in: room.address, "--as", "mt", "--lang", "de", "--of", "floor", "--input-format",
            "jsonl")
        try await program.isLetIn()
        try await interpreter.program.waitForLine(
            containing: #"Translating "Floor" as "Room 2""#, on: .standardError)
        let german = try await room.joined("--no-ble", "--lang", "de")
        try await room.tell("one", "two")
        try await captions.waitForLines(2)
        try await interpreter.program.write("uno y dos\n")
        try await program.program.write(
            #"{"text":"eins","of":1}"# + "\n" + #"{"text":"zwei","of":2}"# + "\n"
                + #"{"text":"zwo","of":2}"# + "\n" + #"{"text":"x","of":0}"# + "\n")
        try await program.program.waitForLine(
            containing:
                #"line 4 of the input is not usable: "of" has to be a whole number from 1 up"#,
            on: .standardError)
        try await spanish.waitForLines(1)
        try await german.waitForLines(3)
        #expect(spanish.standardOutputLines == ["[Room 2] uno y dos"])
        #expect(german.standardOutputLines == ["eins", "zwei", "zwo"])
        #expect(captions.standardOutputLines == ["one", "two"])
    }

    @Test func logThatIsNotThere_cannotBeTranslated() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try Writer(in: room.address, "--lang", "es", "--of", "Room 7")
        try await writer.program.expectExit(69)
        let error = writer.program.standardErrorLines.last
        #expect(
            error
                == "beamscribe: \"Town Hall\" has no log \"Room 7\" that could be translated; it has "
                + "Floor.")
    }

    /// What was said stays, and nothing more comes, also where the host lets in everybody.
    @Test func writerWhoIsRevoked_isOut_untilHeIsAdmittedAgain() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await writer.program.write("uno\n")
        try await reader.waitForLines(1)
        let record = try await room.host.waitForLine(
            containing: "captions in this event, too", on: .standardError)
        let key = try #require(record.firstMatch(of: /Its key: ([0-9a-f ]{19})/)?.1)
            .filter { $0 != " " }
        #expect(record.contains("\"Room 2\""))
        room.host.kill()
        try await room.host.waitForExit()

        let second = try await Room.resume(
            in: room.folder, "--admit", "all", "--revoke", key)
        try await writer.program.waitForLine(
            containing: "has put \"Room 2\" out of the event after line 1", on: .standardError)
        try await writer.program.write("dos\n")
        try await second.tell("one")
        let late = try await second.joined("--no-ble")
        for reader in [reader, late] {
            try await reader.waitForLines(2)
            let lines = printed(by: reader)
            #expect(lines.main == ["one"] && lines.other == other(["uno"]))
        }
        second.host.interrupt()
        try await second.host.expectExit(0)

        let third = try await Room.resume(in: room.folder, "--admit", key)
        try await writer.program.waitForLine(
            containing: "has let \"Room 2\" in again", on: .standardError)
        for reader in [reader, late] {
            try await reader.waitForLines(3)
            #expect(printed(by: reader).other == other(["uno", "dos"]))
        }
        third.host.stop()
    }

    /// A pipe without end, by mistake or in malice.
    @Test func writerOfTooManyLines_isReadMoreSlowly() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        for part in 0..<20 {
            let numbers = part * 500 + 1...part * 500 + 500
            try await writer.program.write(numbered(numbers).map { $0 + "\n" }.joined())
        }
        let told = try await room.host.waitForLine(
            containing: "more than 20 lines a second", on: .standardError)
        #expect(told.contains("\"Room 2\"") && told.contains("--revoke"))
        try await room.tell("one")
        try await reader.waitForLine { $0 == "one" }
        let lines = printed(by: reader).other
        #expect(lines == other(numbered(1...lines.count)) && lines.count < 10_000)
    }

    @Test func readers_chooseTheirLogs() async throws {
        let room = try await Room.open("--admit", "all")
        let folder = try TemporaryFolder()
        let command = "cat >> '\(folder.path(of: "said"))'; echo >> '\(folder.path(of: "said"))'"
        let chosen = try await room.joined("--no-ble", "--log", "room 2", "--exec", command)
        let floor = try await room.joined("--no-ble", "--log", "floor")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await room.tell("one")
        try await writer.program.write("uno\ndos\n")
        try await chosen.waitForLines(2)
        try await room.tell("two")
        try await floor.waitForLines(2)
        try await eventually("both lines to be said") {
            (try? folder.read("said").contains("dos")) == true
        }
        #expect(chosen.standardOutputLines == other(["uno", "dos"]))
        #expect(floor.standardOutputLines == ["one", "two"])
        let said = try folder.read("said").split(whereSeparator: \.isNewline)
        #expect(said == ["uno", "dos"])
    }

    @Test(arguments: [
        (["--log", " "], "--log"), (["--log", ""], "--log"),
    ])
    func choiceThatMakesNoSense_isRefused(_ words: [String], _ what: String) async throws {
        let guest = try RunningProgram(.beamscribe(["join"] + words, state: TemporaryFolder()))
        try await guest.expectExit(64)
        #expect(guest.standardErrorText.contains(what))
    }

    /// Commands, signs and services get what is shown, of each log.
    @Test func outputs_getAllLogs() async throws {
        let room = try await Room.open("--admit", "all")
        let service = try await CaptionServiceStandIn.start(.youtube)
        let folder = try TemporaryFolder()
        let command =
            "echo \"$BEAMSCRIBE_LOG $BEAMSCRIBE_SEQ $(cat)\" >> '\(folder.path(of: "said"))'"
        let sign = folder.path(of: "sign.txt")
        let all = try await room.joined(
            "--no-ble", "--exec", command, "--obs", sign, "--youtube", service.url())
        let alone = folder.path(of: "alone.txt")
        let one = try await room.joined("--no-ble", "--log", "Room 2", "--obs", alone)
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await room.tell("one")
        try await service.waitForTaken(["one"])
        try await writer.program.write("uno\n")
        try await service.waitForTaken(["one", "Room 2: uno"])
        try await eventually("all of it") {
            (try? folder.read("said")) == " 1 one\nRoom 2 1 uno\n"
                && text(sign) == "one\nRoom 2: uno" && text(alone) == "uno"
        }
        #expect(all.isRunning && one.isRunning)
    }

    // MARK: Files

    private func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    /// Killed and started again, and come late: each line of each log once.
    @Test(arguments: ["txt", "jsonl", "srt", "vtt"])
    func file_hasAllLogs(ending: String) async throws {
        let room = try await Room.open("--admit", "all", "--until-eof")
        let path = room.folder.path(of: "saved.\(ending)")
        let late = room.folder.path(of: "late.\(ending)")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        let first = try await room.joined("--no-ble", "--save", path)
        try await room.tell("one")
        try await first.waitForLines(1)
        try await writer.program.write("uno\n")
        try await first.waitForLines(2)
        try await eventually("both in the file") { text(path).contains("uno") }
        try await first.killed()
        try await room.tell("two")
        try await writer.program.write("dos\n")
        let second = try await room.joined("--no-ble", "--save", path)
        let other = try await room.joined("--no-ble", "--save", late)
        try await second.waitForLines(4)
        try await eventually("all in the files") {
            ["one", "uno", "two", "dos"].allSatisfy {
                text(path).contains($0) && text(late).contains($0)
            }
        }
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        room.host.closeInput()
        try await second.expectExit(0)
        try await other.expectExit(0)
        let said = text(path).matches(of: /\b(one|two|uno|dos)\b/).map { String($0.output.1) }
        #expect(said.sorted() == ["dos", "one", "two", "uno"] && said.first == "one")
        if ending == "txt" { #expect(text(path).contains("[Room 2] uno\n")) }
        if ending == "jsonl" { #expect(text(path).contains(#""log":"Room 2""#)) }
        if ending == "srt" { #expect(text(path).contains("\nRoom 2: uno\n")) }
        if ending == "vtt" { #expect(text(path).contains("<v Room 2>uno\n")) }
    }

    @Test func file_ofOneRoom_hasThatAlone() async throws {
        let room = try await Room.open("--admit", "all")
        let path = room.folder.path(of: "room.srt")
        let reader = try await room.joined("--no-ble", "--log", "Room 2", "--save", path)
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await room.tell("one")
        try await writer.program.write("uno\n")
        try await eventually("the line in the file") { text(path).contains("uno") }
        #expect(text(path).hasPrefix("1\n00:00:00,000 --> ") && text(path).hasSuffix("\nuno\n\n"))
        #expect(!text(path).contains("one") && reader.isRunning)
    }

    /// Its program is killed, and the same command given again.
    @Test func writerWhoIsKilled_goesOn_byTheSameCommand() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let first = try Writer(in: room.address)
        try await first.isLetIn()
        try await first.program.write("uno\n")
        try await reader.waitForLines(1)
        try await first.program.killed()
        let second = try Writer(in: room.address, in: first.folder)
        try await second.program.waitForLine(containing: "Going on in session", on: .standardError)
        try await second.program.write("dos\n")
        try await reader.waitForLines(2)
        #expect(printed(by: reader).other == other(["uno", "dos"]))
        let late = try room.join("--no-ble")
        try await late.waitForLines(2)
        #expect(printed(by: late).other == other(["uno", "dos"]))
    }

    /// The host is killed; what is said meanwhile is there once it is back, also with its newcomers.
    @Test func writer_goesOn_whenTheHostIsKilled_andWhenItIsBack() async throws {
        let first = try await Room.open("--admit", "all")
        let reader = try await first.joined("--no-ble")
        let writer = try Writer(in: first.address)
        try await writer.isLetIn()
        try await first.tell("one")
        try await writer.program.write("uno\n")
        try await reader.waitForLines(2)
        try await first.host.killed()
        try await writer.program.write("dos\n")
        // Whom it had let in needs nobody's leave.
        let second = try await Room.resume(in: first.folder)
        try await writer.program.waitForLine(containing: "is read again", on: .standardError)
        try await second.tell("two")
        try await reader.waitForLines(4)
        let lines = printed(by: reader)
        #expect(lines.main == ["one", "two"] && lines.other == other(["uno", "dos"]))
        let late = try second.join("--no-ble")
        try await late.waitForLines(4)
        #expect(printed(by: late) == lines)
    }

    // MARK: Who is let in

    @Test func writerWhoIsNotLetIn_keepsHisCaptions_andIsToldSo() async throws {
        let room = try await Room.open()
        let writer = try Writer(in: room.address, "--until-eof")
        try await writer.program.write("uno\n")
        writer.program.closeInput()
        let asked = try await room.host.waitForLine(
            containing: "wants to caption \"Room 2\"", on: .standardError)
        #expect(asked.contains("--admit"))
        try await writer.program.expectExit(77)
        try await writer.program.waitForLine(containing: "did not let", on: .standardError)
        let sessions = try RunningProgram(.beamscribe(["sessions"], state: writer.folder))
        #expect(try await sessions.waitForLines(2)[1].contains("Town Hall (Room 2)"))
        let reader = try room.join("--no-ble")
        try await room.tell("one")
        #expect(try await reader.waitForLines(1) == ["one"])
    }

    /// The key that the host's operator is shown is the one that lets in, and no other.
    @Test func writer_isLetIn_byItsKey() async throws {
        let room = try await Room.open()
        let asking = try Writer(in: room.address)
        let asked = try await room.host.waitForLine(
            containing: "wants to caption", on: .standardError)
        let digits = try #require(asked.firstMatch(of: /Key ([0-9a-f ]{19})/)?.1)
        asking.program.interrupt()
        try await asking.program.expectExit(77)
        room.host.interrupt()
        try await room.host.expectExit(0)
        let admitting = try await Room.resume(
            in: room.folder, "--admit", digits.filter { $0 != " " })
        let known = try Writer(in: admitting.address, in: asking.folder)
        try await known.isLetIn()
        let stranger = try Writer(in: admitting.address)
        try await admitting.host.waitForLine(containing: "wants to caption", on: .standardError)
        stranger.program.interrupt()
        try await stranger.program.expectExit(77)
    }

    // MARK: What cannot be

    @Test func eventThatIsNotSigned_takesNoWriter() async throws {
        let room = try await Room.open("--insecure")
        let writer = try Writer(in: room.address)
        try await writer.program.expectExit(76)
        try await writer.program.waitForLine(containing: "is not signed", on: .standardError)
    }

    @Test func eventOfAnotherName_isLeft() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try Writer(in: room.address, into: "Lecture")
        try await writer.program.expectExit(77)
        try await writer.program.waitForLine(containing: "not \"Lecture\"", on: .standardError)
    }

    @Test(arguments: [
        ["--into", "Town Hall"], ["--as", "Room 2"], ["--into", "Town Hall", "--as", " "],
        ["--into", "Town Hall", "--as", "Room 2", "--event", "Room"],
        ["--into", "Town Hall", "--as", "Room 2", "--web"],
        ["--into", "Town Hall", "--as", "Room 2", "--admit", "all"],
        ["--into", "Town Hall", "--as", "Room 2", "--host", "a b"],
        ["--into", "Town Hall", "--as", "Room 2", "--of", "floor"],
        ["--into", "Town Hall", "--as", "es", "--lang", "es", "--of", "ES"],
        ["--into", "Town Hall", "--as", "es", "--lang", "es", "--of", " "],
        [
            "--into", "Town Hall", "--as", "es", "--lang", "es", "--of", "floor", "--translate",
            "fr=cat",
        ],
        ["--standby", "Town Hall", "--lang", "es", "--of", "floor"],
        ["--event", "Room", "--lang", "es", "--of", "floor"],
        ["--event", "Room", "--admit", "1234"],
    ])
    func wordsThatDoNotFit_areRefused(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        let program = try RunningProgram(.beamscribe(["host"] + words, state: folder))
        try await program.expectExit(64)
        #expect(program.standardOutputText == "")
    }

    /// A log of somebody else's event is no event to be hosted.
    @Test func sessionOfAWriter_isNotResumedAsAnEvent() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try Writer(in: room.address)
        try await writer.isLetIn()
        try await writer.program.write("uno\n")
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        let hosting = try RunningProgram(
            .beamscribe(
                ["host", "--resume", "last", "--no-ble", "--no-bonjour"], state: writer.folder))
        try await hosting.expectExit(65)
    }
}
