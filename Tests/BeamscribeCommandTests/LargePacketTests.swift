import Glibc
import TestSupport
import Testing

/// Packets of 10 MiB whose parts would take many times that in memory.
@Suite(.serialized) struct LargePacketTests {
    private static func payload(_ begin: String, _ piece: String, _ end: String) -> [UInt8] {
        let count = (10_485_760 - begin.utf8.count - end.utf8.count) / piece.utf8.count
        return Array((begin + String(repeating: piece, count: count) + end).utf8)
    }

    /// With what they are cut out of, sent and received, a guest of a debug build has about 70 MB;
    /// it was up to 370.
    private static let memory = 120_000

    @Test func guest_staysSmall_atAHugeHandshake() async throws {
        let begin =
            #"{"type":"handshake_response","status":"accepted","session":"\#(Wire.session)","runs":["#
        let host = try FakeHost()
        let guest = try host.join("--no-reconnect", "--timeout", "60")
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(Wire.frame(Self.payload(begin, "0,", "0]}")))
        try await guest.waitForLine(
            containing: "over the limit of 262144", on: .standardError, within: .seconds(120))
        try await guest.expectExit(76)
    }

    @Test(arguments: [
        (#"{"type":"fireworks","x":["#, #"{"a":[]},"#, "0]}"),
        (#"{"type":"fireworks","x":["#, "0,", "0]}"),
        (#"{"x":{"#, #""a":0,"#, #""b":0},"type":"later"}"#),
    ])
    func guest_staysSmall_atWhatItDoesNotKnow(begin: String, piece: String, end: String)
        async throws
    {
        let host = try FakeHost()
        let guest = try host.join()
        // However long it takes to say all that, the guest is not to miss a sign of life.
        let (connection, _) = try await host.welcomeGuest(keepAliveInterval: 3_000)
        try await connection.send([Wire.frame(Self.payload(begin, piece, end)), Wire.line(1)])
        try await guest.waitForLine(within: .seconds(120)) { $0 == "line 1" }
        #expect(peakMemory(of: guest) < Self.memory)
        try await connection.send([Wire.ended])
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == ["line 1"])
    }
}

/// Services and containers have no HOME.
@Suite struct HomelessTests {
    private func launch(_ words: [String]) throws -> Launch {
        var launch = Launch(Binary.beamscribe, arguments: words)
        launch.withoutVariables = ["HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME"]
        launch.input = .null
        return launch
    }

    @Test func home_isThatOfTheUserDatabase() async throws {
        let program = try RunningProgram(launch(["join", "--show-config"]))
        try await program.expectExit(0)
        let home = String(cString: try #require(getpwuid(geteuid())).pointee.pw_dir)
        let path = "\"\(home)/.config/beamscribe/config.json\""
        #expect(program.standardOutputText.contains(path))
    }

    /// A user whom nobody knows: keys are nowhere rather than where everybody can write.
    @Test(Skip.withoutRoot) func host_saysWhatIsWrong_withoutAHome() async throws {
        let words = ["host", "--event", "E", "--until-eof"] + Room.quiet(port: 0)
        var launch = try launch(words)
        launch.prefix = ["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"]
        let program = try RunningProgram(launch)
        try await program.waitForExit()
        #expect(program.output.exit != .success)
        #expect(
            program.standardErrorText.contains("HOME is not set"), "\(program.standardErrorText)")
        #expect(access("/tmp/.local/state/beamscribe", F_OK) != 0)
    }
}
