import Foundation
import Glibc
import TestSupport
import Testing

/// More guests than there is room for, and guests that only take room.
@Suite(.serialized) struct CrowdTests {
    @Test func guest_isRefused_whenTheRoomIsFull() async throws {
        let room = try await Room.open("--max-guests", "1")
        let guest = try await room.joined()
        let second = try room.join()
        try await second.expectExit(77)
        #expect(second.standardErrorText.contains("1 guests"))
        let byHand = try WireConnection(to: room.port)
        try await byHand.send(Wire.handshake())
        #expect(try await byHand.receive("handshake_response").reason == "full")
        try await byHand.waitForEnd()
        try await room.tell("still here")
        #expect(try await guest.waitForLines(1) == ["still here"])
        guest.interrupt()
        try await guest.expectExit(0)
        let third = try await room.joined()
        #expect(try await third.waitForLines(1) == ["still here"])
    }

    @Test func host_goesOn_whenAGuestNeverReads() async throws {
        let room = try await Room.open("--verbose")
        let guest = try await room.joined()
        let deaf = try WireConnection(to: room.port)
        try await deaf.send(Wire.handshake(name: "Deaf"))
        let words = String(repeating: " and so on", count: 30)
        let lines = numbered(1...20_000).map { $0 + words }
        for start in stride(from: 0, to: lines.count, by: 2_000) {
            deaf.sendWhatFits(Wire.keepAlive)
            try await room.tell(Array(lines[start..<(start + 2_000)]))
            try await guest.waitForLines(start + 2_000)
        }
        #expect(guest.standardOutputLines == lines)
        // The transcript itself, and not once more for each guest.
        #expect(peakMemory(of: room.host) < 100_000)
        try await room.host.waitForLine(
            containing: "Deaf", on: .standardError, within: .seconds(20))
        try await room.host.waitForLine(
            containing: "was silent for 6 s", on: .standardError, within: .seconds(20))
        #expect(guest.isRunning)
    }

    @Test func host_goesOn_whenConnectionsFlood() async throws {
        let room = try await Room.open("--verbose")
        let guest = try await room.joined()
        var flood: [TCPSocket] = []
        for number in 1...Self.floodSize {
            flood.append(try TCPSocket.connected(to: room.port))
            guard number.isMultiple(of: 500) else { continue }
            try await room.tell("after \(number)")
            try await guest.waitForLine(containing: "after \(number)")
        }
        try await room.host.waitForLine(
            containing: "while too many connections were open", on: .standardError)
        #expect(peakMemory(of: room.host) < 150_000)
        flood = []
        let late = try await room.joined()
        try await room.tell("over")
        try await late.waitForLine(containing: "over")
        try await guest.waitForLine(containing: "over")
        #expect(guest.standardOutputLines == late.standardOutputLines)
        #expect(!guest.standardErrorText.contains("trying again"))
    }

    /// As many as this process may have open, less what other tests need.
    private static let floodSize: Int = {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return max(500, min(5_000, Int(clamping: limit.rlim_cur) - 1_500) / 500 * 500)
    }()
}
