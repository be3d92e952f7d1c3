import Foundation
import TestSupport
import Testing

/// A host whose disk has lost lines that others hold.
@Suite(.timeLimit(.minutes(3))) struct LostLineTests {
    /// A relay of an event, and a reader who has all of it from there.
    private struct Relayed {
        let relay: Holder
        let reader: RunningProgram
    }

    private func relayed(_ room: Room, code: String? = nil) async throws -> Relayed {
        let relay = try await Holder.open(["relay"], of: room.address, code: code)
        return Relayed(relay: relay, reader: try relay.join("--format", "jsonl", code: code))
    }

    private func sawLine(_ seq: Int, _ relayed: Relayed) async throws {
        try await relayed.reader.waitForLine(containing: #""seq":\#(seq),"#)
    }

    /// Has the disk lose the end of an event's log.
    private func cut(to share: Double, in folder: TemporaryFolder) throws {
        let log = URL(filePath: try SessionFolder(folder).log())
        let bytes = try Data(contentsOf: log)
        try bytes.prefix(Int(Double(bytes.count) * share)).write(to: log)
    }

    private func exported(from folder: TemporaryFolder) async throws -> [String] {
        try await StoredSessions(in: folder).run("export", "last").standardOutputLines
    }

    /// To the end of a line, to its middle, and to nothing at all.
    @Test(arguments: [0.5, 0.6, 0])
    func host_takesItsLinesBack_andNobodyLosesAny(_ share: Double) async throws {
        let first = try await Room.open()
        let relayed = try await relayed(first)
        try await first.tell(numbered(1...6))
        try await sawLine(6, relayed)
        try await first.host.killed()
        try cut(to: share, in: first.folder)

        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.host.waitForLine(containing: "came back from", on: .standardError)
        try await second.tell("line 7")
        try await sawLine(7, relayed)
        second.host.closeInput()
        try await relayed.reader.expectExit(0)
        #expect(!relayed.reader.standardOutputText.contains("withdrawn"))
        #expect(!second.host.standardErrorText.contains("is not signed"))
        #expect(try await exported(from: first.folder) == numbered(1...7))
    }

    @Test func host_provesTheCodeOfItsEvent_toWhoHasItsLines() async throws {
        let code = "4821-7730"
        let room = try await Room.open(code: code)
        let relayed = try await relayed(room, code: code)
        try await room.tell("one", "two")
        try await sawLine(2, relayed)
        try await room.host.killed()
        try cut(to: 0, in: room.folder)
        var launch = Launch.beamscribe(
            ["host", "--resume", "last", "--bind", "127.0.0.1", "--no-bonjour"],
            state: room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        let again = try RunningProgram(launch)
        try await again.waitForLine(containing: "2 lines", on: .standardError)
        #expect(try await exported(from: room.folder) == ["one", "two"])
    }

    /// What somebody else serves where the lines once were is none of the host's.
    @Test func host_takesNobodyElsesLines() async throws {
        let first = try await Room.open()
        let relayed = try await relayed(first)
        try await first.tell(numbered(1...4))
        try await sawLine(4, relayed)
        try await first.host.killed()
        try await relayed.relay.kill()
        try cut(to: 0.5, in: first.folder)
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: relayed.relay.port)
        let other = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        _ = try await Room.port(of: other)
        try await other.write(numbered(1...9).map { $0 + "\n" }.joined())

        let second = try await Room.resume(in: first.folder)
        try await second.host.waitForLine(containing: "Going on", on: .standardError)
        #expect(!second.host.standardErrorText.contains("came back"))
        let kept = try await exported(from: first.folder)
        #expect((1...3).contains(kept.count) && kept == numbered(1...kept.count))
    }

    /// A backup of the state folder lacks a start of the host, too, whose number is used.
    @Test func oldCopyOfAnEvent_goesOnBehindWhatWasSaidSince() async throws {
        let first = try await Room.open()
        let relayed = try await relayed(first)
        try await first.tell(numbered(1...3))
        try await sawLine(3, relayed)
        try await first.host.killed()
        let log = URL(filePath: try SessionFolder(first.folder).log())
        let (kept, copy) = (log.deletingLastPathComponent(), try TemporaryFolder())
        let session = copy.path(of: "copy")
        try FileManager.default.copyItem(atPath: kept.path, toPath: session)
        let second = try await Room.resume(in: first.folder)
        try await second.tell(numbered(4...6))
        try await sawLine(6, relayed)
        try await second.host.killed()
        try FileManager.default.removeItem(at: kept)
        try FileManager.default.copyItem(atPath: session, toPath: kept.path)

        for (old, new) in [(6, 7), (7, 8)] {
            let later = try await Room.resume(in: first.folder)
            try await later.host.waitForLine(containing: "after \(old) lines", on: .standardError)
            try await later.tell("line \(new)")
            try await sawLine(new, relayed)
            #expect(!later.host.standardErrorText.contains("is not signed"))
            try await later.host.killed()
        }
        #expect(!relayed.reader.standardOutputText.contains("withdrawn"))
        #expect(try await exported(from: first.folder) == numbered(1...8))
    }
}
