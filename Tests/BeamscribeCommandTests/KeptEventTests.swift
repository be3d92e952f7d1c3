import Foundation
import TestSupport
import Testing

/// An event that those who serve it have on their disks, too.
@Suite(.timeLimit(.minutes(3))) struct KeptEventTests {
    private func relay(
        _ room: Room, in folder: TemporaryFolder, _ options: String..., code: String? = nil
    ) async throws -> Holder {
        try await Holder.open(
            ["relay", "--keep"] + options, of: room.address, in: folder, code: code)
    }

    /// Waits until a reader there has the lines, so that the holder has them on its disk. What that has
    /// shown itself need not be there yet.
    private func reach(_ count: Int, through holder: Holder) async throws {
        let reader = try holder.join()
        try await reader.waitForLines(count)
        reader.interrupt()
        try await reader.expectExit(0)
    }

    // MARK: Going on

    @Test func relayAlone_servesWhatItKept_whenBothWereKilled_andAllGoOn() async throws {
        let first = try await Room.open()
        let folder = try TemporaryFolder()
        try await first.tell(numbered(1...50))
        let relay = try await relay(first, in: folder)
        try await reach(50, through: relay)
        try await RunningProgram.kill([first.host, relay.program])

        let again = try await self.relay(first, in: folder)
        #expect(again.program.standardErrorText.contains("Going on with \"Town Hall\" on "))
        #expect(again.program.standardErrorText.contains("(50 lines)"))
        #expect(again.program.standardErrorText.contains("Looking for its host"))
        let late = try again.join()
        #expect(try await late.waitForLines(50) == numbered(1...50))

        // Nobody was joined, least of all by way of itself.
        #expect(!again.program.standardErrorText.contains("Joined"))

        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.tell(numbered(51...60))
        #expect(try await late.waitForLines(60) == numbered(1...60))
        try await again.program.waitForLine(containing: "Joined \"Town Hall\"", on: .standardError)
        #expect(!again.program.standardErrorText.contains("host lost"))
        second.host.closeInput()
        for program in [second.host, late, again.program] { try await program.expectExit(0) }
        #expect(try SessionFolder(folder).texts() == numbered(1...60))
        let listed = try await StoredSessions(in: folder).listed()
        #expect(listed.first?["state"] as? String == "ended")
    }

    /// Whatever it was at: what it has is whole, and what it lacks comes again.
    @Test func relay_lacksNothing_whereverItIsKilled() async throws {
        let room = try await Room.open("--until-eof")
        let folder = try TemporaryFolder()
        var told = 0
        for round in 1...6 {
            let relay = try await relay(room, in: folder)
            let log = try SessionFolder(folder).log()
            let before = size(log)
            try await room.tell(numbered((told + 1)...(told + 400)))
            told += 400
            try await eventually("lines come") { size(log) > before + 40 * round * round }
            try await relay.kill()
        }
        let relay = try await relay(room, in: folder)
        let reader = try relay.join()
        try await reader.waitForLines(told)
        room.host.closeInput()
        for program in [room.host, reader, relay.program] { try await program.expectExit(0) }
        #expect(reader.standardOutputLines == numbered(1...told))
        #expect(try SessionFolder(folder).texts() == numbered(1...told))
    }

    private func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
    }

    /// Who reads where it is kept sees what was kept, and each line once.
    @Test func reader_seesWhatItKept_andWhatIsNew() async throws {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        try await room.tell(numbered(1...5))
        let words = ["join", "--serve", "--keep"]
        let first = try await Holder.open(words, of: room.address, in: folder)
        try await first.program.waitForLines(5)
        try await reach(5, through: first)
        try await first.kill()
        try await room.tell(numbered(6...8))
        let again = try await Holder.open(words, of: room.address, in: folder)
        #expect(try await again.program.waitForLines(8) == numbered(1...8))
        try await reach(8, through: again)
        try await room.host.killed()
        try await again.kill()
        let alone = try await Holder.open(words, of: room.address, in: folder)
        #expect(try await alone.program.waitForLines(8) == numbered(1...8))
        let reader = try alone.join()
        #expect(try await reader.waitForLines(8) == numbered(1...8))
    }

    /// To a program, too: what was kept is told as that, and a host as joined once it has answered.
    @Test func json_saysKept_untilSomebodyAnswers() async throws {
        let first = try await Room.open()
        let folder = try TemporaryFolder()
        try await first.tell(numbered(1...2))
        let words = ["join", "--serve", "--keep", "--format", "jsonl"]
        let reader = try await Holder.open(words, of: first.address, in: folder)
        try await reach(2, through: reader)
        try await RunningProgram.kill([first.host, reader.program])

        let again = try await Holder.open(words, of: first.address, in: folder)
        let kept = try await again.program.waitForLine(containing: #""type":"kept""#)
        #expect(kept.contains(#""eventName":"Town Hall""#) && kept.contains(#""history":2,"#))
        try await again.program.waitForLine(containing: #""seq":2,"#)
        #expect(!again.program.standardOutputText.contains(#""type":"joined""#))
        let second = try await Room.resume(in: first.folder)
        let joined = try await again.program.waitForLine(containing: #""type":"joined""#)
        #expect(!joined.contains(#""via""#))
        #expect(!again.program.standardOutputText.contains(#""state":"reconnecting""#))
        second.host.kill()
    }

    @Test func relayByName_servesWhatItKept_whereNobodyIsThere() async throws {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        try await room.tell(numbered(1...3))
        let relay = try await relay(room, in: folder)
        try await reach(3, through: relay)
        try await RunningProgram.kill([room.host, relay.program])
        for words in [["relay", "town", "--keep"], ["relay", "--keep-for", "30d"]] {
            let alone = try await Holder.open(words, of: nil, in: folder)
            let reader = try alone.join()
            #expect(try await reader.waitForLines(3) == numbered(1...3))
            try await alone.kill()
        }
    }

    @Test func codeIsAskedFor_whereTheEventHadOne() async throws {
        let code = "4821-7730"
        let room = try await Room.open(code: code)
        try await room.tell("one")
        let folder = try TemporaryFolder()
        let relay = try await relay(room, in: folder, code: code)
        let reader = try relay.join(code: code)
        try await reader.waitForLines(1)
        try await RunningProgram.kill([room.host, relay.program])
        let again = try await self.relay(room, in: folder, code: code)
        let without = try again.join()
        try await without.expectExit(77)
        let late = try again.join(code: code)
        #expect(try await late.waitForLines(1) == ["one"] && without.standardOutputText == "")
    }

    // MARK: Whose it is

    /// An event that is only held here, whose host and whose relay have gone.
    private func heldEvent() async throws -> (StoredSessions, id: String) {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        try await room.tell(numbered(1...3))
        let relay = try await relay(room, in: folder)
        try await reach(3, through: relay)
        relay.program.interrupt()
        try await relay.program.expectExit(0)
        let sessions = StoredSessions(in: folder)
        return (sessions, try #require(sessions.ids().first))
    }

    @Test func heldEvent_isListedAndExported_andNobodyElsesToGoOnWithOrToEnd() async throws {
        let (sessions, id) = try await heldEvent()
        let listed = try #require(await sessions.listed().first)
        #expect(listed["held"] as? Bool == true && listed["state"] as? String == "stopped")
        #expect(listed["lines"] as? Int == 3)
        let table = try await sessions.run("sessions")
        #expect(table.standardOutputText.contains("Town Hall (held for "))
        #expect(try await sessions.export() == "line 1\nline 2\nline 3\n")
        let log = sessions.log(of: id)
        let before = try Data(contentsOf: URL(fileURLWithPath: log))
        for words in [["host", "--resume", id], ["sessions", "end", id]] {
            let refused = try await run(words, in: sessions.folder, exit: 73)
            #expect(refused.standardErrorLines.count == 1)
            #expect(refused.standardErrorText.contains("is only held here"))
        }
        for words in [["host", "--resume", "last"], ["sessions", "end", "last"]] {
            let refused = try await run(words, in: sessions.folder, exit: 65)
            #expect(refused.standardErrorText.contains("there is no session"))
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: log)) == before)
        try await sessions.run("sessions", "delete", id, "--yes")
        #expect(try sessions.ids().isEmpty)
    }

    private func run(
        _ words: [String], in folder: TemporaryFolder, exit code: Int32
    ) async throws -> RunningProgram {
        var launch = Launch.beamscribe(words, state: folder)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.expectExit(code)
        return program
    }

    /// The same command goes on with an event of one's own, and never with another's.
    @Test func host_beginsItsOwnEvent_whereOneOfItsNameIsHeld() async throws {
        let (sessions, id) = try await heldEvent()
        let words = ["host", "--event", "Town Hall", "--until-eof"] + Room.quiet(port: 0)
        let host = try await run(words, in: sessions.folder, exit: 0)
        #expect(!host.standardErrorText.contains("going on"))
        #expect(try sessions.ids().count == 2 && sessions.ids().contains(id))
    }

    @Test func eventOfThisMachine_isHeldInMemoryOnly() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let holder = try await Holder.open(
            ["join", "--serve", "--keep"], of: room.address, in: room.folder)
        try await holder.program.waitForLine(
            containing: "hosts the event itself", on: .standardError)
        #expect(try SessionFolder(room.folder).texts() == ["one"])
        let reader = try holder.join()
        #expect(try await reader.waitForLines(1) == ["one"])
    }

    @Test func secondHolder_onOneMachine_holdsInMemoryOnly() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let folder = try TemporaryFolder()
        let first = try await relay(room, in: folder)
        let second = try await relay(room, in: folder)
        try await second.program.waitForLine(
            containing: "Another program on this machine", on: .standardError)
        for holder in [first, second] { try await reach(1, through: holder) }
        try await first.kill()
        try await reach(1, through: second)
    }

    // MARK: What is no use

    /// What is there stays there, and the host is asked for all of it.
    @Test func relay_servesNothingOfWhatProvesNothing() async throws {
        let room = try await Room.open()
        try await room.tell(numbered(1...3))
        let folder = try TemporaryFolder()
        let relay = try await relay(room, in: folder)
        try await reach(3, through: relay)
        try await relay.kill()
        let sessions = StoredSessions(in: folder)
        let id = try #require(sessions.ids().first)
        let path = sessions.log(of: id).replacingOccurrences(of: "/log", with: "/meta.json")
        var record = try String(contentsOfFile: path, encoding: .utf8)
        let writer = try #require(SessionFolder(folder).record()["writer"] as? String)
        record = record.replacingOccurrences(
            of: writer, with: String(writer.reversed()))
        try record.write(toFile: path, atomically: true, encoding: .utf8)
        let before = try Data(contentsOf: URL(fileURLWithPath: sessions.log(of: id)))
        let again = try await self.relay(room, in: folder)
        #expect(again.program.standardErrorText.contains("not what its host has signed"))
        try await reach(3, through: again)
        #expect(try Data(contentsOf: URL(fileURLWithPath: sessions.log(of: id))) == before)
    }

    @Test func relay_setsAsideWhatIsTorn_andGetsItAgain() async throws {
        let room = try await Room.open()
        try await room.tell(numbered(1...3))
        let folder = try TemporaryFolder()
        let relay = try await relay(room, in: folder)
        try await reach(3, through: relay)
        try await relay.kill()
        let log = try SessionFolder(folder).log()
        var bytes = try Data(contentsOf: URL(fileURLWithPath: log))
        bytes.removeLast(9)
        try bytes.write(to: URL(fileURLWithPath: log))
        let again = try await self.relay(room, in: folder)
        #expect(again.program.standardErrorText.contains("that prove nothing, now in "))
        try await reach(3, through: again)
        #expect(try SessionFolder(folder).texts() == numbered(1...3))
    }

    /// At the address there is another event now.
    @Test func relay_leavesWhatItKept_whereAnotherEventIsThere() async throws {
        let first = try await Room.open()
        try await first.tell("old")
        let folder = try TemporaryFolder()
        let relay = try await relay(first, in: folder)
        try await reach(1, through: relay)
        try await RunningProgram.kill([first.host, relay.program])
        let words = ["host", "--event", "Another", "--port", "\(first.port)"]
        let state = try TemporaryFolder()
        let host = try RunningProgram(
            .beamscribe(words + ["--bind", "127.0.0.1", "--no-bonjour"], state: state))
        _ = try await Room.port(of: host)
        try await host.write("new\n")
        let place = ["--host", first.address, "--no-ble"] + Room.quiet(port: 0)
        let wary = try RunningProgram(.beamscribe(["relay", "--keep"] + place, state: folder))
        try await wary.expectExit(77)
        #expect(wary.standardErrorText.contains("is of another event"))
        let again = try RunningProgram(
            .beamscribe(["relay", "--keep", "--forget"] + place, state: folder))
        try await again.waitForLine(containing: "is of another event", on: .standardError)
        try await again.waitForLine(containing: "is kept on this machine", on: .standardError)
        try await eventually("both are kept") { try StoredSessions(in: folder).ids().count == 2 }
    }

    /// It hides an event that has its name.
    @Test func relay_leavesWhatItKept_whereItIsToTakeUpAnother() async throws {
        let first = try await Room.open()
        try await first.tell(numbered(1...3))
        let folder = try TemporaryFolder()
        let relay = try await relay(first, in: folder)
        try await reach(3, through: relay)
        try await RunningProgram.kill([first.host, relay.program])
        let sessions = StoredSessions(in: folder)
        let old = try #require(sessions.ids().first)
        let before = try Data(contentsOf: URL(fileURLWithPath: sessions.log(of: old)))

        let words = ["host", "--event", "Town Hall", "--new"] + Room.quiet(port: first.port)
        let host = try RunningProgram(.beamscribe(words, state: first.folder))
        _ = try await Room.port(of: host)
        try await host.write("today\n")
        let again = try await self.relay(first, in: folder, "--new")
        let reader = try again.join()
        #expect(try await reader.waitForLines(1) == ["today"])
        #expect(!again.program.standardErrorText.contains("Going on"))
        #expect(try sessions.ids().count == 2 && sessions.ids().contains(old))
        #expect(try Data(contentsOf: URL(fileURLWithPath: sessions.log(of: old))) == before)
        try await again.kill()
        // The newer one is what is gone on with from now on.
        try await host.killed()
        let alone = try await self.relay(first, in: folder)
        #expect(alone.program.standardErrorText.contains("(1 line)"))
    }

    // MARK: A disk that fails

    @Test(Skip.withoutRoot) func relayGoesOn_whenItsDiskIsFull_andSavesLater() async throws {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        let script = "mount -t tmpfs -o size=128k tmpfs \"$1\" && shift && exec \"$@\""
        let relay = try await Holder.open(
            ["relay", "--keep"], of: room.address, in: folder,
            prefix: ["unshare", "--mount", "sh", "-c", script, "sh", folder.path])
        let inside = "/proc/\(relay.program.pid)/root\(folder.path)"
        let filler = URL(fileURLWithPath: "\(inside)/filler")
        try Data(repeating: 0, count: 80 * 1_024).write(to: filler)
        let reader = try relay.join()
        var told = 0
        while !relay.program.standardErrorText.contains("not being saved"), told < 2_000 {
            try await room.tell(numbered((told + 1)...(told + 50)))
            told += 50
            try await reader.waitForLines(told)
        }
        try await relay.program.waitForLine(containing: "No space left", on: .standardError)
        try FileManager.default.removeItem(at: filler)
        try await relay.program.waitForLine(containing: "saved again", on: .standardError)
        try await room.tell("the last one")
        #expect(try await reader.waitForLines(told + 1).last == "the last one")
        let events = "\(inside)/beamscribe/events"
        let id = try #require(FileManager.default.contentsOfDirectory(atPath: events).first)
        let export = try await run(
            ["export", "\(events)/\(id)"], in: TemporaryFolder(), exit: 0)
        #expect(export.standardOutputLines == numbered(1...told) + ["the last one"])
        #expect(!reader.standardErrorText.contains("save"))
        let warnings = relay.program.standardErrorLines.filter { $0.contains("not being saved") }
        #expect(warnings.count == 1)
    }

    // MARK: Words

    @Test(arguments: [
        (["join", "--keep"], "go with --serve"),
        (["join", "--keep-for", "30d"], "go with --serve"),
        (["relay", "--keep-for", "soon"], "--keep-for"),
        (["relay", "--new"], "--new goes with --keep"),
        (["join", "--keep", "--new"], "go with --serve"),
    ])
    func program_endsWithCode64_forWhatDoesNotGoTogether(
        _ words: [String], _ why: String
    ) async throws {
        let program = try await run(words, in: TemporaryFolder(), exit: 64)
        #expect(program.standardErrorText.contains(why))
    }

    /// Nothing is written unless it was asked for, and what is belongs to its owner alone.
    @Test func files_areTheOwnersAlone_andThereOnlyIfAskedFor() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let folder = try TemporaryFolder()
        let memory = try await Holder.open(["relay"], of: room.address, in: folder)
        try await reach(1, through: memory)
        #expect(SessionFolder(folder).ids.isEmpty)
        try await memory.kill()
        let relay = try await relay(room, in: folder, "--keep-for", "0")
        try await reach(1, through: relay)
        let log = try SessionFolder(folder).log()
        let manager = FileManager.default
        for (path, mode) in [(log, 0o600), ((log as NSString).deletingLastPathComponent, 0o700)] {
            let attributes = try manager.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == mode)
        }
        try await room.end()
        try await relay.program.expectExit(0)
        #expect(SessionFolder(folder).ids.isEmpty)
    }
}
