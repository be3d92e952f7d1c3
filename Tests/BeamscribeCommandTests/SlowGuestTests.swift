import TestSupport
import Testing

/// A guest whose reader stands still costs nobody else anything, and loses nothing.
@Suite(.serialized) struct SlowGuestTests {
    /// With these words more than the kernel holds for who reads nothing, and not so much that a busy
    /// machine takes a minute for it: a host gives up on whoever takes nothing for that long.
    private static let count = 12_000
    private static let words = String(repeating: " and so on", count: 80)
    private static let lines = numbered(1...count).map { $0 + words }

    /// A room in which `count` lines were said, of which `slow` has read none so far.
    private func openRoom() async throws -> (
        room: Room, slow: RunningProgram, fast: RunningProgram
    ) {
        let room = try await Room.open("--until-eof")
        let slow = try room.join(output: .unread)
        try await slow.waitUntilJoined()
        let fast = try await room.joined()
        try await room.tell(Self.lines)
        try await fast.waitForLines(Self.count)
        return (room, slow, fast)
    }

    @Test func slowGuest_getsEveryLineOnce_whenItReadsOn() async throws {
        let (room, slow, fast) = try await openRoom()
        #expect(fast.standardOutputLines == Self.lines)
        try await room.tell("one more")
        try await fast.waitForLines(Self.count + 1)
        #expect(slow.isRunning)
        #expect(peakMemory(of: slow) < 200_000)
        slow.startReading()
        try await slow.waitForLines(Self.count + 1)
        room.host.closeInput()
        try await slow.expectExit(0)
        #expect(slow.standardOutputLines == Self.lines + ["one more"])
        #expect(!slow.standardErrorText.contains("trying again"))
        try await room.host.expectExit(0)
    }

    @Test func host_waitsForASlowGuest_whenItsInputHasEnded() async throws {
        let (room, slow, fast) = try await openRoom()
        room.host.closeInput()
        try await fast.expectExit(0)
        // Longer than a guest may take to close its side.
        try await Task.sleep(for: .seconds(7))
        slow.startReading()
        try await slow.expectExit(0)
        #expect(slow.standardOutputLines == Self.lines)
        try await room.host.expectExit(0)
    }

    @Test func host_staysSmall_whenAGuestIsSuspended() async throws {
        let room = try await Room.open()
        let slow = try await room.joined()
        slow.suspend()
        let fast = try await room.joined()
        try await room.tell(Self.lines)
        try await fast.waitForLines(Self.count)
        try await room.host.waitForLine(
            containing: "was silent for 6 s", on: .standardError)
        #expect(peakMemory(of: room.host) < 100_000)
        slow.resume()
        try await slow.waitForLines(Self.count)
        #expect(slow.standardOutputLines == Self.lines)
    }
}
