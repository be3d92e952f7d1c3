import Foundation
import TestSupport
import Testing

/// What readers at a real NATS server do who want to write, and what a server does that gives
/// numbers that cannot be.
@Suite(.timeLimit(.minutes(5)), Skip.without("nats-server")) struct NATSAttackTests {
    private func relay(_ url: String) async throws -> Holder {
        try await Holder.open(["relay", "Town Hall", "--nats", url], of: nil)
    }

    /// Somebody with the rights of a relay (Tests/Support/Services/nats_attack.py), who has tried
    /// everything once.
    private func attacker(at server: NATSServer, by prefix: String = "$JS.API") async throws
        -> RunningProgram
    {
        let path = Repository.path(of: "Tests/Support/Services/nats_attack.py")
        let program = try RunningProgram(
            Launch(
                "/usr/bin/python3",
                arguments: [path, server.address, "\(server.port)", "relay", "r", prefix]))
        try await program.waitForLine(containing: "done", on: .standardOutput)
        return program
    }

    private func again(_ attacker: RunningProgram, _ count: Int) async throws {
        try await attacker.write("\n")
        try await attacker.waitForOutput("another attack") { _ in
            attacker.standardOutputLines.count { $0.hasPrefix("done") } > count
        }
    }

    @Test func readers_cannotWrite_withThePermissionsOfTheDocumentation() async throws {
        let server = try await NATSServer.start(try NATSPermissions.documented())
        let place = "@\(server.address):\(server.port)"
        let room = try await Room.open("--until-eof", "--nats", "nats://host:h\(place)")
        try await room.tell(numbered(1...50))
        let relay = try await relay("nats://relay:r\(place)")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(50) == numbered(1...50))
        let attacker = try await attacker(at: server, by: "beamscribe.api")
        try await room.tell(numbered(51...60))
        try await again(attacker, 1)
        try await room.tell(numbered(61...70))
        #expect(try await reader.waitForLines(70) == numbered(1...70))
        let second = try await self.relay("nats://relay:r\(place)")
        let late = try second.join()
        #expect(try await late.waitForLines(70) == numbered(1...70))
        #expect(!room.host.standardErrorText.contains("has written into"))
        attacker.closeInput()
        room.host.closeInput()
        for program in [room.host, reader, late] { try await program.expectExit(0) }
        // Of the log there are 70 messages, and not one more.
        let stored = try await server.storedMessages(matching: "beamscribe.log.")
        #expect(stored == 70)
    }

    @Test func host_continues_whereAReaderHasFoundAWayToWrite() async throws {
        let server = try await NATSServer.start(NATSPermissions.ofOneAccount)
        let place = "@\(server.address):\(server.port)"
        let room = try await Room.open("--nats", "nats://host:h\(place)")
        try await room.tell(numbered(1...20))
        let relay = try await relay("nats://relay:r\(place)")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(20) == numbered(1...20))
        let attacker = try await attacker(at: server)
        try await room.tell(numbered(21...30))
        try await room.host.waitForLine(
            containing: "has written into the stream", on: .standardError)
        #expect(try await reader.waitForLines(30) == numbered(1...30))
        for round in 1...3 {
            try await again(attacker, round)
            try await room.tell("after attack \(round)")
        }
        let lines = numbered(1...30) + (1...3).map { "after attack \($0)" }
        #expect(try await reader.waitForLines(33) == lines)
        // Who comes now finds the event: its entries were put back.
        let second = try await self.relay("nats://relay:r\(place)")
        let late = try second.join()
        #expect(try await late.waitForLines(33) == lines)
        #expect(!room.host.standardErrorText.contains("with the key of this host"))
        attacker.closeInput()
    }

    /// Tests/Support/Services/nats_say.py, whose output is what the server has against it.
    private func say(
        _ words: String..., at server: NATSServer, as user: String, _ password: String
    ) async throws -> [String] {
        let path = Repository.path(of: "Tests/Support/Services/nats_say.py")
        let program = try RunningProgram(
            Launch(
                "/usr/bin/python3",
                arguments: [path, server.address, "\(server.port)", user, password] + words))
        try await program.expectExit(0)
        return program.standardOutputLines.filter { $0 != "done" }
    }

    /// The host's record says whether there is a code: what stands beside it is anybody's.
    @Test func relay_asksForNoCode_whereSomebodyElseSaysThatThereIsOne() async throws {
        let server = try await NATSServer.start(try NATSPermissions.documented())
        let place = "@\(server.address):\(server.port)"
        let room = try await Room.open("--nats", "nats://host:h\(place)")
        try await room.tell("one")
        let first = try await relay("nats://relay:r\(place)")
        #expect(try await first.join().waitForLines(1) == ["one"])
        let session = try SessionFolder(room.folder).onlyID()
        let subject = "beamscribe.event.\(session).code.\(session)"
        #expect(try await say(subject, "1", at: server, as: "host", "h") == [])
        let second = try await relay("nats://relay:r\(place)")
        #expect(try await second.join().waitForLines(1) == ["one"])
    }

    /// A relay cannot tell a wrong code from the right one: it says so.
    @Test func relay_saysThatNobodyChecksItsCode() async throws {
        let server = try await NATSServer.start()
        let room = try await Room.open(
            "--code", "4821-7730", "--nats", server.url, "--nats-may-read")
        try await room.tell("one")
        let relay = try await Holder.open(
            ["relay", "Town Hall", "--nats", server.url], of: nil, code: "4821-7731")
        try await relay.program.waitForLine(
            containing: "cannot check the code", on: .standardError)
        let reader = try relay.join("--code", "4821-7731")
        #expect(try await reader.waitForLines(1) == ["one"])
        #expect(!relay.program.standardErrorText.contains("has proved"))
    }

    /// With an inbox of his own nobody hears, or answers, what another asks the server for.
    @Test func readers_hearNothingOfOneAnother_withInboxesOfTheirOwn() async throws {
        let server = try await NATSServer.start(try NATSPermissions.ofSeveralReaders())
        let place = "@\(server.address):\(server.port)"
        let room = try await Room.open("--nats", "nats://host:h\(place)")
        try await room.tell("one")
        let relay = try await Holder.open(
            [
                "relay", "Town Hall", "--nats", "nats://anna:r\(place)",
                "--nats-inbox-prefix", "_INBOX_anna",
            ], of: nil)
        let reader = try relay.join()
        #expect(try await reader.waitForLines(1) == ["one"])
        let errors = try await say("_INBOX_anna.>", at: server, as: "ben", "r")
        #expect(errors.contains { $0.contains("Permissions Violation") }, "\(errors)")
        #expect(
            try await say("beamscribe.event.>", at: server, as: "ben", "r").filter {
                $0.contains("beamscribe.event")
            } == [])
    }

    // MARK: Numbers

    private static let lies = ["acknowledgement", "state", "message"].flatMap { wrong in
        ["18446744073709551615", "9223372036854775808", "9223372036854775807", "9007199254740992"]
            .map { (wrong, $0) }
    }

    /// A stand-in for the server (Tests/Support/Services/nats_server.py).
    @Test(arguments: lies)
    func hostAndRelay_liveOn_whereTheServerGivesImpossibleNumbers(
        _ wrong: String, _ number: String
    ) async throws {
        let path = Repository.path(of: "Tests/Support/Services/nats_server.py")
        let address = Room.ownAddress()
        let server = try RunningProgram(
            Launch("/usr/bin/python3", arguments: [path, address, wrong, number]))
        let line = try await server.waitForLine("a port") { $0.hasPrefix("port ") }
        let url = "nats://\(address):\(line.dropFirst(5))"
        try await server.write("true\n")
        try await server.waitForLine("the truth") { $0 == "true" }
        let room = try await Room.open("--nats", url)
        try await room.tell(numbered(1...3))
        let relay = try await relay(url)
        let reader = try relay.join()
        #expect(try await reader.waitForLines(3) == numbered(1...3))
        try await server.write("lie\n")
        // The server answers truly to everything published before that.
        try await server.waitForLine("the beginning of the lies") { $0 == "lie" }
        try await room.tell("four")
        let second = try RunningProgram(
            .beamscribe(
                ["relay", "Town Hall", "--no-ble", "--nats", url] + Room.quiet(port: 0),
                state: try TemporaryFolder()))
        try await server.waitForLine("lied") { $0 == "lied" }
        let guest = try room.join()
        try await room.tell("five")
        #expect(try await guest.waitForLines(5) == numbered(1...3) + ["four", "five"])
        try await server.write("true\n")
        try await second.waitForLine(containing: "Serving", on: .standardError)
        #expect(try await reader.waitForLines(5) == numbered(1...3) + ["four", "five"])
        second.interrupt()
        try await second.expectExit(0)
        relay.program.interrupt()
        try await relay.program.expectExit(0)
        room.host.interrupt()
        try await room.host.waitForExit()
    }
}
