import Foundation
import TestSupport
import Testing

/// Events that are forgotten.
@Suite struct DeleteTests {
    private let stored: StoredSessions

    init() throws {
        stored = try StoredSessions()
    }

    /// Every byte below the state folder.
    private func holds(_ words: String) throws -> Bool {
        let files = FileManager.default.enumerator(atPath: stored.folder.path) ?? .init()
        return files.compactMap { $0 as? String }.contains { name in
            let bytes = FileManager.default.contents(atPath: stored.folder.path + "/" + name)
            return bytes?.range(of: Data(words.utf8)) != nil
        }
    }

    @Test func words_areGone_withTheirCopies() async throws {
        try await stored.host(["keep this"], event: "First")
        try await stored.host(["a secret", "more"], event: "Second")
        let second = try #require(try await stored.listed().first?["session"] as? String)
        // What a host has cut off from a torn log.
        let copy = "\(stored.path)/\(second)/cut-off-at-10"
        #expect(FileManager.default.createFile(atPath: copy, contents: Data("a secret".utf8)))
        let said = try await stored.run("sessions", "delete", "last", "--yes").standardErrorText
        #expect(said.contains("Deleted \"Second\" of ") && said.contains(" with 2 lines."))
        #expect(try !holds("a secret") && holds("keep this"))
        #expect(try stored.ids().count == 1)
        #expect(try await stored.listed().map { $0["event"] as? String } == ["First"])
    }

    @Test func nothing_isDeleted_whereNobodyCanBeAsked() async throws {
        try await stored.host(["one"])
        var launch = Launch.beamscribe(["sessions", "delete", "last"], state: stored.folder)
        launch.input = .null
        launch.prefix = ["setsid", "--wait"]
        let delete = try RunningProgram(launch)
        try await delete.expectExit(64)
        #expect(delete.standardErrorText.contains("give --yes"))
        #expect(try stored.ids().count == 1)
    }

    @Test(arguments: [("y", 0), ("", 1), ("n", 1), ("\u{3}", 1)])
    func user_isAsked(answer: String, left: Int) async throws {
        try await stored.host(["one"])
        let terminal = try PseudoTerminal(
            .beamscribe(["sessions", "delete", "last"], state: stored.folder))
        try await terminal.waitForText("the question") {
            $0.contains("with 1 line for good? [y/N]")
        }
        try await terminal.type(answer + "\r")
        try await terminal.waitForExit()
        #expect(try stored.ids().count == left)
    }

    @Test func all_leavesAnEventThatIsOn_andTakesWhatIsLeftOfOthers() async throws {
        try await stored.host(["one"])
        let remnant = UUID().uuidString.lowercased()
        try FileManager.default.createDirectory(
            atPath: "\(stored.path)/\(remnant)", withIntermediateDirectories: false)
        let words = ["host", "--event", "Live"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: stored.folder))
        _ = try await Room.port(of: host)
        try await host.write("on\n")
        try await eventually("the line to be kept") { try holds("\"on\"") }
        #expect(try stored.ids().count == 3)
        try await stored.run("sessions", "delete", "last", "--yes", exit: 73)
        let said = try await stored.run("sessions", "delete", "--all", "--yes").standardErrorText
        #expect(said.contains("\"Live\" is on, and is left alone."))
        #expect(said.contains("1 event with 1 line and 1 event that cannot be read"))
        #expect(try stored.ids().count == 1)
        host.interrupt()
        try await host.expectExit(0)
    }

    @Test func old_isWhatWasNotHeardOfForSoLong() async throws {
        try await stored.host(["one"])
        let none = try await stored.run("sessions", "delete", "--older-than", "1h", "--yes")
        #expect(none.standardErrorText.contains("nothing to delete"))
        try await stored.run("sessions", "delete", "--older-than", "0d", "--yes")
        #expect(try stored.ids().isEmpty)
    }

    @Test(arguments: [
        [], ["last", "--all"], ["--older-than", "soon"], ["--older-than", "-1d"],
        ["--older-than", "99999999999999999999d"],
    ])
    func misuse_isRefused(words: [String]) async throws {
        var launch = Launch.beamscribe(["sessions", "delete"] + words, state: stored.folder)
        launch.input = .null
        try await RunningProgram(launch).expectExit(64)
    }

    @Test func transcript_isDeletedAtTheEnd_withKeep0_andNotBefore() async throws {
        let room = try await Room.open("--keep", "0")
        try await room.host.waitForLine(
            containing: "is deleted when the event has ended", on: .standardError)
        try await room.tell("a secret")
        let guest = try await room.joined()
        try await guest.waitForLines(1)
        room.host.interrupt()
        try await room.host.expectExit(0)
        let kept = StoredSessions(in: room.folder)
        #expect(try kept.ids().count == 1, "It can go on.")
        let words = ["sessions", "end", "last", "--bind", "127.0.0.1", "--no-bonjour"]
        try await RunningProgram(.beamscribe(words, state: room.folder)).expectExit(0)
        try await guest.expectExit(0)
        #expect(try kept.ids().isEmpty)
    }

    @Test func transcript_isDeleted_onceItsTimeIsOver() async throws {
        let room = try await Room.open("--keep", "2h", "--until-eof")
        try await room.tell("one")
        room.host.closeInput()
        try await room.host.expectExit(0)
        let kept = StoredSessions(in: room.folder)
        try await kept.host(["two"], event: "Next")
        #expect(try kept.ids().count == 2)
        try await age(kept, by: 7_300)
        let words = ["host", "--event", "Third", "--until-eof"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: room.folder))
        host.closeInput()
        try await host.expectExit(0)
        #expect(
            host.standardErrorText.contains("\"Town Hall\" was kept for as long as it was to be"))
        #expect(try await kept.listed().map { $0["event"] as? String } == ["Third", "Next"])
    }

    /// As if all were so many seconds older.
    private func age(_ stored: StoredSessions, by seconds: Double) async throws {
        for id in try stored.ids() {
            let path = "\(stored.path)/\(id)/meta.json"
            let bytes = try #require(FileManager.default.contents(atPath: path))
            var record = try #require(
                try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
            record["runs"] = [["started": Date().timeIntervalSince1970 - seconds, "after": 0]]
            try JSONSerialization.data(withJSONObject: record)
                .write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes(
                [.modificationDate: Date().addingTimeInterval(-seconds)],
                ofItemAtPath: stored.log(of: id))
        }
    }
}
