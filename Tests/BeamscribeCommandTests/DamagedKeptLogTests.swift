import Foundation
import TestSupport
import Testing

/// A relay whose disk gives back another bit than it was given.
@Suite(.timeLimit(.minutes(3))) struct DamagedKeptLogTests {
    /// What a relay has on its disk, whose host and who itself are gone.
    private struct Kept {
        let room: Room
        let folder: TemporaryFolder
        let log: URL
        let chain: URL
        /// Where each line begins in the file.
        private(set) var starts: [Int] = []

        /// Lines that were said one by one, so that each is signed.
        init(_ count: Int) async throws {
            room = try await Room.open()
            folder = try TemporaryFolder()
            let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
            let reader = try relay.join()
            for number in 1...count {
                try await room.tell(numbered(number...number))
                try await reader.waitForLines(number)
            }
            log = URL(fileURLWithPath: try SessionFolder(folder).log())
            chain = log.deletingLastPathComponent().appendingPathComponent("chain")
            let notes = chain
            try await eventually("all lines are noted") {
                (try? Data(contentsOf: notes).count) == 40 * count
            }
            try await RunningProgram.kill([room.host, relay.program, reader])
            let bytes = [UInt8](try Data(contentsOf: log))
            var position = 0
            while position + 4 <= bytes.count {
                starts.append(position)
                position += 4 + bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
            }
        }

        /// Flips one bit of the words of a line.
        func damage(_ line: Int) throws {
            var bytes = try Data(contentsOf: log)
            bytes[starts[line - 1] + 60] ^= 1
            try bytes.write(to: log)
        }

        /// Removes all that says what the lines hash to: the notes, and the host's newest head.
        func forgetHashes() throws {
            try FileManager.default.removeItem(at: chain)
            let record = log.deletingLastPathComponent().appendingPathComponent("meta.json")
            var facts = try #require(
                JSONSerialization.jsonObject(with: Data(contentsOf: record)) as? [String: Any])
            var held = try #require(facts["held"] as? [String: Any])
            held["head"] = nil
            facts["held"] = held
            try JSONSerialization.data(withJSONObject: facts).write(to: record)
        }

        func relay() async throws -> Holder {
            try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        }
    }

    private func all(_ count: Int, but lost: Set<Int>) -> [Int] {
        (1...count).filter { !lost.contains($0) }
    }

    private func objects(_ reader: RunningProgram, _ type: String) -> [[String: Any]] {
        reader.standardOutputLines.compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }.filter { $0["type"] as? String == type }
    }

    private func numbers(_ reader: RunningProgram) -> [Int] {
        objects(reader, "line").compactMap { $0["seq"] as? Int }
    }

    private func gaps(_ reader: RunningProgram) -> [ClosedRange<Int>] {
        objects(reader, "gap").compactMap { gap in
            guard let from = gap["from"] as? Int, let through = gap["through"] as? Int else {
                return nil
            }
            return from...through
        }
    }

    private func waitForLine(_ seq: Int, at reader: RunningProgram) async throws {
        try await reader.waitForLine(containing: "\"seq\":\(seq),")
    }

    // MARK: One line

    @Test func newcomer_getsAllButTheDamagedLine_andThatOnceTheHostIsBack() async throws {
        let kept = try await Kept(400)
        try kept.damage(200)
        let relay = try await kept.relay()
        let told = relay.program.standardErrorText
        #expect(told.contains("(399 lines)") && told.contains("line 200 is damaged"), "\(told)")
        let reader = try relay.join("--format", "jsonl")
        try await waitForLine(400, at: reader)
        #expect(numbers(reader) == all(400, but: [200]) && gaps(reader) == [200...200])
        let words = objects(reader, "line").compactMap { $0["text"] as? String }
        #expect(words == all(400, but: [200]).map { numbered($0...$0)[0] })

        let host = try await Room.resume(in: kept.room.folder, "--until-eof")
        try await waitForLine(200, at: reader)
        try await host.tell("new")
        try await waitForLine(401, at: reader)
        #expect(numbers(reader).sorted() == Array(1...401) && Set(numbers(reader)).count == 401)
        let late = objects(reader, "line").filter { $0["late"] as? Bool == true }
        #expect(late.compactMap { $0["seq"] as? Int } == [200])
        try await relay.program.waitForLine(containing: "Joined", on: .standardError)
        let other = try relay.join()
        #expect(try await other.waitForLines(401) == numbered(1...400) + ["new"])
        host.host.closeInput()
        for program in [host.host, reader, other, relay.program] {
            try await program.expectExit(0)
        }
        #expect(try SessionFolder(kept.folder).texts() == numbered(1...400) + ["new"])
        // What was damaged is still there.
        let names = try FileManager.default.contentsOfDirectory(
            atPath: kept.log.deletingLastPathComponent().path)
        #expect(names.contains { $0.hasPrefix("cut-off-at-") })
    }

    /// Nobody can prove what is behind it: what comes before is served, and the rest comes from the
    /// host.
    @Test func newcomer_getsWhatComesBeforeTheDamage_whereNothingWasNoted() async throws {
        let kept = try await Kept(60)
        try kept.damage(30)
        try kept.forgetHashes()
        let relay = try await kept.relay()
        let told = relay.program.standardErrorText
        #expect(told.contains("(29 lines)"), "\(told)")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(29) == numbered(1...29))
        let host = try await Room.resume(in: kept.room.folder, "--until-eof")
        #expect(try await reader.waitForLines(60) == numbered(1...60))
        host.host.closeInput()
        for program in [host.host, reader, relay.program] { try await program.expectExit(0) }
        #expect(try SessionFolder(kept.folder).texts() == numbered(1...60))
    }

    // MARK: Other damage

    enum Damage: String, CaseIterable, Sendable {
        case firstLine, lastLine, twoLines, tornTail, tornNotes, brokenFrame

        /// The lines that are lost.
        var lost: Set<Int> {
            switch self {
            case .firstLine: [1]
            case .lastLine, .tornTail: [40]
            case .twoLines: [10, 30]
            case .tornNotes, .brokenFrame: [20]
            }
        }
    }

    @Test(arguments: Damage.allCases)
    func everythingElse_isServedAgain(_ damage: Damage) async throws {
        let kept = try await Kept(40)
        switch damage {
        case .firstLine, .lastLine, .twoLines: try damage.lost.forEach(kept.damage)
        case .tornTail:
            let bytes = try Data(contentsOf: kept.log)
            try bytes.prefix(kept.starts[39] + 50).write(to: kept.log)
        case .tornNotes:
            try kept.damage(20)
            // All through line 20, and half a note more.
            try Data(contentsOf: kept.chain).prefix(40 * 20 + 17).write(to: kept.chain)
        case .brokenFrame:
            var bytes = try Data(contentsOf: kept.log)
            bytes[kept.starts[19] + 3] ^= 0x70
            try bytes.write(to: kept.log)
        }
        let relay = try await kept.relay()
        let reader = try relay.join("--format", "jsonl")
        let due = all(40, but: damage.lost)
        try await waitForLine(try #require(due.last), at: reader)
        #expect(numbers(reader) == due)
        let inside = damage.lost.filter { $0 < 40 }.sorted()
        #expect(gaps(reader).map(\.lowerBound) == inside)
        let exported = try await StoredSessions(in: kept.folder).run("export", "last")
        let right = Set(due.flatMap { numbered($0...$0) })
        #expect(right.isSubset(of: Set(exported.standardOutputLines)))
        let host = try await Room.resume(in: kept.room.folder, "--until-eof")
        for seq in damage.lost { try await waitForLine(seq, at: reader) }
        #expect(numbers(reader).sorted() == Array(1...40))
        host.host.closeInput()
        for program in [host.host, reader, relay.program] { try await program.expectExit(0) }
    }

    /// Lines that one lacks are no fault of the program's that answers.
    @Test func newcomerWhoTriesOnce_isToldWhichLineIsLacking() async throws {
        let kept = try await Kept(40)
        try kept.damage(20)
        let relay = try await kept.relay()
        let reader = try relay.join("--no-reconnect")
        try await reader.expectExit(75)
        let told = reader.standardErrorText
        #expect(told.contains("holds the event without line 20. Join again, or leave out"))
        relay.program.interrupt()
        try await relay.program.expectExit(0)
    }

    // MARK: What cannot be served

    /// Whoever has more than the relay is told that, and what helps.
    @Test func readerWhoHasMore_isToldWhy() async throws {
        let room = try await Room.open()
        let folder = try TemporaryFolder()
        let relay = try await Holder.open(["relay", "--keep"], of: room.address, in: folder)
        let reader = try relay.join("--format", "jsonl")
        for number in 1...20 {
            try await room.tell(numbered(number...number))
            try await waitForLine(number, at: reader)
        }
        try await RunningProgram.kill([room.host, relay.program])
        let log = URL(fileURLWithPath: try SessionFolder(folder).log())
        try Data(contentsOf: log).prefix(2_000).write(to: log)
        let words = ["relay", "--keep", "--host", room.address, "--no-ble"]
        let again = try RunningProgram(
            .beamscribe(words + Room.quiet(port: relay.port), state: folder))
        try await reader.waitForLine(
            containing: "has less of it than this reader: the captions go on once the host")
        again.kill()
    }

    @Test func newcomer_isToldWhy_whereNothingCanBeProven() async throws {
        let kept = try await Kept(3)
        try FileManager.default.removeItem(at: kept.chain)
        let folder = kept.log.deletingLastPathComponent()
        let meta = folder.appendingPathComponent("meta.json")
        var record =
            try JSONSerialization.jsonObject(with: Data(contentsOf: meta)) as? [String: Any] ?? [:]
        var held = record["held"] as? [String: Any] ?? [:]
        // Nobody can be told how the log stands.
        (held["first"], held["head"]) = (nil, nil)
        record["held"] = held
        try JSONSerialization.data(withJSONObject: record).write(to: meta)
        let relay = try await kept.relay()
        let reader = try relay.join("--timeout", "2")
        try await reader.expectExit(69)
        let told = reader.standardErrorText
        #expect(told.contains("has nothing of it that can be proven") && !told.contains("nobody"))
        #expect(told.contains("Join the host, or another machine that serves"))
    }
}
