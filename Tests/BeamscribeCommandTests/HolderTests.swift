import TestSupport
import Testing

/// An event that is served by others than its host.
@Suite(.timeLimit(.minutes(3))) struct HolderTests {
    private func relay(_ room: Room, code: String? = nil) async throws -> Holder {
        try await Holder.open(["relay"], of: room.address, code: code)
    }

    // MARK: Going on

    @Test func readers_goOn_whenTheHostIsKilled_andWhenItIsBack() async throws {
        let first = try await Room.open()
        try await first.tell(numbered(1...3))
        let relay = try await relay(first)
        try await first.host.waitForLine(containing: "(1 such machine)", on: .standardError)
        let readers = try (1...5).map { _ in try relay.join() }
        let watching = try relay.join("--format", "jsonl")
        for reader in readers { try await reader.waitForLines(3) }
        try await first.tell(numbered(4...6))
        for reader in readers { #expect(try await reader.waitForLines(6) == numbered(1...6)) }
        try await first.host.killed()
        try await watching.waitForLine(containing: #""state":"unheard""#)
        let late = try relay.join()
        #expect(try await late.waitForLines(6) == numbered(1...6))
        try await late.waitForLine(containing: "through ", on: .standardError)

        let second = try await Room.resume(in: first.folder, "--until-eof")
        try await second.tell(numbered(7...9))
        for reader in readers + [late] {
            #expect(try await reader.waitForLines(9) == numbered(1...9))
        }
        second.host.closeInput()
        for reader in readers + [late, watching, relay.program] { try await reader.expectExit(0) }
        let shown = watching.standardOutputLines.filter { $0.contains(#""type":"line""#) }
        #expect(shown.count == 9)
    }

    /// One that reads from a relay, and serves that again.
    @Test func readersOfReaders_haveEveryLine_andTheEnd() async throws {
        let room = try await Room.open("--until-eof")
        try await room.tell(numbered(1...200))
        let relay = try await relay(room)
        let serving = try await Holder.open(["join", "--serve"], of: relay.address)
        let reader = try serving.join()
        try await room.tell(numbered(201...210))
        #expect(try await reader.waitForLines(210) == numbered(1...210))
        try await room.host.write("still open")
        room.host.closeInput()
        for program in [reader, serving.program, relay.program] { try await program.expectExit(0) }
        #expect(serving.program.standardOutputLines.prefix(210) == numbered(1...210)[...])
        #expect(reader.standardOutputLines.last == "still open")
    }

    /// Nobody announces anything: the host has told of its relay.
    @Test func readers_goToTheRelay_ofWhichTheHostHasTold() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let relay = try await relay(room)
        try await room.host.waitForLine(containing: "(1 such machine)", on: .standardError)
        let reader = try room.join("--no-ble", "--format", "jsonl")
        try await reader.waitForLine(containing: #""seq":1,"#)
        try await room.host.killed()
        try await reader.waitForLine(containing: #""state":"unheard""#)
        relay.program.interrupt()
        try await relay.program.expectExit(0)
    }

    @Test func fullHost_sendsNewcomersToItsRelay() async throws {
        let room = try await Room.open("--max-guests", "1")
        let relay = try await relay(room)
        try await room.host.waitForLine(containing: "(1 such machine)", on: .standardError)
        let reader = try room.join("--no-ble")
        try await reader.waitForLine(containing: "through ", on: .standardError)
        try await room.tell("one")
        #expect(try await reader.waitForLines(1) == ["one"])
        relay.program.interrupt()
        try await relay.program.expectExit(0)
        // Now there is a place.
        try await room.tell("two")
        #expect(try await reader.waitForLines(2) == ["one", "two"])
    }

    @Test func relayThatIsStopped_leavesItsReadersWaiting() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let relay = try await relay(room)
        let reader = try relay.join()
        try await reader.waitForLines(1)
        relay.program.interrupt()
        try await relay.program.expectExit(0)
        try await reader.waitForLine(containing: "trying again", on: .standardError)
        reader.interrupt()
        try await reader.expectExit(0)
    }

    // MARK: Who is believed

    /// What is pinned is the key of who has written the event.
    @Test func pin_isTheHosts_whoeverServes() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let relay = try await relay(room)
        let host = try await room.fingerprint()
        let reader = try relay.join("--fingerprint", host)
        #expect(try await reader.waitForLines(1) == ["one"])
        let other = try relay.join("--fingerprint", "0123456789abcdef")
        try await other.expectExit(77)
        #expect(other.standardOutputText == "")
    }

    /// What is remembered is the host: its relay is no other, and its own address is nobody's.
    @Test func host_isKnownAgain_throughARelay() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let relay = try await relay(room)
        let folder = try TemporaryFolder()
        for isNew in [true, false, false] {
            let reader = try relay.join("--verbose", state: folder)
            try await reader.waitForLines(1)
            reader.interrupt()
            try await reader.expectExit(0)
            #expect(reader.standardErrorText.contains("First time with this host") == isNew)
        }
    }

    @Test func codeOfTheEvent_isAskedForByItsRelays() async throws {
        let room = try await Room.open(code: "4821-7730")
        try await room.tell("one")
        let relay = try await relay(room, code: "4821-7730")
        let without = try relay.join()
        try await without.expectExit(77)
        let wrong = try relay.join("--code", "4821-7731")
        try await wrong.expectExit(77)
        let reader = try relay.join("--code", "4821-7730")
        #expect(try await reader.waitForLines(1) == ["one"])
        #expect(without.standardOutputText + wrong.standardOutputText == "")
    }

    // MARK: What cannot be served

    @Test func relay_endsWithCode77_whereNothingIsSigned() async throws {
        let room = try await Room.open("--insecure")
        try await room.tell("one")
        let words = ["relay", "--host", room.address, "--no-ble"] + Room.quiet(port: 0)
        let relay = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        try await relay.expectExit(77)
        #expect(relay.standardErrorLines.last?.contains("does not sign what it says") == true)
    }

    @Test func reader_goesOnReading_whereItCannotServe() async throws {
        let room = try await Room.open("--insecure")
        try await room.tell("one")
        let words = ["join", "--serve", "--host", room.address, "--no-ble"] + Room.quiet(port: 0)
        let reader = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        #expect(try await reader.waitForLines(1) == ["one"])
        try await reader.waitForLine(containing: "does not sign", on: .standardError)
    }

    @Test func relay_endsWithCode71_whereThePortIsTaken() async throws {
        let room = try await Room.open()
        let words = ["relay", "--host", room.address, "--no-ble"] + Room.quiet(port: room.port)
        let relay = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        try await relay.expectExit(71)
        #expect(relay.standardErrorLines.last?.contains("--port or --bind") == true)
    }

    @Test(arguments: [
        (["join", "--port", "0"], "go with --serve"),
        (["join", "--serve", "--insecure"], "exclude each other"),
        (["relay", "--insecure"], "without encryption"),
        (["relay", "--max-guests", "0"], "--max-guests takes"),
        (["relay", "--bind", "here"], "--bind takes an IP address"),
        (["relay", "Town Hall", "--host", "192.0.2.7"], "not both"),
    ])
    func program_endsWithCode64_forWhatDoesNotGoTogether(
        _ words: [String], _ why: String
    ) async throws {
        let program = try RunningProgram(.beamscribe(words, state: TemporaryFolder()))
        try await program.expectExit(64)
        #expect(program.standardErrorText.contains(why))
    }
}
