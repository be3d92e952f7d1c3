import Foundation
import TestSupport
import Testing

/// What others caption in an event is on the disks of its host and of those who keep it, and is exported with
/// the host's own.
@Suite(.timeLimit(.minutes(3))) struct KeptLogsTests {
    /// Another machine that captions in a room's event.
    private struct Writer {
        let program: RunningProgram
        let folder: TemporaryFolder

        init(
            in room: Room, _ folder: TemporaryFolder? = nil, as label: String = "Room 2",
            by address: String? = nil, _ options: String...
        ) async throws {
            self.folder = try folder ?? TemporaryFolder()
            let place = address ?? room.address
            let words = ["host", "--into", "Town Hall", "--as", label, "--host", place]
            program = try RunningProgram(
                .beamscribe(words + ["--no-ble"] + options, state: self.folder))
            try await program.waitForLine(containing: "Let in", on: .standardError)
        }

        func say(_ lines: String...) async throws {
            try await program.write(lines.map { $0 + "\n" }.joined())
        }
    }

    /// Waits until somebody who comes late has so many lines, so that they are stored, and returns them.
    @discardableResult
    private func lateReader(
        of room: Room, reads count: Int, _ options: String...
    ) async throws -> [String] {
        let reader = try RunningProgram(room.launchOfGuest(["--no-ble"] + options))
        let lines = try await reader.waitForLines(count)
        reader.interrupt()
        try await reader.expectExit(0)
        return lines.sorted()
    }

    private func export(_ words: String..., in folder: TemporaryFolder) async throws -> [String] {
        try await StoredSessions(in: folder).run(words: ["export"] + words).standardOutputLines
    }

    // MARK: Reading back

    @Test func linesOfAWriterWhoIsGone_areThere_whenTheHostWasKilledAndIsBack() async throws {
        let first = try await Room.open("--admit", "all")
        let writer = try await Writer(in: first)
        try await first.tell("one")
        try await writer.say("uno", "dos")
        try await lateReader(of: first, reads: 3)
        try await RunningProgram.kill([first.host, writer.program])
        let second = try await Room.resume(in: first.folder)
        let before = try await lateReader(of: second, reads: 3)
        #expect(before == ["[Room 2] dos", "[Room 2] uno", "one"])
        let reader = try await second.joined("--no-ble")
        try await reader.waitForLines(3)
        // The grant is the one of before, and the log goes on behind what is there.
        let again = try await Writer(in: second, writer.folder)
        try await again.say("tres")
        try await reader.waitForLine(containing: "tres")
        #expect(reader.standardOutputLines.sorted() == (before + ["[Room 2] tres"]).sorted())
        try await second.host.killed()
        let third = try await Room.resume(in: first.folder)
        #expect(try await lateReader(of: third, reads: 4).count == 4)
    }

    @Test func relayAlone_servesAllLogsThatItKept() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try await Writer(in: room)
        let folder = try TemporaryFolder()
        let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        try await room.tell("one")
        try await writer.say("uno", "dos")
        try await relay.join().waitForLines(3)
        try await RunningProgram.kill([room.host, writer.program, relay.program])
        let again = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        let lines = try await again.join().waitForLines(3)
        #expect(lines.sorted() == ["[Room 2] dos", "[Room 2] uno", "one"])
        let exported = try await export("last", in: folder)
        #expect(exported.sorted() == lines.sorted())
    }

    // MARK: What is kept

    /// His words of the time when the host was down are on the relay's disk.
    @Test func wordsOfAWriterWhoIsPutOut_areOnNoDisk_andNotServedAgain() async throws {
        let room = try await Room.open("--admit", "all")
        let folder = try TemporaryFolder()
        let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        let writer = try await Writer(in: room, by: relay.address)
        try await writer.say("uno")
        let reader = try relay.join()
        try await reader.waitForLines(1)
        let told = try await room.host.waitForLine(containing: "Its key: ", on: .standardError)
        let key = told.split(separator: "Its key: ").last?.filter(\.isHexDigit) ?? ""
        try await room.host.killed()
        try await writer.say("slander")
        try await reader.waitForLines(2)
        let second = try await Room.resume(
            in: room.folder, "--port", "\(room.port)", "--revoke", key)
        try await reader.waitForLine(containing: "put out", on: .standardError)
        #expect(try await export("last", in: folder) == ["[Room 2] uno"])
        try await second.tell("one")
        try await reader.waitForLine(containing: "one")
        try await RunningProgram.kill([second.host, writer.program, relay.program])
        let again = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        let late = try again.join()
        try await late.waitForLines(2)
        #expect(late.standardOutputLines.sorted() == ["[Room 2] uno", "one"])
    }

    @Test func sessions_listTheLog_andDeletionTakesItWithTheEvent() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try await Writer(in: room, nil, as: "Room 2", "--name", "annas-laptop")
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        let stored = StoredSessions(in: room.folder)
        let table = try await stored.run("sessions").standardOutputText
        #expect(table.contains("Town Hall · Room 2 (held for annas-laptop)"))
        let listed = try await stored.listed()
        let own = try #require(listed.first { $0["held"] == nil }?["session"] as? String)
        let held = try #require(listed.first { $0["held"] != nil })
        #expect(held["label"] as? String == "Room 2" && held["eventSession"] as? String == own)
        room.host.interrupt()
        try await room.host.expectExit(0)
        // The newest is what was hosted, whoever has said something last.
        #expect(try await export("last", "--log", "floor", in: room.folder) == ["one"])
        let deleted = try await stored.run("sessions", "delete", "last", "--yes")
        #expect(
            deleted.standardErrorText.contains(
                "with 1 line, and another log in it with 1 line"))
        #expect(try stored.ids() == [])
    }

    @Test func nothingIsKept_whereTheHostKeepsNothing() async throws {
        let room = try await Room.open("--admit", "all", "--ephemeral")
        let writer = try await Writer(in: room)
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        #expect(SessionFolder(room.folder).ids == [])
    }

    @Test(arguments: [true, false])
    func logsGoWithTheEvent_whereItIsKeptNoLongerThanThat(_ isEnded: Bool) async throws {
        let room = try await Room.open(
            ["--admit", "all", "--keep", "0"] + (isEnded ? ["--until-eof"] : []))
        let writer = try await Writer(in: room)
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        #expect(SessionFolder(room.folder).ids.count == 2)
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        if isEnded { room.host.closeInput() } else { room.host.interrupt() }
        try await room.host.expectExit(0)
        #expect(SessionFolder(room.folder).ids.count == (isEnded ? 0 : 2))
    }

    /// The log is the writer's own session there.
    @Test func logThatThisMachineWrites_isLeftToItsWriter() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try await Writer(in: room, room.folder)
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        let stored = StoredSessions(in: room.folder)
        #expect(try await stored.listed().allSatisfy { $0["held"] == nil })
        let exported = try await export("Town Hall", in: room.folder)
        #expect(exported.sorted() == ["[Room 2] uno", "one"])
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        let again = try await Writer(in: room, room.folder)
        try await again.say("dos")
        let lines = try await lateReader(of: room, reads: 3)
        #expect(lines == ["[Room 2] dos", "[Room 2] uno", "one"])
    }

    @Test func ownLog_isNotServedByARelay_whichSaysSo() async throws {
        let room = try await Room.open("--admit", "all")
        let folder = try TemporaryFolder()
        let writer = try await Writer(in: room, folder)
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        writer.program.interrupt()
        try await writer.program.expectExit(0)
        let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        try await relay.join().waitForLines(2)
        try await RunningProgram.kill([room.host, relay.program])
        let again = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        try await again.join().waitForLines(1)
        #expect(
            again.program.standardErrorText.contains(
                "What this machine wrote as \"Room 2\" is not served until the program that wrote it"
            ))
    }

    // MARK: A disk that fails

    /// The event goes on from memory, and what is missing is saved once there is room.
    @Test(Skip.withoutRoot) func captionsOfOthersGoOn_whenTheDiskIsFull_andAreSavedLater()
        async throws
    {
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(
            ["host", "--event", "Town Hall", "--admit", "all"] + Room.quiet(port: 0), state: folder)
        let script = "mount -t tmpfs -o size=128k tmpfs \"$1\" && shift && exec \"$@\""
        launch.prefix = ["unshare", "--mount", "sh", "-c", script, "sh", folder.path]
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        let room = Room(
            folder: try TemporaryFolder(), host: host, address: "127.0.0.1:\(port)", port: port)
        let inside = "/proc/\(host.pid)/root\(folder.path)"
        let filler = URL(fileURLWithPath: "\(inside)/filler")
        let writer = try await Writer(in: room)
        let reader = try await room.joined("--no-ble")
        try await writer.say("line 0")
        try await reader.waitForLines(1)
        try Data(repeating: 0, count: 72 * 1_024).write(to: filler)
        var told = 1
        while !host.standardErrorText.contains("not being saved here"), told < 2_000 {
            try await writer.program.write(
                numbered(told...(told + 49)).map { $0 + "\n" }.joined())
            told += 50
            try await reader.waitForLines(told)
        }
        try FileManager.default.removeItem(at: filler)
        try await host.waitForLine(
            containing: "others caption is saved here again", on: .standardError)
        let events = "\(inside)/beamscribe/events"
        let held = try #require(
            try FileManager.default.contentsOfDirectory(atPath: events).first { id in
                try String(contentsOfFile: "\(events)/\(id)/meta.json", encoding: .utf8)
                    .contains("\"held\"")
            })
        let lines = try await export("\(events)/\(held)", in: TemporaryFolder())
        #expect(lines == numbered(0...(told - 1)))
        #expect(reader.standardOutputLines == lines.map { "[Room 2] \($0)" })
        let warnings = host.standardErrorLines.filter { $0.contains("not being saved here") }
        #expect(warnings.count == 1)
    }

    // MARK: Export

    @Test func export_mergesAllLogs_eachLineOnce_asTheyWereSaid() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writers = [
            try await Writer(in: room),
            try await Writer(in: room, nil, as: "Room 3", "--lang", "es"),
        ]
        for round in 1...5 {
            try await room.tell("floor \(round)")
            try await writers[round % 2].say("other \(round)")
            // The host has that, too, and what it says next comes behind it.
            try await reader.waitForLines(2 * round)
            try await lateReader(of: room, reads: 2 * round)
        }
        for program in writers.map(\.program) + [room.host] {
            program.interrupt()
            try await program.expectExit(0)
        }
        let folder = room.folder
        let said = try await export("last", in: folder)
        #expect(said.sorted() == reader.standardOutputLines.sorted())
        let rounds = said.map { $0.last.flatMap(\.wholeNumberValue) }
        #expect(rounds == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
        #expect(try await export("Town Hall", "--log", "all", in: folder) == said)
        let some = try await export("last", "--log", "room 3", "--log", "FLOOR", in: folder)
        #expect(some == said.filter { !$0.hasPrefix("[Room 2]") })
        let alone = try await export("last", "--log", "Room 2", "--from", "2", in: folder)
        #expect(alone == ["other 4"])
        let id =
            try await StoredSessions(in: folder).listed()
            .first { $0["label"] as? String == "Room 3" }?["session"] as? String
        let byID = try await export(String(try #require(id).prefix(12)), in: folder)
        #expect(byID == ["other 1", "other 3", "other 5"])
        let german = try await export("last", "--lang", "de", in: folder)
        #expect(german == said.filter { !$0.hasPrefix("[Room 3]") })
        try await expectSubtitles(in: folder)
        try await expectRecords(said, in: folder)
    }

    private func expectSubtitles(in folder: TemporaryFolder) async throws {
        let srt = try await export("last", "--format", "srt", in: folder)
        #expect(srt.contains("Room 3: other 1") && srt.contains("floor 5"))
        let vtt = try await export("last", "--format", "vtt", in: folder)
        #expect(vtt.contains("<v Room 2>other 2"))
        #expect(srt.filter { $0.contains("-->") } == srt.filter { $0.contains("-->") }.sorted())
    }

    /// Who has signed each line is told.
    private func expectRecords(_ said: [String], in folder: TemporaryFolder) async throws {
        let lines = try await export("last", "--format", "jsonl", in: folder)
        let records = try lines.map { line in
            try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        let told = records.map { record in
            let log = record["log"] as? String ?? ""
            return (log == "Floor" ? "" : "[\(log)] ") + (record["text"] as? String ?? "")
        }
        #expect(told == said)
        let places = records.compactMap { $0["at"] as? Int }
        #expect(places.count == said.count && places == places.sorted())
        let writers = Dictionary(grouping: records) { $0["fingerprint"] as? String ?? "" }
        #expect(writers.count == 3 && writers.keys.allSatisfy { $0.count == 64 })
        #expect(Set(records.compactMap { $0["session"] as? String }).count == 3)
    }

    @Test func export_refusesWhatMakesNoSense() async throws {
        let room = try await Room.open("--admit", "all")
        let writer = try await Writer(in: room)
        try await room.tell("one")
        try await writer.say("uno")
        try await lateReader(of: room, reads: 2)
        let stored = StoredSessions(in: room.folder)
        let numbered = try await stored.run("export", "last", "--from", "1", exit: 64)
        #expect(numbered.standardErrorText.contains("numbers its own lines"))
        let unknown = try await stored.run("export", "last", "--log", "Room 9", exit: 64)
        #expect(unknown.standardErrorText.contains("it has Floor and Room 2"))
        try await stored.run("export", "last", "--log", " ", exit: 64)
        let log = stored.log(of: try #require(try stored.ids().first))
        try await stored.run("export", log, "--log", "floor", exit: 64)
        let before = Int(Date().timeIntervalSince1970) / 60 % 1_440 + 1_438
        let clock = "\(before / 60 % 24):\(before % 60)"
        let timed = try await stored.run("export", "last", "--from", clock, "--times")
        #expect(timed.standardOutputLines.count == 2)
        #expect(timed.standardOutputLines.contains { $0.contains(" [Room 2] uno") })
    }
}
