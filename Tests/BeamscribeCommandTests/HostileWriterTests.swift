import Foundation
import Glibc
import TestSupport
import Testing

/// A writer of an event that means harm, in Python, from the protocol's page alone
/// (Tests/Support/Peers/log_writer.py): it changes nothing that others have said.
@Suite(.timeLimit(.minutes(5))) struct HostileWriterTests {
    /// The attacker, and its own words on what it does.
    private struct Attacker {
        let program: RunningProgram

        struct Report: Decodable {
            var session: String?
            var granted: String?
            var given: String?
            var denied: String?
            var did: String?
            var end: String?
        }

        init(in room: Room, _ way: String, _ number: String? = nil) throws {
            program = try Peer.start(
                "log_writer", ["127.0.0.1", "\(room.port)", way] + (number.map { [$0] } ?? []))
        }

        var reports: [Report] {
            program.standardOutputLines.compactMap {
                try? JSONDecoder().decode(Report.self, from: Data($0.utf8))
            }
        }

        /// Waits until it has done all, or was thrown out.
        func isDone() async throws {
            try await program.waitForOutput("the attack's end") { _ in
                reports.contains { $0.did != nil || $0.end != nil }
            }
        }

        func leave() async throws {
            program.closeInput()
            try await program.expectExit(0)
        }
    }

    /// An honest writer in the same event.
    private func writer(in room: Room) async throws -> RunningProgram {
        let writer = try RunningProgram(
            .beamscribe(
                [
                    "host", "--into", "Town Hall", "--as", "Room 2", "--host", room.address,
                    "--no-ble",
                ], state: try TemporaryFolder()))
        try await writer.waitForLine(containing: "Let in", on: .standardError)
        return writer
    }

    private static let honest = ["[Room 2] uno", "one", "[Room 2] dos", "two"]

    /// Says one after the other what is honest, from the `first` line on.
    private func say(
        _ lines: ArraySlice<String>, in room: Room, by writer: RunningProgram,
        _ reader: RunningProgram
    ) async throws {
        for line in lines {
            if line.hasPrefix("[Room 2] ") {
                try await writer.write(line.dropFirst("[Room 2] ".count) + "\n")
            } else {
                try await room.tell(line)
            }
            try await reader.waitForLine(line) { $0 == line }
        }
    }

    private func honest(_ lines: [String]) -> [String] { lines.filter(Self.honest.contains) }

    private func end(_ programs: RunningProgram...) async throws {
        for program in programs {
            program.interrupt()
            try await program.expectExit(0)
        }
    }

    // MARK: Numbers

    /// The host and the relay read the numbers again that they have stored.
    @Test(arguments: [
        "-1", "0", "4294967296", "9007199254740991", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "-9223372036854775808", "1.5", "1e300",
        "-1e300", "5e-324",
    ])
    func extremeNumbers_stopNobody(number: String) async throws {
        let room = try await Room.open("--admit", "all")
        let kept = try TemporaryFolder()
        let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: kept)
        let reader = try await room.joined("--no-ble")
        let saved = kept.path(of: "saved.srt")
        let far = try relay.join("--format", "jsonl", "--save", saved)
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, reader)
        let attacker = try Attacker(in: room, "numbers", number)
        try await attacker.isDone()
        for reader in [reader, far] { try await reader.waitForLine(containing: "a good line") }
        try await say(Self.honest[2...], in: room, by: writer, reader)
        try await far.waitForLine(containing: "two")
        try await attacker.leave()
        try await end(writer, reader, far, relay.program, room.host)

        let again = try await Room.resume(in: room.folder, "--admit", "all")
        let serving = try await Holder.open(["relay", "--keep"], of: again.address, in: kept)
        for late in [try await again.joined("--no-ble"), try serving.join()] {
            try await late.waitForLine("the last line") { $0 == Self.honest[3] }
            try await late.waitForLine(containing: "a good line")
            try await end(late)
        }
        try await end(serving.program, again.host)
        for folder in [room.folder, kept] {
            let stored = StoredSessions(in: folder)
            try await stored.run("sessions")
            #expect(try await stored.listed().count >= 3)
            for format in ["txt", "srt", "vtt", "jsonl"] {
                let export = try await stored.run(
                    "export", "Town Hall", "--format", format)
                #expect(export.standardOutputText.contains("two"), "\(format)")
            }
            let export = try await stored.run("export", "Town Hall")
            #expect(honest(export.standardOutputLines) == Self.honest)
        }
    }

    // MARK: Order and times

    @Test func greatPlaces_changeNobodysOrder() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, reader)
        let attacker = try Attacker(in: room, "places")
        try await reader.waitForLine(containing: "behind it")
        try await say(Self.honest[2...], in: room, by: writer, reader)
        try await attacker.leave()
        try await end(writer, reader, room.host)
        let stored = StoredSessions(in: room.folder)
        #expect(
            honest(try await stored.run("export", "Town Hall").standardOutputLines) == Self.honest)
        let records = try await stored.run("export", "Town Hall", "--format", "jsonl")
        let places = try records.standardOutputLines.compactMap {
            try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?["at"] as? Int
        }
        #expect(places.count >= 5 && places.allSatisfy { $0 <= 3_000_000 }, "\(places)")
    }

    @Test func clockThatIsADayAhead_movesItsOwnLinesAlone() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, reader)
        let attacker = try Attacker(in: room, "tomorrow")
        try await reader.waitForLine(containing: "tomorrow 3")
        try await say(Self.honest[2...], in: room, by: writer, reader)
        try await attacker.leave()
        try await end(writer, reader, room.host)
        let stored = StoredSessions(in: room.folder)
        let text = try await stored.run("export", "Town Hall", "--format", "srt").standardOutputText
        let lines = text.split(separator: "\n").map {
            $0.hasPrefix("Room 2: ") ? "[Room 2] " + $0.dropFirst(8) : String($0)
        }
        #expect(honest(lines) == Self.honest)
        // The event took no hour.
        let times = text.split(separator: "\n").filter { $0.contains(" --> ") }
        #expect(times.count == 7 && times.allSatisfy { $0.hasPrefix("00:") }, "\(text)")
    }

    // MARK: Shares

    /// A key has 8 logs at most, and a minute's worth of lines of all of them at once.
    @Test func oneKey_hasItsShareOfTheEvent_andNoMore() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let attacker = try Attacker(in: room, "logs")
        try await attacker.program.waitForOutput("8 logs let in") { _ in
            attacker.reports.count { $0.granted != nil } == 8
        }
        let told = try await room.host.waitForLine(
            containing: "cannot be let in", on: .standardError)
        #expect(told.contains("8 logs"), "\(told)")
        // There is room for others, and their lines come.
        let writer = try await writer(in: room)
        try await say(Self.honest[...], in: room, by: writer, reader)
        #expect(attacker.reports.count { $0.granted != nil } == 8)
        let flood = reader.standardOutputLines.count { $0.hasPrefix("[log ") }
        #expect(flood <= 8 * 100)
        try await attacker.leave()
        try await end(writer, reader, room.host)
    }

    /// The newest partials are shown; too many heads end the connection.
    @Test(arguments: ["heads", "partials"])
    func flood_holdsUpNobody(of kind: String) async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble", "--format", "jsonl")
        let plain = try await room.joined("--no-ble")
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, plain)
        let attacker = try Attacker(in: room, kind)
        try await attacker.isDone()
        try await say(Self.honest[2...], in: room, by: writer, plain)
        try await reader.waitForLine(containing: #""text":"two""#)
        if kind == "heads" {
            try await attacker.program.waitForOutput("the end of its connection") { _ in
                attacker.reports.contains { $0.end != nil }
            }
        } else {
            // Six thousand came within moments.
            let shown = reader.standardOutputLines.count { $0.contains(#""text":"word "#) }
            #expect(shown < 3_000)
        }
        try await attacker.leave()
        try await end(writer, reader, plain, room.host)
    }

    // MARK: What is not theirs to say

    /// A packet may be larger than its text, and what cannot be stored is not taken in.
    @Test func lineTooLargeToBeStored_endsItsConnectionAlone() async throws {
        let room = try await Room.open("--admit", "all")
        let relay = try await Holder.open(["relay", "--keep"], of: room.address)
        let (reader, far) = (try await room.joined("--no-ble"), try relay.join())
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, reader)
        let attacker = try Attacker(in: room, "large")
        try await attacker.isDone()
        try await room.host.waitForLine(
            containing: "bytes, over the limit of 65536", on: .standardError)
        try await say(Self.honest[2...], in: room, by: writer, reader)
        try await far.waitForLine(containing: "two")
        try await attacker.leave()
        try await end(writer, reader, far, relay.program, room.host)
    }

    /// Anybody has a copy of a writer's signed heads. No signature says that lines are gone.
    @Test func lines_areNotLost_onTheWordOfAStranger_whileTheirWriterIsAway() async throws {
        let room = try await Room.open("--admit", "all")
        let reader = try await room.joined("--no-ble")
        let writer = try await writer(in: room)
        try await say(Self.honest[..<2], in: room, by: writer, reader)
        let attacker = try Attacker(in: room, "gone")
        try await attacker.isDone()
        writer.signal(SIGSTOP)
        defer { writer.signal(SIGCONT) }
        try await attacker.program.waitForOutput(
            "four words", within: Deadline.generous * 3
        ) { _ in attacker.reports.count { $0.denied != nil } >= 4 }
        writer.signal(SIGCONT)
        try await say(Self.honest[2...], in: room, by: writer, reader)
        try await attacker.leave()
        try await end(writer, reader, room.host)
        let stored = StoredSessions(in: room.folder)
        #expect(try await stored.run("export", "Town Hall").standardOutputLines == Self.honest)
    }

    /// It would be read in the place of what it translates.
    @Test(arguments: ["EN", "en-US"])
    func translationIntoTheSameLanguage_isNotLetIn(language: String) async throws {
        let room = try await Room.open("--admit", "all", "--lang", "en")
        let writer = try RunningProgram(
            .beamscribe(
                [
                    "host", "--into", "Town Hall", "--as", "Twin", "--lang", language, "--of",
                    "floor",
                    "--host", room.address, "--no-ble",
                ], state: try TemporaryFolder()))
        try await room.host.waitForLine(
            containing: "cannot be let in: it is a translation into the language",
            on: .standardError)
        writer.kill()
        try await end(room.host)
    }
}
