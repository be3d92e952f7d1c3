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

    /// What those say who flood a host with connections: nothing, or half a TLS handshake.
    @Test(arguments: [[], Array(StrangerTests.clientHello.prefix(100))])
    func host_goesOn_whenConnectionsFlood(saying: [UInt8]) async throws {
        let room = try await Room.open("--verbose")
        let guest = try await room.joined()
        var flood: [TCPSocket] = []
        for number in 1...Self.floodSize {
            flood.append(try TCPSocket.connected(to: room.port))
            if !saying.isEmpty { _ = flood.last?.send(saying) }
            guard number.isMultiple(of: 500) else { continue }
            try await room.tell("after \(number)")
            try await guest.waitForLine(containing: "after \(number)")
        }
        let started = ContinuousClock.now
        let late = try room.join()
        try await late.waitUntilJoined()
        print("a guest got in after \(ContinuousClock.now - started), with \(flood.count) others")
        #expect(ContinuousClock.now - started < .seconds(5) * Deadline.patience)
        #expect(peakMemory(of: room.host) < 150_000)
        try await room.tell("over")
        try await late.waitForLine(containing: "over")
        try await guest.waitForLine(containing: "over")
        #expect(guest.standardOutputLines == late.standardOutputLines)
        #expect(!guest.standardErrorText.contains("trying again"))
        withExtendedLifetime(flood) {}
    }

    /// A room of guests that say little, with their TLS and all.
    @Test func guest_costsLittleMemory_whileItRests() async throws {
        let room = try await Room.open()
        let first = try WireConnection(to: room.port)
        try await first.send(Wire.handshake())
        _ = try await first.receive("handshake_response")
        let before = peakMemory(of: room.host)
        var guests: [WireConnection] = []
        for _ in 1...200 {
            let guest = try WireConnection(to: room.port)
            try await guest.send(Wire.handshake())
            #expect(try await guest.receive("handshake_response").status == "accepted")
            guests.append(guest)
        }
        let each = (peakMemory(of: room.host) - before) / guests.count
        print("a resting guest costs its host \(each) KiB")
        #expect((1..<100).contains(each))
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
