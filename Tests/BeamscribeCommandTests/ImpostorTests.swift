import TestSupport
import Testing

/// Somebody on the way between guest and host: he is found out before he gets a word.
@Suite struct ImpostorTests {
    private let secret = "the words that nobody else is to read"

    private func join(_ relay: Relay, _ room: Room, _ options: String...) throws -> RunningProgram {
        try RunningProgram(
            .beamscribe(["join", "--host", relay.address] + options, state: room.folder))
    }

    /// That the tests with an impostor can fail: a guest that knows nobody falls for him, where he
    /// has it take the host for one that signs nothing.
    @Test func impostor_readsAlong_whenTheGuestHasNeverMetTheHost() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try relay.intercept(hidingLogs: true)
        try await room.tell(secret)
        let guest = try join(relay, room)
        #expect(try await guest.waitForLines(1) == [secret])
        #expect(contains(relay.overheard, secret) && contains(relay.overheard, "deviceId"))
        let shown = try await room.fingerprint()
        #expect(!guest.standardErrorText.filter { $0 != " " }.contains(shown), "Comparing tells.")
    }

    /// Whoever passes on what the host has signed is one who holds the event, and no more: the words are
    /// the host's, and so is the key that is shown and remembered.
    @Test func guest_hasTheHostsWords_whoeverPassesThemOn() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try relay.intercept()
        try await room.tell(secret)
        let guest = try join(relay, room)
        #expect(try await guest.waitForLines(1) == [secret])
        try await guest.waitForLine(containing: ", through ", on: .standardError)
        let shown = try await room.fingerprint()
        #expect(guest.standardErrorText.filter { $0 != " " }.contains(shown))
    }

    @Test func guest_endsWithCode77_whenItKnowsTheHostsKey() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try await room.tell(secret)
        let first = try join(relay, room)
        try await first.waitUntilJoined()
        first.interrupt()
        try await first.expectExit(0)
        try relay.intercept()
        let guest = try join(relay, room)
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("has another key") == true)
        #expect(guest.standardOutputText == "")
        #expect(relay.overheard.isEmpty)
    }

    /// Who has the host's fingerprint takes its words from anybody, and nobody else's.
    @Test func guest_endsWithCode76_whenItHasTheFingerprint_andNothingIsSigned() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try relay.intercept(hidingLogs: true)
        try await room.tell(secret)
        let guest = try join(relay, room, "--fingerprint", try await room.fingerprint())
        try await guest.expectExit(76)
        #expect(guest.standardErrorLines.last?.contains("nothing that its host has signed") == true)
        #expect(guest.standardOutputText == "")
    }

    @Test func guest_endsWithCode77_whenItHasTheCode() async throws {
        let room = try await Room.open(code: "7K3M9-QX2TA")
        let relay = try Relay(to: room.port)
        try relay.intercept()
        try await room.tell(secret)
        var launch = Launch.beamscribe(["join", "--host", relay.address], state: room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = "7K3M9-QX2TA"
        let guest = try RunningProgram(launch)
        try await guest.expectExit(77)
        // He can pass on what both say to prove it, and it proves nothing: each has another
        // connection with him.
        #expect(guest.standardErrorLines.last?.contains("the code is not this event's") == true)
        #expect(guest.standardOutputText == "" && contains(relay.overheard, "code_share"))
        for word in [secret, "code_confirm", "Town Hall"] {
            #expect(!contains(relay.overheard, word), "\(word)")
        }
    }

    // MARK: Later

    @Test func guest_takesNothingOfAnImpostor_whoComesInAtAReconnect() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try await room.tell(numbered(1...3))
        let guest = try join(relay, room, "--verbose")
        try await guest.waitForLines(3)
        try relay.intercept()
        relay.cut()
        try await room.tell(secret)
        try await guest.expectExit(77)
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.contains("three times in a row"), "\(last)")
        #expect(guest.standardOutputLines == numbered(1...3))
        #expect(relay.overheard.isEmpty)
        #expect(relay.connections == 4)
    }

    @Test func guest_goesOn_whenTheImpostorGivesUpInTime() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        try await room.tell(numbered(1...3))
        let guest = try join(relay, room)
        try await guest.waitForLines(3)
        try relay.intercept(2)
        relay.cut()
        try await room.tell(numbered(4...6))
        #expect(try await guest.waitForLines(6) == numbered(1...6))
        #expect(relay.overheard.isEmpty && relay.connections == 4)
    }

    // MARK: Without encryption

    @Test func guest_endsWithCode76_whenItIsAnsweredPlainly() async throws {
        let host = try FakeHost()
        let guest = try host.join("--timeout", "60")
        for _ in 1...3 {
            let connection = try await host.acceptSocket()
            try await connection.send([
                Wire.accepted(lastSeq: 1), Wire.history(from: 1, through: 1), Wire.line(1),
            ])
            try await connection.waitForEnd()
        }
        try await guest.expectExit(76)
        #expect(guest.standardOutputText == "")
    }

    @Test func guest_endsWithCode77_whenItAsksForNoEncryptionAndTheHostDoesNot() async throws {
        let room = try await Room.open("--verbose")
        try await room.tell(secret)
        let guest = try room.join("--insecure")
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("without --insecure") == true)
        #expect(guest.standardOutputText == "")
        try await room.host.waitForLine(
            containing: "asked for no encryption", on: .standardError)
    }

    @Test func guests_getTheEventBothWays_whenTheHostAllowsIt() async throws {
        let room = try await Room.open("--insecure")
        try await room.host.waitForLine(containing: "anybody", on: .standardError)
        let (plain, safe) = (try Relay(to: room.port), try Relay(to: room.port))
        let openly = try join(plain, room, "--insecure")
        let safely = try join(safe, room)
        try await room.tell(secret)
        #expect(try await openly.waitForLines(1) == [secret])
        #expect(try await safely.waitForLines(1) == [secret])
        try await openly.waitForLine(containing: "Not encrypted", on: .standardError)
        #expect(contains(plain.captured, secret) && contains(plain.captured, "deviceId"))
        for word in [secret, "deviceId", "Town Hall", "handshake", "liveChunk"] {
            #expect(!contains(safe.captured, word), "\(word)")
        }
        #expect(safe.captured.count > 1_000)
    }

    @Test func host_endsWithCode64_whenItHasACodeAndDoesWithoutEncryption() async throws {
        let words = ["host", "--event", "x", "--insecure", "--code"] + Room.quiet(port: 0)
        let host = try RunningProgram(.beamscribe(words, state: try TemporaryFolder()))
        try await host.expectExit(64)
        #expect(host.standardErrorText.contains("exclude each other"))
    }
}

/// Whether `text` is somewhere in `bytes`.
func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    let part = Array(text.utf8)
    guard let first = part.first else { return true }
    var position = 0
    while let found = bytes[position...].firstIndex(of: first) {
        if bytes[found...].starts(with: part) { return true }
        position = found + 1
    }
    return false
}
