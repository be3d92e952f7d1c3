import BeamscribeTLS
import TestSupport
import Testing

/// Connections that have not finished the TLS handshake get nothing and keep nobody out.
@Suite struct StrangerTests {
    /// The first thing that a guest sends.
    static let clientHello: [UInt8] = {
        var bytes: [UInt8] = []
        let guest = try? TLSConnection(.guest())
        _ = guest?.flush { piece in
            bytes += piece
            return piece.count
        }
        return bytes
    }()

    /// Waits until the host closes, and answers what it had to say.
    private func wordsUntilTheEnd(
        _ socket: TCPSocket, within limit: Duration = Deadline.generous
    ) async throws -> [UInt8] {
        var heard: [UInt8] = []
        try await eventually("the host to close", within: limit) {
            switch socket.receive() {
            case .bytes(let bytes): heard += bytes
            case .nothing: return false
            case .end: return true
            }
            return false
        }
        return heard
    }

    @Test func host_saysNothing_beforeItIsAsked() async throws {
        let room = try await Room.open("--verbose")
        try await room.tell("secret")
        let started = ContinuousClock.now
        let silent = try TCPSocket.connected(to: room.port)
        #expect(try await wordsUntilTheEnd(silent) == [])
        #expect(ContinuousClock.now - started > .seconds(8))
    }

    @Test func host_closes_whenAHandshakeStallsHalfway() async throws {
        let room = try await Room.open("--verbose")
        let started = ContinuousClock.now
        let stalled = try TCPSocket.connected(to: room.port)
        #expect(stalled.send(Self.clientHello.prefix(Self.clientHello.count / 2)) ?? 0 > 50)
        #expect(try await wordsUntilTheEnd(stalled) == [])
        #expect(ContinuousClock.now - started > .seconds(8))
        try await room.host.waitForLine(containing: "within 10 s", on: .standardError)
    }

    @Test func host_closes_whenAGuestNeverFinishesItsHandshake() async throws {
        let room = try await Room.open("--verbose")
        let stalled = try TCPSocket.connected(to: room.port)
        #expect(stalled.send(Self.clientHello) == Self.clientHello.count)
        let heard = try await wordsUntilTheEnd(stalled)
        // The host's part of the handshake, in which its certificate is encrypted.
        #expect(heard.first == 22 && heard.count > 500 && heard.count < 2_000)
        #expect(!contains(heard, "beamscribe"))
    }

    /// Over the 64 that may be under way, and at once.
    @Test(arguments: [64, 200])
    func honestGuest_getsIn_whenHandshakesStandStill(count: Int) async throws {
        let room = try await Room.open()
        var stalled: [TCPSocket] = []
        for _ in 1...count {
            let socket = try TCPSocket.connected(to: room.port)
            _ = socket.send(Self.clientHello.prefix(Int.random(in: 6...Self.clientHello.count)))
            stalled.append(socket)
        }
        let guest = try room.join()
        try await guest.waitUntilJoined(amid: &stalled) {
            let socket = try TCPSocket.connected(to: room.port)
            _ = socket.send(Self.clientHello.prefix(Int.random(in: 6...Self.clientHello.count)))
            return socket
        }
        try await room.tell("hello")
        #expect(try await guest.waitForLines(1) == ["hello"])
        withExtendedLifetime(stalled) {}
    }

    /// Strangers who say nothing hold up the end of an event for as long as a handshake may take,
    /// and no longer.
    @Test func event_ends_whileStrangersSayNothing() async throws {
        let room = try await Room.open("--until-eof")
        let guest = try await room.joined()
        let silent = try TCPSocket.connected(to: room.port)
        try await room.tell("last words")
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        withExtendedLifetime(silent) {}
    }
}
