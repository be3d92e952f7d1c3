import TestSupport
import Testing

/// A reader at a real terminal who chooses among the logs of an event.
@Suite(.serialized, Skip.withoutTmux) struct LogChooserScreenTests {
    private func writer(in room: Room, as label: String) async throws -> RunningProgram {
        let writer = try RunningProgram(
            .beamscribe(
                [
                    "host", "--into", "Town Hall", "--as", label, "--host", room.address,
                    "--no-ble",
                ], state: try TemporaryFolder()))
        try await writer.waitForLine(containing: "Let in", on: .standardError)
        return writer
    }

    @Test func reader_choosesLogs_whileTheyGoOn() async throws {
        let room = try await Room.open("--admit", "all")
        let second = try await writer(in: room, as: "Room 2")
        let session = try await TerminalSession(
            room.launchOfGuest(["--no-ble", "--log", "floor"]))
        try await room.tell("one", "two")
        try await second.write("uno\ndos\n")
        try await session.waitForScreen(containing: "  two")
        try await session.type("l")
        try await session.waitForScreen("the list, with all logs") {
            $0[0].hasPrefix("Logs of this event") && $0[1].hasPrefix("> [x] Floor   live")
                && $0[2].hasPrefix("  [ ] Room 2  live")
        }
        // What was said before is there at once.
        try await session.type("j ")
        try await session.waitForScreen("the other log's lines") {
            $0.contains("  Room 2: uno") && $0.contains("  Room 2: dos")
                && $0.contains { $0.contains("4 lines") }
        }
        // Another turns up, and one goes, while the list is open.
        let third = try await writer(in: room, as: "Room 3")
        try await third.write("trois\n")
        try await session.waitForScreen(containing: "  [ ] Room 3")
        second.interrupt()
        try await second.expectExit(0)
        try await session.waitForScreen(containing: "> [x] Room 2  ended")
        try await session.type("a")
        try await session.waitForScreen(containing: "  Room 3: trois")
        try await session.type("k ")
        try await session.send(keys: "Escape")
        try await room.tell("three")
        try await third.write("quatre\n")
        let screen = try await session.waitForScreen("the two rooms alone") {
            $0.contains("  Room 3: quatre") && $0.contains { $0.contains("2 of 3 logs") }
        }
        #expect(screen.contains("  Room 2: uno") && !screen.contains("  one"))
        #expect(!screen.contains("  three"))
    }

    @Test func key_saysSo_whereThereIsOneLog() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let session = try await TerminalSession(room.launchOfGuest(["--no-ble"]))
        try await session.waitForScreen(containing: "  one")
        try await session.type("l")
        try await session.waitForScreen(containing: "in one log: there is nothing to choose")
    }
}
