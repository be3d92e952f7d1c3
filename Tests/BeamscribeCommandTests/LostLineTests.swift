import Foundation
import TestSupport
import Testing

/// A host whose disk has lost lines that others hold.
@Suite(.timeLimit(.minutes(3))) struct LostLineTests {
    /// A relay of an event, and a reader who has all of it from there.
    private struct Relayed {
        let relay: RunningProgram
        let port: UInt16
        let reader: RunningProgram
    }

    private func relayed(_ address: String, code: String? = nil) async throws -> Relayed {
        let words = ["relay", "--host", address, "--no-ble"] + Room.quiet(port: 0)
        let relay = try program(words, in: TemporaryFolder(), code: code)
        let port = try Room.port(
            in: await relay.waitForLine(containing: "Serving", on: .standardError))
        let join = ["join", "--host", "127.0.0.1:\(port)", "--no-ble", "--format", "jsonl"]
        let reader = try program(join, in: TemporaryFolder(), code: code)
        return Relayed(relay: relay, port: port, reader: reader)
    }

    private func program(
        _ words: [String], in folder: TemporaryFolder, code: String? = nil
    ) throws -> RunningProgram {
        var launch = Launch.beamscribe(words, state: folder)
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try RunningProgram(launch)
    }

    private func sawLine(_ seq: Int, _ relayed: Relayed) async throws {
        try await relayed.reader.waitForLine(containing: #""seq":\#(seq),"#)
    }

    /// Where an event of a state folder is kept.
    private func session(in folder: TemporaryFolder) throws -> URL {
        let events = URL(filePath: folder.path(of: "beamscribe/events"))
        let names = try FileManager.default.contentsOfDirectory(atPath: events.path)
        return events.appending(path: try #require(names.first))
    }

    /// Has the disk lose the end of an event's log.
    private func cut(to share: Double, in folder: TemporaryFolder) throws {
        let log = try session(in: folder).appending(path: "log")
        let bytes = try Data(contentsOf: log)
        try bytes.prefix(Int(Double(bytes.count) * share)).write(to: log)
    }

    private func kill(_ host: RunningProgram) async throws {
        host.kill()
        try await host.waitForExit()
    }

    private func exported(from folder: TemporaryFolder) async throws -> [String] {
        let export = try RunningProgram(.beamscribe(["export", "last"], state: folder))
        try await export.expectExit(0)
        return export.standardOutputLines
    }

    /// To the end of a line, to its middle, and to nothing at all.
    @Test(arguments: [0.5, 0.6, 0])
    func host_takesItsLinesBack_andNobodyLosesAny(_ share: Double) async throws {
        let first = try await Room.open()
        let relayed = try await relayed(first.address)
        try await first.tell(numbered(1...6))
        try await sawLine(6, relayed)
        try await kill(first.host)
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
        let (folder, code) = (try TemporaryFolder(), "4821-7730")
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: 0)
        let host = try program(words, in: folder, code: code)
        let relayed = try await relayed("127.0.0.1:\(Room.port(of: host))", code: code)
        try await host.write("one\ntwo\n")
        try await sawLine(2, relayed)
        try await kill(host)
        try cut(to: 0, in: folder)
        let again = try program(
            ["host", "--resume", "last", "--bind", "127.0.0.1", "--no-bonjour"], in: folder,
            code: code)
        try await again.waitForLine(containing: "2 lines", on: .standardError)
        #expect(try await exported(from: folder) == ["one", "two"])
    }

    /// What somebody else serves where the lines once were is none of the host's.
    @Test func host_takesNobodyElsesLines() async throws {
        let first = try await Room.open()
        let relayed = try await relayed(first.address)
        try await first.tell(numbered(1...4))
        try await sawLine(4, relayed)
        try await kill(first.host)
        try await kill(relayed.relay)
        try cut(to: 0.5, in: first.folder)
        let words =
            ["host", "--event", "Town Hall", "--bind", "127.0.0.1", "--no-bonjour"]
            + ["--port", "\(relayed.port)"]
        let other = try program(words, in: TemporaryFolder())
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
        let relayed = try await relayed(first.address)
        try await first.tell(numbered(1...3))
        try await sawLine(3, relayed)
        try await kill(first.host)
        let (kept, copy) = (try session(in: first.folder), try TemporaryFolder())
        let session = copy.path(of: "copy")
        try FileManager.default.copyItem(atPath: kept.path, toPath: session)
        let second = try await Room.resume(in: first.folder)
        try await second.tell(numbered(4...6))
        try await sawLine(6, relayed)
        try await kill(second.host)
        try FileManager.default.removeItem(at: kept)
        try FileManager.default.copyItem(atPath: session, toPath: kept.path)

        for (old, new) in [(6, 7), (7, 8)] {
            let later = try await Room.resume(in: first.folder)
            try await later.host.waitForLine(containing: "after \(old) lines", on: .standardError)
            try await later.tell("line \(new)")
            try await sawLine(new, relayed)
            #expect(!later.host.standardErrorText.contains("is not signed"))
            try await kill(later.host)
        }
        #expect(!relayed.reader.standardOutputText.contains("withdrawn"))
        #expect(try await exported(from: first.folder) == numbered(1...8))
    }
}
