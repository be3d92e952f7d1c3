import Foundation
import TestSupport
import Testing

/// An event that a real NATS server keeps, and who reads it there.
@Suite(.timeLimit(.minutes(3)), Skip.without("nats-server")) struct NATSTests {
    private func relay(
        _ url: String, _ options: String..., event: String = "Town Hall", code: String? = nil
    ) async throws -> Holder {
        try await Holder.open(["relay", event, "--nats", url] + options, of: nil, code: code)
    }

    // MARK: The server's faults

    @Test func readers_haveEveryLineOnce_whileTheServerIsKilledAndWiped() async throws {
        var server = try await NATSServer.start()
        let room = try await Room.open("--until-eof", "--nats", server.url)
        try await room.host.waitForLine(containing: "keeps the event", on: .standardError)
        try await room.tell(numbered(1...100))
        let relay = try await relay(server.url)
        let reader = try relay.join()
        #expect(try await reader.waitForLines(100) == numbered(1...100))

        try await server.killed()
        try await room.host.waitForLine(containing: "cannot be reached", on: .standardError)
        try await room.tell(numbered(101...200))
        server = try await server.again()
        #expect(try await reader.waitForLines(200) == numbered(1...200))

        try await server.killed()
        try server.wipe()
        try await room.tell(numbered(201...300))
        server = try await server.again()
        #expect(try await reader.waitForLines(300) == numbered(1...300))
        let other = try await self.relay(server.url)
        let late = try other.join()
        #expect(try await late.waitForLines(300) == numbered(1...300))
        room.host.closeInput()
        for program in [room.host, reader, late, relay.program] { try await program.expectExit(0) }
    }

    @Test func host_beginsWithoutTheServer_andBringsItAllLater() async throws {
        let server = try await NATSServer.start()
        try await server.killed()
        let room = try await Room.open("--nats", server.url)
        try await room.host.waitForLine(containing: "cannot be reached", on: .standardError)
        try await room.tell(numbered(1...3))
        let guest = try room.join()
        #expect(try await guest.waitForLines(3) == numbered(1...3))
        let again = try await server.again()
        let relay = try await relay(again.url)
        let reader = try relay.join()
        #expect(try await reader.waitForLines(3) == numbered(1...3))
    }

    @Test func relay_thatIsKilled_goesOnWhereItWas_andTheEndComesThrough() async throws {
        let server = try await NATSServer.start()
        let room = try await Room.open("--nats", server.url)
        try await room.tell(numbered(1...50))
        let first = try await relay(server.url)
        try await first.join().waitForLines(50)
        try await first.kill()
        try await room.tell(numbered(51...60))
        let second = try await Holder.open(
            ["relay", "Town Hall", "--nats", server.url], of: nil, in: first.folder)
        let reader = try second.join()
        #expect(try await reader.waitForLines(60) == numbered(1...60))
    }

    /// Its disk has lost the end of the log, and nobody else has it.
    @Test(arguments: [0.5, 0])
    func host_takesItsLinesBack_fromTheServer(_ share: Double) async throws {
        let server = try await NATSServer.start()
        let first = try await Room.open("--nats", server.url)
        try await first.tell(numbered(1...6))
        let relay = try await relay(server.url)
        let reader = try relay.join("--format", "jsonl")
        try await reader.waitForLine(containing: #""seq":6,"#)
        try await first.host.killed()
        let log = URL(filePath: try SessionFolder(first.folder).log())
        let bytes = try Data(contentsOf: log)
        try bytes.prefix(Int(Double(bytes.count) * share)).write(to: log)

        let second = try await Room.resume(
            in: first.folder, "--until-eof", "--nats", server.url)
        try await second.host.waitForLine(containing: "came back from", on: .standardError)
        try await second.tell("line 7")
        try await reader.waitForLine(containing: #""seq":7,"#)
        second.host.closeInput()
        try await reader.expectExit(0)
        #expect(!reader.standardOutputText.contains("withdrawn"))
        let exported = try await StoredSessions(in: first.folder).run("export", "last")
        #expect(exported.standardOutputLines == numbered(1...7))
    }

    /// Nobody has had an event at this server before.
    @Test func relay_thatIsThereBeforeTheEvent_waitsForItWithoutAWarning() async throws {
        let server = try await NATSServer.start()
        let words = ["relay", "Town Hall", "--no-ble", "--nats", server.url] + Room.quiet(port: 0)
        let relay = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        try await relay.waitForLine(containing: "waiting for it", on: .standardError)
        let room = try await Room.open("--nats", server.url)
        try await relay.waitForLine(containing: "Serving", on: .standardError)
        #expect(!relay.standardErrorText.contains("warning"))
        room.host.interrupt()
    }

    // MARK: Two hosts

    @Test func copyOfAHost_isToldThatSomebodyElseWrites() async throws {
        let server = try await NATSServer.start()
        let room = try await Room.open("--nats", server.url)
        try await room.tell(numbered(1...5))
        let relay = try await relay(server.url)
        let reader = try relay.join()
        try await reader.waitForLines(5)
        let copy = try TemporaryFolder()
        try FileManager.default.removeItem(atPath: copy.path)
        try FileManager.default.copyItem(atPath: room.folder.path, toPath: copy.path)
        // The copy of a lock is nobody's.
        let second = try RunningProgram(
            .beamscribe(
                ["host", "--resume", "last", "--nats", server.url] + Room.quiet(port: 0),
                state: copy))
        try await second.waitForLine(containing: "keeps the event", on: .standardError)
        try await second.write("of the copy\n")
        try await room.tell("six")
        // Whoever begins later has the newer run, so that it is the first one who is told.
        try await room.host.waitForLine(containing: "Somebody else writes", on: .standardError)
        second.interrupt()
        try await second.waitForExit()
    }

    // MARK: Who may what

    @Test func relay_needsNoMoreThanToRead() async throws {
        let server = try await NATSServer.start(try NATSPermissions.documented())
        let place = "@\(server.address):\(server.port)"
        let room = try await Room.open("--nats", "nats://host:h\(place)")
        try await room.tell(numbered(1...3))
        let relay = try await relay("nats://relay:r\(place)")
        let reader = try relay.join()
        #expect(try await reader.waitForLines(3) == numbered(1...3))
        #expect(!room.host.standardErrorText.contains("host:h"))
        // Who may only read brings nothing, and says so; its room has the captions.
        let other = try await Room.open("--nats", "nats://relay:r\(place)", event: "Other")
        try await other.tell("one")
        #expect(try await other.join().waitForLines(1) == ["one"])
        try await other.host.waitForLine(
            containing: "does not take the event: Permissions Violation", on: .standardError)
        #expect(!other.host.standardErrorText.contains("keeps the event"))
        let stranger = try await Room.open("--nats", "nats://nobody:x\(place)", event: "Third")
        try await stranger.host.waitForLine(
            containing: "does not let this user in with this password", on: .standardError)
    }

    /// The certificate is for `localhost`, and nobody vouches for it but itself.
    @Test func server_isReachedByWhatVouchesForIt_andByItsName() async throws {
        let folder = try TemporaryFolder()
        let (key, certificate) = ("\(folder.path)/key.pem", "\(folder.path)/cert.pem")
        _ = try await OpenSSL.run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", "/CN=nats", "-addext", "subjectAltName=DNS:localhost", "-days", "1",
            "-keyout", key, "-out", certificate)
        let server = try await NATSServer.start(
            #"tls { cert_file: "\#(certificate)", key_file: "\#(key)" }"#, at: "127.0.0.1")
        let room = try await Room.open(
            "--nats", "tls://localhost:\(server.port)", "--nats-ca", certificate)
        try await room.tell("one")
        let relay = try await relay(
            "tls://localhost:\(server.port)", "--nats-ca", certificate)
        let reader = try relay.join()
        #expect(try await reader.waitForLines(1) == ["one"])
        for words in [
            ["--nats", "tls://localhost:\(server.port)"],
            ["--nats", "tls://127.0.0.1:\(server.port)", "--nats-ca", certificate],
        ] {
            let other = try await Room.open(words, event: "Other")
            try await other.host.waitForLine(containing: "cannot be reached", on: .standardError)
            #expect(!other.host.standardErrorText.contains("keeps the event"))
        }
    }

    @Test func eventWithACode_isThereOnlyWhereItsReadersMay_andRelaysAskForIt() async throws {
        let server = try await NATSServer.start()
        let refused = try RunningProgram(
            .beamscribe(
                ["host", "--event", "Town Hall", "--code", "4821-7730", "--nats", server.url]
                    + Room.quiet(port: 0), state: try TemporaryFolder()))
        try await refused.expectExit(64)
        #expect(refused.standardErrorText.contains("--nats-may-read"))
        let room = try await Room.open(
            "--code", "4821-7730", "--nats", server.url, "--nats-may-read")
        try await room.tell("one")
        let relay = try await relay(server.url, code: "4821-7730")
        let without = try relay.join()
        try await without.expectExit(77)
        let reader = try relay.join("--code", "4821-7730")
        #expect(try await reader.waitForLines(1) == ["one"])
    }

    private static let mistakes: [([String], Int32)] = [
        (["host", "--event", "x", "--nats", "http://a"], 64),
        (["host", "--event", "x", "--nats", ""], 64),
        (["host", "--event", "x", "--nats-creds", "f"], 64),
        (["host", "--event", "x", "--nats-may-read"], 64),
        (["host", "--event", "x", "--nats", "nats://a", "--insecure"], 64),
        (["host", "--event", "x", "--nats-inbox-prefix", "a"], 64),
        (["relay", "x", "--nats", "nats://a", "--nats-inbox-prefix", "a.>"], 64),
        (["relay", "x", "--nats", "nats://a", "--nats-inbox-prefix", ""], 64),
        (["host", "--event", "x", "--nats", "nats://a", "--nats-replicas", "9"], 64),
        (["host", "--event", "x", "--nats", "nats://a", "--nats-ca", "/nowhere"], 65),
        (["relay", "--nats", "nats://127.0.0.1"], 64),
        (["relay", "x", "--nats", "nats://127.0.0.1:1", "--timeout", "1"], 69),
        (["mesh", "x", "--no-bonjour", "--nats", "nats://127.0.0.1:1"], 69),
    ]

    @Test("What cannot be meant is refused in one sentence", arguments: mistakes)
    func mistake(words: [String], code: Int32) async throws {
        let program = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        program.closeInput()
        try await program.expectExit(code)
        #expect(program.standardOutputText == "")
    }

    // MARK: A mesh

    @Test func nodes_whoAreReachedByTheServerAlone_haveAllLines() async throws {
        let server = try await NATSServer.start()
        func node(_ name: String) throws -> RunningProgram {
            try RunningProgram(
                .beamscribe(
                    ["mesh", "Round Table", "--as", name, "--nats", server.url]
                        + Room.quiet(port: 0), state: try TemporaryFolder()))
        }
        let ann = try node("Ann")
        try await ann.waitForLine(containing: "keeps the event", on: .standardError)
        try await ann.write("one\n")
        try await ann.waitForLine(containing: "[Ann] one", on: .standardOutput)
        let bob = try node("Bob")
        try await bob.waitForLine(containing: "[Ann] one", on: .standardOutput)
        try await bob.write("two\n")
        for node in [ann, bob] {
            try await node.waitForLine(containing: "[Bob] two", on: .standardOutput)
        }
        for node in [ann, bob] { node.interrupt() }
        for node in [ann, bob] { try await node.expectExit(0) }
    }
}
