import Foundation
import TestSupport
import Testing

/// `join --save FILE`: a file that holds each line once, however often the guest is started anew.
@Suite struct SaveTests {
    private func text(_ path: String) -> String {
        (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    }

    private func waitForFile(_ path: String, containing part: String) async throws {
        try await eventually("\"\(part)\" in \(path)") { text(path).contains(part) }
    }

    @Test(arguments: ["txt", "jsonl", "srt", "vtt"])
    func restartedGuest_goesOnInItsFile_withoutDoubling(ending: String) async throws {
        let room = try await Room.open("--until-eof")
        let path = room.folder.path + "/saved.\(ending)"
        try await room.tell(numbered(1...5))
        for round in 1...4 {
            let guest = try room.join("--save", path)
            try await waitForFile(path, containing: "line \(round * 5)")
            // Killed, stopped in good order, killed while lines come.
            if round == 2 { guest.terminate() } else { guest.kill() }
            try await guest.waitForExit()
            try await room.tell(numbered((round * 5 + 1)...(round * 5 + 5)))
        }
        let last = try room.join("--save", path)
        try await last.waitForLines(25)
        room.host.closeInput()
        try await last.expectExit(0)
        #expect(last.standardOutputLines == numbered(1...25), "The screen has all of it.")
        let found = text(path).matches(of: /line (\d+)/).compactMap { Int($0.output.1) }
        #expect(found == Array(1...25))
        #expect(!FileManager.default.fileExists(atPath: path + ".beamscribe"), "It is finished.")
        if ending == "vtt" {
            #expect(text(path).matches(of: /WEBVTT\n\nNOTE Written by beamscribe\n/).count == 1)
        }
        // One mark, however often the file was continued.
        if ending == "srt" { #expect(text(path).matches(of: /[ ]{5}\n/).count == 1) }
    }

    /// A file that was cut in the middle of a line goes on where its position says.
    @Test func halfALine_isWrittenAgain() async throws {
        let room = try await Room.open("--until-eof")
        let path = room.folder.path + "/saved.txt"
        try await room.tell(numbered(1...3))
        let first = try room.join("--save", path)
        try await waitForFile(path, containing: "line 3")
        try await eventually("the position") {
            text(path + ".beamscribe").contains(#""after":3"#)
        }
        first.kill()
        try await first.waitForExit()
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Array("line".utf8))
        try file.close()
        let second = try room.join("--save", path)
        try await room.tell("line 4")
        try await waitForFile(path, containing: "line 4")
        room.host.closeInput()
        try await second.expectExit(0)
        #expect(text(path) == numbered(1...4).joined(separator: "\n") + "\n")
    }

    @Test(arguments: [[], ["--no-history"], ["--from", "2"]])
    func anotherSessionsLines_goToAFileOfTheirOwn(options: [String]) async throws {
        let first = try await Room.open()
        let path = first.folder.path + "/saved.txt"
        try await first.tell(numbered(1...7, "of the first"))
        let guest = try first.join("--save", path)
        try await waitForFile(path, containing: "of the first 7")
        guest.kill()
        try await guest.waitForExit()
        let before = text(path)
        let second = try await Room.open("--until-eof")
        try await second.tell("one", "two")
        var launch = second.launchOfGuest(options + ["--save", path])
        launch.input = .null
        let other = try RunningProgram(launch)
        try await other.waitForLine(containing: "Joined", on: .standardError)
        try await second.tell("three")
        let own = first.folder.path + "/saved-2.txt"
        try await waitForFile(own, containing: "three")
        second.host.closeInput()
        try await other.expectExit(0)
        let said = "\(path) is there already: the lines go to \(own)"
        #expect(other.standardErrorText.contains(said))
        let expected = ["one", "two", "three"].dropFirst(
            options.isEmpty ? 0 : options == ["--no-history"] ? 2 : 1)
        #expect(other.standardOutputLines == Array(expected))
        #expect(text(own) == expected.joined(separator: "\n") + "\n")
        #expect(text(path) == before)
        // The first one's file is still its own.
        let right = try first.join("--save", path)
        try await right.waitForLines(7)
        try await first.tell("again of the first")
        try await waitForFile(path, containing: "again of the first")
    }

    @Test func somebodyElsesFile_isLeftAlone() async throws {
        let room = try await Room.open()
        let path = room.folder.path + "/thesis.txt"
        try Data("my thesis\n".utf8).write(to: URL(fileURLWithPath: path))
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + ".beamscribe"))
        let guest = try room.join("--save", path)
        try await room.tell("one")
        try await waitForFile(room.folder.path + "/thesis-2.txt", containing: "one")
        #expect(text(path) == "my thesis\n" && guest.isRunning)
    }

    @Test func secondGuest_writesAFileOfItsOwn_whileOneWritesTheFirst() async throws {
        let room = try await Room.open()
        let path = room.folder.path + "/saved.txt"
        try await room.tell("one")
        let first = try room.join("--save", path)
        try await waitForFile(path, containing: "one")
        let second = try room.join("--save", path)
        try await waitForFile(room.folder.path + "/saved-2.txt", containing: "one")
        try await room.tell("two")
        try await waitForFile(path, containing: "two")
        try await waitForFile(room.folder.path + "/saved-2.txt", containing: "two")
        #expect(text(path) == "one\ntwo\n" && first.isRunning && second.isRunning)
    }

    @Test func guestThatNeverGetsIn_leavesNoFile_andTheNextOneHasItsName() async throws {
        let room = try await Room.open(code: "4821-7730")
        let path = room.folder.path + "/saved.srt"
        let wrong = try room.join(code: "4821-7731", "--save", path)
        try await wrong.expectExit(77)
        let files = try FileManager.default.contentsOfDirectory(atPath: room.folder.path)
        #expect(!files.contains { $0.hasPrefix("saved") })
        try await room.tell("one")
        let right = try room.join(code: "4821-7730", "--save", path)
        try await waitForFile(path, containing: "one")
        #expect(right.isRunning)
    }

    /// The host has lost its last lines, and says others under their numbers. A guest that was away
    /// tells it as one that was there does.
    @Test(arguments: ["stays", "killed", "stopped"])
    func linesThatTheHostLost_areWithdrawn_inTheFile(_ guestWas: String) async throws {
        let first = try await Room.open()
        let path = first.folder.path + "/saved.jsonl"
        var guest = try first.join("--save", path)
        try await first.tell(numbered(1...10))
        try await waitForFile(path, containing: "line 10")
        try await eventually("the position") {
            text(path + ".beamscribe").contains(#""after":10"#)
        }
        try await first.host.killed()
        if guestWas == "killed" { try await guest.killed() }
        if guestWas == "stopped" {
            guest.interrupt()
            try await guest.waitForExit()
        }
        let log = URL(filePath: try SessionFolder(first.folder).log())
        let bytes = try Data(contentsOf: log)
        let place = try #require(bytes.firstRange(of: Data(#""text":"line 8""#.utf8)))
        try bytes.prefix(place.lowerBound).write(to: log)
        let second = try await Room.resume(in: first.folder)
        try await second.tell(numbered(8...12, "new"))
        if guestWas != "stays" { guest = try second.join("--save", path) }
        try await waitForFile(path, containing: "new 12")
        let written = text(path).split(separator: "\n").map { line in
            line.matches(of: /"text":"([^"]*)"/).first.map { String($0.output.1) } ?? String(line)
        }
        let withdrawal = #"{"from":8,"through":10,"type":"withdrawn"}"#
        #expect(written == numbered(1...10) + [withdrawal] + numbered(8...12, "new"))
        try await guest.waitForLine(
            containing: "the host has lost lines 8 to 10", on: .standardError)
        let told = guest.standardErrorLines.filter { $0.contains("has lost") }
        #expect(told.count == 1 && told.first?.contains("warning: ") == true, "\(told)")
    }

    // MARK: A disk that fails

    /// A guest with a folder of 64 KiB, in a mount namespace of its own, filled up by a file that
    /// can be taken away.
    private func joinOnFullDisk(
        _ room: Room, _ folder: TemporaryFolder
    ) async throws -> (RunningProgram, path: String, freeUp: () throws -> Void) {
        let script = """
            mount -t tmpfs -o size=64k tmpfs "$1" && cd "$1" && shift &&
                { cat /dev/zero >filler 2>/dev/null; exec "$@"; }
            """
        var launch = room.launchOfGuest(["--save", "saved.txt"])
        launch.prefix = ["unshare", "--mount", "sh", "-c", script, "sh", folder.path]
        let guest = try RunningProgram(launch)
        try await guest.waitForLines(3)
        let inside = "/proc/\(guest.pid)/root\(folder.path)"
        return (
            guest, inside + "/saved.txt",
            { try FileManager.default.removeItem(atPath: inside + "/filler") }
        )
    }

    @Test(Skip.withoutRoot) func captionsGoOn_whenTheDiskIsFull_andAreSavedLater() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...3))
        let folder = try TemporaryFolder()
        let (guest, path, freeUp) = try await joinOnFullDisk(room, folder)
        try await guest.waitForLine(containing: "No space left", on: .standardError)
        try await room.tell(numbered(4...6))
        try await guest.waitForLines(6)
        try freeUp()
        // Nothing more has to come.
        try await waitForFile(path, containing: "line 6")
        try await room.tell("line 7")
        try await waitForFile(path, containing: "line 7")
        #expect(text(path) == numbered(1...7).joined(separator: "\n") + "\n")
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardErrorLines.count { $0.contains("No space left") } == 1)
    }

    @Test(Skip.withoutRoot) func guest_endsWithCode74_whenTheFileLacksLines() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...3))
        let folder = try TemporaryFolder()
        let (guest, _, _) = try await joinOnFullDisk(room, folder)
        room.host.closeInput()
        try await guest.expectExit(74)
        #expect(guest.standardOutputLines == numbered(1...3))
        let last = try #require(guest.standardErrorLines.last)
        #expect(last.contains("saved.txt lacks the last 3 lines: ") && last.contains("No space"))
    }

    @Test(arguments: [["--no-history"], ["--from", "9"]])
    func fileThatGoesOn_getsAllThatItLacks_whateverIsShown(options: [String]) async throws {
        let room = try await Room.open("--until-eof")
        let path = room.folder.path + "/saved.txt"
        try await room.tell(numbered(1...3))
        let first = try room.join("--save", path)
        try await waitForFile(path, containing: "line 3")
        first.interrupt()
        try await first.expectExit(0)
        try await room.tell(numbered(4...10))
        var launch = room.launchOfGuest(options + ["--save", path])
        launch.input = .null
        let second = try RunningProgram(launch)
        try await waitForFile(path, containing: "line 10")
        room.host.closeInput()
        try await second.expectExit(0)
        #expect(text(path) == numbered(1...10).joined(separator: "\n") + "\n")
    }
}
