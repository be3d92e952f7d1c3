import Foundation
import TestSupport
import Testing

/// Damage on the disk in an event's other logs, and in the record of a session.
@Suite(.timeLimit(.minutes(3))) struct DamagedOtherLogsTests {
    /// The folders of a relay and a host after an event in which "Room 2" has said three lines.
    private struct Kept {
        let room: Room
        let folder: TemporaryFolder

        init() async throws {
            room = try await Room.open("--admit", "all")
            folder = try TemporaryFolder()
            let words = ["host", "--into", "Town Hall", "--as", "Room 2", "--host", room.address]
            let writer = try RunningProgram(
                .beamscribe(words + ["--no-ble"], state: try TemporaryFolder()))
            try await writer.waitForLine(containing: "Let in", on: .standardError)
            let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
            let reader = try relay.join()
            try await room.tell("one")
            try await reader.waitForLines(1)
            for (number, word) in ["uno", "dos", "tres"].enumerated() {
                try await writer.write(word + "\n")
                try await reader.waitForLines(number + 2)
            }
            for folder in [folder, room.folder] {
                let notes = try await Self.path(of: "chain", in: folder)
                try await eventually("all lines are noted") {
                    (try? Data(contentsOf: notes).count) == 3 * 40
                }
            }
            try await RunningProgram.kill([room.host, writer, relay.program, reader])
        }

        /// A file of what is kept of the other log.
        static func path(of file: String, in folder: TemporaryFolder) async throws -> URL {
            let stored = StoredSessions(in: folder)
            let other = try await stored.listed().first { $0["label"] as? String == "Room 2" }
            let session = try #require(other?["session"] as? String)
            return URL(fileURLWithPath: "\(stored.path)/\(session)/\(file)")
        }

        func relay() async throws -> Holder {
            try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        }
    }

    private func damageSecondLine(in folder: TemporaryFolder) async throws {
        let log = try await Kept.path(of: "log", in: folder)
        var bytes = try Data(contentsOf: log)
        let place = try #require(bytes.range(of: Data("\"dos\"".utf8)))
        bytes[place.lowerBound + 2] ^= 1
        try bytes.write(to: log)
    }

    /// Changes what is known of the other log's proofs.
    private func change(
        _ key: String, in folder: TemporaryFolder, isWhole: Bool = false
    ) async throws {
        let record = try await Kept.path(of: "meta.json", in: folder)
        var facts = try #require(
            JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
        var held = try #require(facts["held"] as? [String: Any])
        var packet = try #require((held[key] as? String).flatMap { Data(base64Encoded: $0) })
        if isWhole { packet = Data("no packet".utf8) }
        // The last signs are the signature's.
        packet[packet.count - 10] = packet[packet.count - 10] == 65 ? 66 : 65
        held[key] = packet.base64EncodedString()
        facts["held"] = held
        try JSONSerialization.data(withJSONObject: facts).write(to: record)
    }

    // MARK: Another log

    @Test func relay_saysWhichLineIsDamaged_andServesAllOthers() async throws {
        let kept = try await Kept()
        try await damageSecondLine(in: kept.folder)
        let relay = try await kept.relay()
        let told = relay.program.standardErrorText
        #expect(told.contains("line 2 of \"Room 2\" is damaged"), "\(told)")
        let reader = try relay.join()
        let lines = try await reader.waitForLines(3)
        #expect(lines.sorted() == ["[Room 2] tres", "[Room 2] uno", "one"])
        try await reader.waitForLine(
            containing: "Line 2 of \"Room 2\" is missing", on: .standardError)
    }

    @Test func relay_saysWhy_whereItCannotServeALog() async throws {
        let kept = try await Kept()
        try await change("grant", in: kept.folder)
        let relay = try await kept.relay()
        let told = relay.program.standardErrorText
        #expect(told.contains("\"Room 2\" is not served: the host's permission"), "\(told)")
        #expect(try await relay.join().waitForLines(1) == ["one"])
        relay.program.interrupt()
        try await relay.program.expectExit(0)
        // The words are still there, and so is the proof of them.
        let exported = try await StoredSessions(in: kept.folder).run("export", "last")
        #expect(exported.standardOutputLines.count == 4 && exported.standardErrorText == "")
    }

    /// The host closes soon after the end, so that the reader has no time to ask several times.
    @Test(arguments: [false, true])
    func reader_hasTheLinesBehindTheDamage_whereTheEventEnds(comesLater: Bool) async throws {
        let kept = try await Kept()
        try await damageSecondLine(in: kept.room.folder)
        let room = try await Room.resume(in: kept.room.folder, "--until-eof", "--linger", "60")
        let present = comesLater ? nil : try await room.joined("--no-ble")
        try await present?.waitForLines(1)
        room.host.closeInput()
        if comesLater {
            try await room.host.waitForLine(containing: "This host stays", on: .standardError)
        }
        let reader = try present ?? room.join("--no-ble")
        try await reader.expectExit(0)
        let lines = reader.standardOutputLines.sorted()
        #expect(lines == ["[Room 2] tres", "[Room 2] uno", "one"])
        #expect(reader.standardErrorText.contains("Line 2 of \"Room 2\" is missing"))
        room.host.interrupt()
        try await room.host.expectExit(0)
    }

    /// The disk has lost the last line, or changed it: nothing in the file shows that.
    @Test(arguments: [false, true])
    func lostEnd_isNamed(isWhole: Bool) async throws {
        let kept = try await Kept()
        for folder in [kept.folder, kept.room.folder] {
            let log = try await Kept.path(of: "log", in: folder)
            let bytes = try Data(contentsOf: log)
            let place = try #require(bytes.range(of: Data("\"tres\"".utf8))).lowerBound
            let start = try #require(bytes[..<place].lastIndex(of: UInt8(ascii: "{"))) - 4
            try bytes.prefix(isWhole ? start : place).write(to: log)
        }
        let exported = try await StoredSessions(in: kept.folder).run("export", "last")
        let named = exported.standardErrorText
        #expect(named.contains("line 3 of session") && named.contains("is missing"), "\(named)")
        let words = "On this disk line 3 of \"Room 2\" is missing at the end"
        let relay = try await kept.relay()
        #expect(relay.program.standardErrorText.contains(words))
        #expect(try await relay.join().waitForLines(3).count == 3)
        let host = try await Room.resume(in: kept.room.folder)
        try await host.host.waitForLine(containing: words, on: .standardError)
    }

    @Test func host_saysWhy_whereItCannotServeALog() async throws {
        let kept = try await Kept()
        try await change("log", in: kept.room.folder)
        let host = try await Room.resume(in: kept.room.folder)
        let sentence = "\"Room 2\" is not what its captioner signed"
        try await host.host.waitForLine(containing: sentence, on: .standardError)
        #expect(try await host.joined("--no-ble").waitForLines(1) == ["one"])
    }

    /// Nobody can tell whose log it is: it is named wherever it is left out.
    @Test func log_isNamed_whereItsRecordIsNone() async throws {
        let kept = try await Kept()
        let folders = [kept.folder, kept.room.folder]
        for folder in folders { try await change("log", in: folder, isWhole: true) }
        let words = "is left out: its file meta.json is damaged"
        let relay = try await kept.relay()
        #expect(relay.program.standardErrorText.contains(words))
        #expect(try await relay.join().waitForLines(1) == ["one"])
        let host = try await Room.resume(in: kept.room.folder)
        #expect(host.host.standardErrorText.contains(words))
        try await RunningProgram.kill([host.host, relay.program])
        for folder in folders {
            let stored = StoredSessions(in: folder)
            #expect(try await stored.run("export", "last").standardErrorText.contains(words))
            let deleted = try await stored.run("sessions", "delete", "last", "--yes")
            #expect(deleted.standardErrorText.contains(words))
            try await stored.run("sessions", "delete", "--all", "--yes")
            #expect(try stored.ids() == [])
        }
    }

    @Test func export_saysWhichLinesAreNotAsTheyWereSigned() async throws {
        let kept = try await Kept()
        try await damageSecondLine(in: kept.folder)
        let stored = StoredSessions(in: kept.folder)
        let exported = try await stored.run("export", "last")
        #expect(exported.standardOutputText.contains("dns"))
        let told = exported.standardErrorText
        #expect(told.contains("line 2 of session"), "\(told)")
        #expect(told.contains("(Room 2) is not as its captioner signed it"), "\(told)")
        let others = try await stored.run("export", "last", "--log", "floor")
        #expect(others.standardErrorText == "")
        try await change("log", in: kept.folder)
        let unproven = try await stored.run("export", "last")
        #expect(unproven.standardErrorText.contains("lines 1 to 3 of session"))
    }

    /// Its words stand in the place of the original's.
    @Test func export_saysWhichLinesOfATranslationAreDamaged() async throws {
        let translator = "while read -r line; do echo \"DE $line\"; done"
        let room = try await Room.open("--lang", "en", "--translate", "de=\(translator)")
        let reader = try await room.joined("--lang", "de")
        try await room.tell("one", "two")
        try await reader.waitForLines(2)
        room.host.interrupt()
        try await room.host.expectExit(0)
        let stored = StoredSessions(in: room.folder)
        let translation = try #require(
            try await stored.listed().first { $0["label"] as? String == "de" })
        let session = try #require(translation["session"] as? String)
        let log = URL(fileURLWithPath: "\(stored.path)/\(session)/log")
        #expect(try await stored.run("export", "last", "--lang", "de").standardErrorText == "")
        var bytes = try Data(contentsOf: log)
        bytes[try #require(bytes.range(of: Data("DE two".utf8))).upperBound - 1] ^= 1
        try bytes.write(to: log)
        let exported = try await stored.run("export", "last", "--lang", "de")
        #expect(exported.standardOutputText == "DE one\nDE twn\n")
        let told = exported.standardErrorText
        #expect(
            told.contains("line 2 of session") && told.contains("as its captioner signed it"),
            "\(told)")
        #expect(try await stored.run("export", "last").standardErrorText == "")
        // It cannot go on, and that is told.
        let second = try await Room.resume(
            in: room.folder, "--lang", "en", "--translate", "de=\(translator)")
        #expect(second.host.standardErrorText.contains("a new log \"de\" begins"))
        let late = try await second.joined("--lang", "de")
        try await second.tell("three")
        #expect(try await late.waitForLines(1) == ["DE three"])
    }

    // MARK: The own log

    @Test func export_saysWhichLinesOfItsOwnAreDamaged() async throws {
        let stored = try StoredSessions()
        try await stored.host(numbered(1...20))
        let folder = "\(stored.path)/\(try #require(try stored.ids().first))"
        let log = URL(fileURLWithPath: folder + "/log")
        let whole = try Data(contentsOf: log)
        #expect(try await stored.run("export", "last").standardErrorText == "")
        var bytes = whole
        let word = Data("\"\(numbered(7...7)[0])\"".utf8)
        bytes[try #require(bytes.range(of: word)).lowerBound + 1] ^= 1
        try bytes.write(to: log)
        let told = try await stored.run("export", "last").standardErrorText
        #expect(told.contains("line 7 of session"), "\(told)")
        #expect(told.contains("is not as its captioner signed it"), "\(told)")
        // Whole lines are cut off, or one more in its middle.
        let place = try #require(whole.range(of: Data("\"seq\":18".utf8))).lowerBound
        let start = try #require(whole[..<place].lastIndex(of: UInt8(ascii: "{"))) - 4
        for end in [start, place] {
            try whole.prefix(end).write(to: log)
            let told = try await stored.run("export", "last").standardErrorText
            #expect(told.contains("lines 18 to 20 of session"), "\(told)")
            #expect(told.contains("no whole line") == (end == place), "\(told)")
        }
        try Data().write(to: log)
        let empty = try await stored.run("export", "last").standardErrorText
        #expect(empty.contains("lines 1 to 20 of session"), "\(empty)")
    }

    // MARK: What is known of a session

    /// Changes that make a record unreadable: of one key, or of all.
    static let damages: [@Sendable (String) -> String] = [
        { $0.replacing("\"session\" : \"", with: "\"session\" : \"x") },
        { $0.replacing("\"version\" : 1", with: "\"version\" : -1") },
        { String($0.dropLast(20)) },
        { _ in "" },
    ]

    @Test(arguments: damages.indices)
    func session_isNamed_whereItsRecordIsDamaged(_ index: Int) async throws {
        let stored = try StoredSessions()
        try await stored.host(["one", "two"])
        let id = try #require(try stored.ids().first)
        let record = "\(stored.path)/\(id)/meta.json"
        let text = try String(contentsOfFile: record, encoding: .utf8)
        let damaged = Self.damages[index](text)
        try #require(damaged != text)
        try damaged.write(toFile: record, atomically: true, encoding: .utf8)

        let listed = try await stored.run("sessions").standardErrorText
        #expect(listed.contains("session \(id.prefix(8)) is left out"), "\(listed)")
        let exported = try await stored.run("export", "last", exit: 65)
        #expect(exported.standardErrorText.contains("session \(id.prefix(8)) is left out"))
        let written = try await stored.run("export", "\(stored.path)/\(id)")
        #expect(written.standardOutputLines == ["one", "two"])
        let deleted = try await stored.run("sessions", "delete", String(id.prefix(8)), "--yes")
        #expect(deleted.standardErrorText.contains("Deleted"))
        #expect(try stored.ids() == [])
    }
}
