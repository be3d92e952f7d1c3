import Foundation
import TestSupport
import Testing

/// The command that somebody types once more after a crash.
@Suite struct SameCommandTests {
    /// Starts a host of the same event, in the folder and at the port of another.
    private func again(after room: Room, _ options: String...) async throws -> Room {
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: room.port) + options
        let host = try RunningProgram(.beamscribe(words, state: room.folder))
        let port = try await Room.port(of: host)
        return Room(folder: room.folder, host: host, address: "127.0.0.1:\(port)", port: port)
    }

    private func crashed(at address: String = "127.0.0.1") async throws -> (Room, RunningProgram) {
        let room = try await Room.open()
        let guest = try await room.joined()
        try await room.tell("one", "two")
        try await guest.waitForLines(2)
        room.host.kill()
        try await room.host.waitForExit()
        return (room, guest)
    }

    @Test func host_goesOn_whenTheEventWasInterrupted() async throws {
        let (room, guest) = try await crashed()
        let second = try await again(after: room, "--until-eof")
        try await second.host.waitForLine(
            containing: "going on with it (--new begins another)", on: .standardError)
        try await second.tell("three")
        try await guest.waitForLines(3)
        second.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two", "three"])
        #expect(try SessionFolder(room.folder).texts() == ["one", "two", "three"])
    }

    @Test func guest_follows_whenTheHostBeginsAnew() async throws {
        let (room, guest) = try await crashed()
        let json = try room.join("--format", "jsonl", "--save", room.folder.path + "/kept.txt")
        let second = try await again(after: room, "--new")
        try await second.tell("one anew", "two anew")
        try await guest.waitForLine(containing: "begun the event anew", on: .standardError)
        try await guest.waitForLines(4)
        try await json.waitForLine(containing: "two anew")
        try await second.end()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["one", "two", "one anew", "two anew"])
        // This one had nothing of the first.
        #expect(!json.standardOutputText.contains("begun_anew"))
    }

    @Test func host_beginsAnother_afterTheEnd_andWithAnotherName() async throws {
        let (room, guest) = try await crashed()
        defer { guest.kill() }
        let other = try RunningProgram(
            .beamscribe(
                ["host", "--event", "Another", "--until-eof"] + Room.quiet(port: 0),
                state: room.folder))
        try await other.write("x\n")
        other.closeInput()
        try await other.expectExit(0)
        #expect(!other.standardErrorText.contains("going on"))
        let second = try await again(after: room, "--until-eof")
        second.host.closeInput()
        try await second.host.expectExit(0)
        let third = try await again(after: room, "--until-eof")
        third.host.closeInput()
        try await third.host.expectExit(0)
        #expect(!third.host.standardErrorText.contains("going on"))
    }

    @Test func host_beginsAnother_whenTheCodeIsNotGiven() async throws {
        let room = try await Room.open(code: "10K3M-9QX2T")
        try await room.tell("one")
        let guest = try room.join(code: "10K3M-9QX2T")
        try await guest.waitForLines(1)
        guest.kill()
        room.host.kill()
        try await room.host.waitForExit()
        let second = try await again(after: room)
        try await second.host.waitForLine(
            containing: "asks for a code, which was not given", on: .standardError)
        second.host.interrupt()
        try await second.host.expectExit(0)
    }

    /// On a terminal the operator is asked.
    @Test(arguments: [("", true), ("y", true), ("n", false), ("No", false)])
    func operator_decides(answer: String, goesOn: Bool) async throws {
        let (room, guest) = try await crashed()
        defer { guest.kill() }
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: 0)
        let terminal = try PseudoTerminal(.beamscribe(words, state: room.folder))
        try await terminal.waitForText("the question") { $0.contains("Go on with it") }
        try await terminal.type(answer + "\r")
        try await terminal.waitForText("the host") { $0.contains("Guests join with:") }
        let found = goesOn ? "Going on in session" : "Key of this host"
        let text = try await terminal.waitForText("what it does") { $0.contains(found) }
        #expect(text.contains("Going on in session") == goesOn)
        terminal.signal(15)
    }

    @Test func host_leaves_whenTheOperatorHasEnough() async throws {
        let (room, guest) = try await crashed()
        defer { guest.kill() }
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: 0)
        let terminal = try PseudoTerminal(.beamscribe(words, state: room.folder))
        try await terminal.waitForText("the question") { $0.contains("Go on with it") }
        try await terminal.type("\u{3}")
        #expect(try await terminal.waitForExit() == .exited(0))
    }
}
