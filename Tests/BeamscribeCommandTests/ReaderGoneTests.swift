import TestSupport
import Testing

/// What becomes of a program whose output nobody reads any more, and that has nothing to write.
@Suite struct ReaderGoneTests {
    @Test func pipeline_ends_whenHeadHasSeenEnough_andNothingMoreIsSaid() async throws {
        let room = try await Room.open()
        let guest = room.launchOfGuest()
        let command = ([Binary.beamscribe] + guest.arguments).joined(separator: " ")
        var launch = Launch("bash", "-c", "\(command) | head -n 2; echo ${PIPESTATUS[0]}")
        launch.environment = guest.environment
        let pipeline = try RunningProgram(launch)
        try await room.tell("one", "two")
        try await pipeline.expectExit(0)
        #expect(pipeline.standardOutputLines == ["one", "two", "0"])
    }

    @Test func guest_ends_whenItsReaderGoes_beforeAHostIsFound() async throws {
        let room = try await Room.open()
        var launch = Launch.beamscribe(
            ["join", "Nobody's event", "--timeout", "86400"], state: room.folder)
        launch.output = .unread
        let guest = try RunningProgram(launch)
        guest.closeUnreadOutput()
        try await guest.expectExit(0)
    }

    @Test func browse_ends_whenItsReaderGoes() async throws {
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(["browse", "--watch", "--no-ble"], state: folder)
        launch.output = .unread
        let browser = try RunningProgram(launch)
        browser.closeUnreadOutput()
        try await browser.expectExit(74)
    }

    @Test func host_goesOn_whenNobodyReadsItsCopies() async throws {
        let room = try await Room.open("--tee", output: .unread)
        let guest = try await room.joined()
        room.host.closeUnreadOutput()
        try await room.tell("one", "two")
        #expect(try await guest.waitForLines(2) == ["one", "two"])
        #expect(room.host.isRunning)
    }
}
