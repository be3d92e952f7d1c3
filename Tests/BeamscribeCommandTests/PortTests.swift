import TestSupport
import Testing

/// The port that a host listens at.
@Suite struct PortTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func host(_ options: [String]) throws -> RunningProgram {
        try RunningProgram(
            .beamscribe(["host", "--event", "X"] + options, state: folder))
    }

    @Test func host_refuses_whenThePortThatWasAskedForIsTaken() async throws {
        let taken = try TCPSocket.listening()
        let host = try host(Room.quiet(port: taken.port))
        try await host.expectExit(71)
        #expect(host.standardErrorText.contains("127.0.0.1:\(taken.port)"))
        #expect(host.standardErrorText.contains("--port"))
        #expect(host.standardErrorLines.count == 1)
    }

    @Test func host_takesThePort_thatWasAskedFor() async throws {
        let host = try host(Room.quiet(port: 4_000, at: Room.ownAddress()))
        #expect(try await Room.port(of: host) == 4_000)
    }

    @Test func host_takesTheUsualPort_whenNoneWasAskedFor() async throws {
        let host = try host(["--bind", Room.ownAddress(), "--no-bonjour"])
        #expect(try await Room.port(of: host) == 23_267)
    }

    @Test func host_takesAFreePort_whenTheUsualOneIsTaken() async throws {
        let usual: UInt16 = 23_267
        // Where this fails somebody else has it, which is as good.
        let taken = try? TCPSocket.listening(at: usual)
        let host = try host(["--bind", "127.0.0.1", "--no-bonjour"])
        let port = try await Room.port(of: host)
        #expect(port != usual)
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", "127.0.0.1:\(port)"], state: folder))
        try await host.write("hello\n")
        #expect(try await guest.waitForLines(1) == ["hello"])
        withExtendedLifetime(taken) {}
    }

    @Test func guest_findsTheHost_byItsMachinesName() async throws {
        let host = try host(["--port", "0", "--bind", "127.0.0.1", "--no-bonjour"])
        let port = try await Room.port(of: host)
        try await host.write("hello\n")
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", "localhost:\(port)"], state: folder))
        #expect(try await guest.waitForLines(1) == ["hello"])
    }

    @Test func host_refuses_whenTheAddressIsNotThisMachines() async throws {
        let host = try host(["--bind", "192.0.2.1", "--port", "0", "--no-bonjour"])
        try await host.expectExit(71)
        #expect(host.standardErrorText.contains("192.0.2.1"))
    }

    @Test func host_listensAtEveryAddress_thatWasAskedFor() async throws {
        let host = try host(Room.quiet(port: 0) + ["--bind", "127.0.0.2"])
        let port = try await Room.port(of: host)
        try await host.write("hello\n")
        for address in ["127.0.0.1", "127.0.0.2"] {
            let guest = try RunningProgram(
                .beamscribe(["join", "--host", "\(address):\(port)"], state: folder))
            #expect(try await guest.waitForLines(1) == ["hello"])
        }
    }
}
