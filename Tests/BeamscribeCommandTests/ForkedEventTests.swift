import Foundation
import TestSupport
import Testing

/// A state folder that was copied, and two hosts that go on with it.
@Suite struct ForkedEventTests {
    /// An event of one line, and a copy of its folder.
    private func begin() async throws -> (Room, TemporaryFolder) {
        let room = try await Room.open()
        try await room.tell("one")
        let reader = try await room.joined("--no-ble")
        try await reader.waitForLines(1)
        room.host.kill()
        try await room.host.waitForExit()
        reader.stop()
        let copy = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: room.folder.path, toPath: copy.path)
        return (room, copy)
    }

    @Test func readerWhoMeetsBothHosts_isTold_andShowsNothingOfTheOther() async throws {
        let (room, copy) = try await begin()
        let first = try await Room.resume(in: room.folder)
        try await first.tell("two", "three")
        let guest = try first.join("--no-ble")
        try await guest.waitForLines(3)
        let port = "\(first.port)"
        first.host.kill()
        try await first.host.waitForExit()
        let other = try await Room.resume(in: copy, "--port", port)
        try await other.tell("zwei", "drei", "vier")
        try await guest.expectExit(76)
        #expect(guest.standardOutputLines == ["one", "two", "three"])
        let told = try #require(guest.standardErrorText.split(separator: "\n").last)
        #expect(told.contains("was signed with different words"))
        #expect(!told.contains("no beamscribe host"))
    }

    /// Both bring it to one host, which leaves it, and so do they tell.
    @Test func writersOfOneLog_areToldOfEachOther() async throws {
        let room = try await Room.open("--admit", "all")
        let folder = try TemporaryFolder()
        func writer(in folder: TemporaryFolder) throws -> RunningProgram {
            let words = ["host", "--into", "Town Hall", "--as", "Room 2", "--host", room.address]
            return try RunningProgram(.beamscribe(words + ["--no-ble"], state: folder))
        }
        let reader = try await room.joined("--no-ble")
        let first = try writer(in: folder)
        try await first.waitForLine(containing: "Let in", on: .standardError)
        try await first.write("uno\n")
        try await reader.waitForLines(1)
        try await first.killed()
        let copy = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: folder.path, toPath: copy.path)
        let second = try writer(in: folder)
        try await second.waitForLine(containing: "Let in", on: .standardError)
        try await second.write("dos\n")
        try await reader.waitForLines(2)
        let third = try writer(in: copy)
        try await third.waitForLine(containing: "Captioning", on: .standardError)
        try await third.write("zwei\n")
        try await room.host.waitForLine(containing: "is written twice", on: .standardError)
        try await room.tell("one")
        try await reader.waitForLine { $0 == "one" }
        #expect(!reader.standardOutputText.contains("zwei"))
    }
}
