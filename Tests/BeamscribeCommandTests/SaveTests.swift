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
            #expect(text(path).matches(of: /WEBVTT/).count == 1)
        }
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

    @Test func guest_endsWithCode73_whenTheFileIsOfAnotherSession() async throws {
        let first = try await Room.open()
        let path = first.folder.path + "/saved.txt"
        try await first.tell("of the first")
        let guest = try first.join("--save", path)
        try await waitForFile(path, containing: "of the first")
        guest.kill()
        try await guest.waitForExit()
        let second = try await Room.open()
        try await second.tell("of the second")
        let wrong = try second.join("--save", path)
        try await wrong.expectExit(73)
        #expect(wrong.standardErrorText.contains("another session"))
        #expect(wrong.standardOutputText == "")
        #expect(text(path) == "of the first\n")
        let right = try first.join("--save", path)
        try await right.waitForLines(1)
        try await first.tell("again of the first")
        try await waitForFile(path, containing: "again of the first")
    }

    @Test func guest_endsWithCode73_whenTheFileIsSomebodyElses() async throws {
        let room = try await Room.open()
        let path = room.folder.path + "/thesis.txt"
        try Data("my thesis\n".utf8).write(to: URL(fileURLWithPath: path))
        let guest = try room.join("--save", path)
        try await guest.expectExit(73)
        #expect(text(path) == "my thesis\n")
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: path + ".beamscribe"))
        let again = try room.join("--save", path)
        try await again.expectExit(73)
        #expect(text(path) == "my thesis\n")
    }

    @Test func secondGuest_isRefusedTheFile_whileOneWritesIt() async throws {
        let room = try await Room.open()
        let path = room.folder.path + "/saved.txt"
        try await room.tell("one")
        let first = try room.join("--save", path)
        try await waitForFile(path, containing: "one")
        try await eventually("the position") {
            text(path + ".beamscribe").contains(#""after":1"#)
        }
        let second = try room.join("--save", path)
        try await second.expectExit(73)
        #expect(second.standardErrorText.contains("Another program is writing it"))
        try await room.tell("two")
        try await waitForFile(path, containing: "two")
        #expect(first.isRunning)
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
