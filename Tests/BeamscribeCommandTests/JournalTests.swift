import Foundation
import TestSupport
import Testing

/// What a host keeps on the disk, and what it does when it cannot.
@Suite struct JournalTests {
    @Test func everyLineThatAGuestHas_isInTheLog_whenTheHostIsKilled() async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        try await room.tell(numbered(1...2_000))
        try await guest.waitForOutput("some lines") { $0.standardOutput.lines.count > 100 }
        room.host.kill()
        try await room.host.waitForExit()
        let seen = guest.standardOutputLines
        let kept = try SessionFolder(room.folder).texts()
        #expect(kept.starts(with: seen), "seen \(seen.count), kept \(kept.count)")
    }

    @Test func files_areTheUsersOwn_andTheRecordTellsHowItEnded() async throws {
        let room = try await Room.open(event: "Früh 🎉")
        let sessions = SessionFolder(room.folder)
        #expect(try sessions.record()["state"] as? String == "running")
        try await room.tell("one")
        room.host.terminate()
        try await room.host.expectExit(0)
        #expect(try sessions.record()["state"] as? String == "stopped")
        #expect(try sessions.record()["eventName"] as? String == "Früh 🎉")
        #expect(try sessions.record()["port"] as? Int == Int(room.port))
        let log = try sessions.log()
        #expect(try mode(of: log) == 0o600)
        #expect(try mode(of: (log as NSString).deletingLastPathComponent) == 0o700)
        let goOn = "beamscribe host --resume \(try sessions.onlyID().prefix(8))"
        #expect(room.host.standardErrorText.contains(goOn))
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func ended_isRecorded_whenTheInputHasEnded() async throws {
        let room = try await Room.open("--until-eof")
        room.host.closeInput()
        try await room.host.expectExit(0)
        let sessions = SessionFolder(room.folder)
        #expect(try sessions.record()["state"] as? String == "ended")
        #expect(!room.host.standardErrorText.contains("--resume"))
    }

    @Test func nothing_isWritten_whenTheEventIsEphemeral() async throws {
        let room = try await Room.open("--ephemeral", "--until-eof")
        let guest = try await room.joined()
        try await room.tell(numbered(1...10))
        try await guest.waitForLines(10)
        guest.stop()
        room.host.closeInput()
        try await room.host.expectExit(0)
        #expect(SessionFolder(room.folder).ids == [])
    }

    @Test func noFolder_isMade_whenTheEventIsEphemeral() async throws {
        let room = try await Room.open("--ephemeral", "--until-eof")
        try await room.tell("gone for good")
        room.host.closeInput()
        try await room.host.expectExit(0)
        let left = try FileManager.default.contentsOfDirectory(atPath: room.folder.path)
        #expect(left == [])
    }

    @Test func host_endsWithCode74_whenTheTranscriptWasNotSaved() async throws {
        let folder = try TemporaryFolder()
        try Data().write(to: URL(fileURLWithPath: folder.path + "/beamscribe"))
        let words = ["host", "--event", "Town Hall", "--until-eof"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: folder))
        try await host.write("one\n")
        host.closeInput()
        try await host.expectExit(74)
        #expect(host.standardErrorLines.last?.contains("not saved to its end") == true)
    }

    @Test func ephemeral_andResume_excludeEachOther() async throws {
        let host = try RunningProgram(
            .beamscribe(
                ["host", "--ephemeral", "--resume", "last"], state: try TemporaryFolder()))
        try await host.expectExit(64)
        #expect(host.standardErrorText.contains("exclude each other"))
    }

    // MARK: A disk that fails

    /// A file system of 128 KiB for the state, in a mount namespace of the host's own, filled up
    /// by a file that can be taken away.
    private func openOnSmallDisk() async throws -> (Room, freeUp: () async throws -> Void) {
        let folder = try TemporaryFolder()
        let script = """
            mount -t tmpfs -o size=128k tmpfs "$1" && shift && exec "$@"
            """
        var launch = Launch.beamscribe(
            ["host", "--event", "Town Hall", "--until-eof"] + Room.quiet(port: 0), state: folder)
        launch.prefix = ["unshare", "--mount", "sh", "-c", script, "sh", folder.path]
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        let inside = "/proc/\(host.pid)/root\(folder.path)"
        let filler = "\(inside)/filler"
        try Data(repeating: 0, count: 100 * 1_024).write(to: URL(fileURLWithPath: filler))
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        return (room, { try FileManager.default.removeItem(atPath: filler) })
    }

    @Test(Skip.withoutRoot) func captionsGoOn_whenTheDiskIsFull_andAreSavedLater() async throws {
        let (room, freeUp) = try await openOnSmallDisk()
        let guest = try room.join("--format", "jsonl")
        let plain = try await room.joined()
        var told = 0
        while !room.host.standardErrorText.contains("not being saved"), told < 2_000 {
            try await room.tell(numbered((told + 1)...(told + 50)))
            told += 50
            try await plain.waitForLines(told)
        }
        try await room.host.waitForLine(containing: "No space left", on: .standardError)
        try await guest.waitForLine(containing: #""kind":"storage_failed""#)
        let late = try room.join("--format", "jsonl")
        try await late.waitForLine(containing: #""kind":"storage_failed""#)
        try await freeUp()
        try await room.host.waitForLine(containing: "saved again", on: .standardError)
        try await guest.waitForLine(containing: #""kind":"storage_restored""#)
        try await room.tell("the last one")
        try await plain.waitForLines(told + 1)
        let kept = try keptInside(room)
        #expect(kept == numbered(1...told) + ["the last one"])
        room.host.closeInput()
        try await plain.expectExit(0)
        #expect(plain.standardOutputLines == numbered(1...told) + ["the last one"])
        let warnings = room.host.standardErrorLines.filter { $0.contains("not being saved") }
        #expect(warnings.count == 1)
    }

    /// The lines in the log as it is within the host's own mounts.
    private func keptInside(_ room: Room) throws -> [String] {
        let root = "/proc/\(room.host.pid)/root\(room.folder.path)/beamscribe/events"
        let names = try FileManager.default.contentsOfDirectory(atPath: root)
        let copy = try TemporaryFolder()
        try FileManager.default.createDirectory(
            atPath: copy.path + "/beamscribe/events", withIntermediateDirectories: true)
        for name in names {
            try FileManager.default.copyItem(
                atPath: "\(root)/\(name)", toPath: "\(copy.path)/beamscribe/events/\(name)")
        }
        return try SessionFolder(copy).texts()
    }

    @Test func captionsGoOn_whenTheStateFolderCannotBeMade() async throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/a-file"
        try Data().write(to: URL(fileURLWithPath: file))
        var launch = Launch.beamscribe(
            ["host", "--event", "Town Hall", "--until-eof"] + Room.quiet(port: 0), state: folder)
        launch.environment["XDG_STATE_HOME"] = file
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        try await host.waitForLine(containing: "not being saved", on: .standardError)
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        let guest = try await room.joined()
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        // As soon as it can be made, everything is in it.
        try FileManager.default.removeItem(atPath: file)
        try await host.waitForLine(containing: "saved again", on: .standardError)
        try await room.tell("four")
        try await guest.waitForLines(4)
        host.closeInput()
        try await guest.expectExit(0)
        try await host.expectExit(0)
        let log = try FileManager.default.subpathsOfDirectory(atPath: file)
            .first { $0.hasSuffix("/log") }
        let size = try #require(log).isEmpty ? 0 : try size(of: "\(file)/\(log ?? "")")
        #expect(size > 4 * 80)
    }

    @Test func host_promisesNothing_whenNothingWasKept() async throws {
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(
            ["host", "--event", "Town Hall"] + Room.quiet(port: 0), state: folder)
        launch.environment["XDG_STATE_HOME"] = try folder.write("", to: "a-file")
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        let guest = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLines(1)
        host.signal(SIGINT)
        try await host.expectExit(74)
        #expect(host.standardErrorText.contains("Nothing was kept to go on with"))
        #expect(!host.standardErrorText.contains("--resume"))
    }

    private func size(of path: String) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
    }
}
