import BeamscribeTLS
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
        #expect(second.standardErrorText.contains("no more guests"))
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
            containing: "Deaf", on: .standardError)
        try await room.host.waitForLine(
            containing: "was silent for 6 s", on: .standardError)
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
        let late = try room.join()
        try await late.waitUntilJoined()
        #expect(peakMemory(of: room.host) < 150_000)
        try await room.tell("over")
        try await late.waitForLine(containing: "over")
        try await guest.waitForLine(containing: "over")
        #expect(guest.standardOutputLines == late.standardOutputLines)
        #expect(!guest.standardErrorText.contains("trying again"))
        withExtendedLifetime(flood) {}
    }

    /// As after a host's rest: all are at its door, and have said their hello, before it looks.
    @Test(arguments: [(guests: 1_000, places: 1_000), (600, 400)])
    func crowdFromOneAddress_isHeard_whenItComesAtOnce(guests count: Int, places: Int) async throws
    {
        let room = try await Room.open("--max-guests", "\(places)")
        _ = Self.floodSize
        room.host.suspend()
        let guests = try (0..<count).map { _ in try WireConnection(to: room.port) }
        room.host.resume()
        var saidHello = Set<Int>()
        var answers: [Int: String] = [:]
        try await eventually("all to be heard", within: .seconds(60), every: .milliseconds(1)) {
            for (number, guest) in guests.enumerated() where answers[number] == nil {
                if !saidHello.contains(number), guest.sent(Wire.handshake()) {
                    saidHello.insert(number)
                }
                let answer = try? guest.receivedAlready()
                answers[number] = answer.map { $0.reason ?? $0.status ?? "nothing" }
                if answers[number] == nil, guest.hasEnded { answers[number] = "closed" }
            }
            return answers.count == count
        }
        let counts = Dictionary(grouping: answers.values, by: \.self).mapValues(\.count)
        #expect(counts["accepted"] == places && counts["full"] ?? 0 == count - places)
    }

    /// Half a hello from each of thousands of addresses, as many as this process may have open.
    @Test func guest_joins_amidHalfHellosFromManyAddresses() async throws {
        let room = try await Room.open()
        let flood = try (0..<min(3_000, Self.floodSize)).map { number in
            let socket = try TCPSocket.connected(
                to: room.port, fromHost: 0x02_0001 + UInt32(number))
            _ = socket.send(StrangerTests.clientHello.prefix(100))
            return socket
        }
        let guest = try room.join()
        try await guest.waitUntilJoined()
        withExtendedLifetime(flood) {}
    }

    /// One address takes all places, and a guest from elsewhere gets in.
    @Test func guest_joins_whenOneAddressHasAllPlaces() async throws {
        let room = try await Room.open("--max-guests", "4")
        var many: [WireConnection] = []
        for _ in 0..<4 {
            let guest = try WireConnection(TCPSocket.connected(to: room.port, from: 9), .guest())
            try await guest.send(Wire.handshake())
            #expect(try await guest.receive("handshake_response").status == "accepted")
            many.append(guest)
        }
        let guest = try await room.joined()
        #expect(try await many[3].receive("handshake_response").reason == "full")
        try await many[3].waitForEnd()
        try await room.tell("hello")
        #expect(try await guest.waitForLines(1) == ["hello"])
        #expect(many[0].isOpen())
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
