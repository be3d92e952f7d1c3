import Foundation
import Glibc
import TestSupport
import Testing

/// The list of what this machine has hosted.
@Suite struct SessionsTests {
    private let stored: StoredSessions

    init() throws {
        stored = try StoredSessions()
    }

    @Test func list_isASentence_whenThereIsNothing() async throws {
        for words in [["sessions"], ["sessions", "--json"]] {
            let list = try RunningProgram(.beamscribe(words, state: stored.folder))
            try await list.expectExit(0)
            #expect(list.standardOutputText == "")
            #expect(list.standardErrorLines.count == 1)
        }
    }

    @Test func table_hasARowEach_theNewestFirst_in80Columns() async throws {
        try await stored.host(["one", "two"], event: "First 字幕 👍🏽")
        try await stored.host(["one", "two", "three"], event: "Second")
        let rows = try await stored.run("sessions").standardOutputLines
        #expect(rows.count == 3)
        #expect(rows[0].hasPrefix("ID ") && rows[0].hasSuffix(" EVENT"))
        #expect(rows[1].contains(" ended ") && rows[1].hasSuffix(" Second"))
        #expect(rows[1].contains("  3  ") && rows[2].contains("  2  "))
        #expect(rows[2].hasSuffix(" First 字幕 👍🏽"))
        #expect(rows.allSatisfy { $0.count <= 80 })
        // The columns of the three rows are aligned.
        let places = rows.prefix(2).map {
            $0.distance(from: $0.startIndex, to: $0.lastIndex(of: " ")!)
        }
        #expect(places[0] == places[1])
        let ids = try stored.ids().map { String($0.prefix(8)) }
        #expect(Set(rows.dropFirst().map { String($0.prefix(8)) }) == Set(ids))
    }

    @Test func json_saysAll_withTimesInSeconds() async throws {
        let before = Date().timeIntervalSince1970
        try await stored.host(["one", "two"])
        let session = try #require(try await stored.listed().first)
        #expect(session["session"] as? String == (try stored.ids().first))
        #expect(session["event"] as? String == "Town Hall")
        #expect(session["state"] as? String == "ended")
        #expect(session["lines"] as? Int == 2 && session["lastSeq"] as? Int == 2)
        let started = try #require(session["started"] as? Double)
        let last = try #require(session["lastLine"] as? Double)
        #expect(started >= before && last >= started && last < before + 60)
        #expect(session["duration"] as? Double != nil)
        let log = try stored.log(of: #require(try stored.ids().first))
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect(session["size"] as? Int == size)
    }

    @Test func state_tellsHowASessionStands() async throws {
        let words = ["host", "--event", "Live"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: stored.folder))
        _ = try await Room.port(of: host)
        try await host.write("hello\n")
        let path = stored.path
        try await eventually("the line is stored") {
            let ids = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
            let size = ids.first.flatMap {
                try? FileManager.default.attributesOfItem(atPath: "\(path)/\($0)/log")[.size]
            }
            return (size as? Int ?? 0) > 0
        }
        let state = { try await stored.listed().first?["state"] as? String }
        #expect(try await state() == "running")
        // An event that is on can be exported.
        #expect(try await stored.export() == "hello\n")
        host.kill()
        _ = try await host.waitForExit()
        #expect(try await state() == "interrupted")
        let again = try RunningProgram(
            .beamscribe(["host", "--resume", "last"] + Room.quiet(port: 0), state: stored.folder))
        _ = try await Room.port(of: again)
        again.terminate()
        try await again.expectExit(0)
        #expect(try await state() == "stopped")
    }
}
