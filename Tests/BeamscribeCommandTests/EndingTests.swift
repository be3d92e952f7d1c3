import Glibc
import TestSupport
import Testing

/// How the programs end, and with what code.
@Suite struct EndingTests {
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func host_endsWell_whenAskedTo(_ signal: Int32) async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        try await room.tell(numbered(1...2))
        try await guest.waitForLines(2)
        room.host.signal(signal)
        try await room.host.expectExit(0)
        try await guest.waitForLine(containing: "host has stopped", on: .standardError)
        #expect(guest.isRunning)
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func lateGuest_getsAllOfIt_whileTheHostLingers(_ signal: Int32) async throws {
        let room = try await Room.open("--until-eof", "--linger", "3600")
        let guest = try await room.joined()
        try await room.tell(numbered(1...5))
        try await guest.waitForLines(5)
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.waitForLine(
            containing: "stays for 3600 s for late readers; Ctrl-C stops it now",
            on: .standardError)
        #expect(try SessionFolder(room.folder).record()["state"] as? String == "ended")
        for options in [[], ["--from", "4"], ["--no-history"]] {
            var launch = room.launchOfGuest(options)
            launch.input = .null
            let late = try RunningProgram(launch)
            try await late.expectExit(0)
            let first = options.isEmpty ? 1 : options == ["--from", "4"] ? 4 : 6
            #expect(late.standardOutputLines == Array(numbered(1...5).dropFirst(first - 1)))
            #expect(late.standardErrorLines.last == "The event has ended.")
        }
        #expect(room.host.isRunning)
        room.host.signal(signal)
        try await room.host.expectExit(0)
        #expect(room.host.standardErrorLines.last == "Done after 5 lines: the event has ended.")
    }

    @Test func host_endsByItself_onceItHasLingered_orAtOnceWithoutALine() async throws {
        let room = try await Room.open("--until-eof", "--linger", "1")
        try await room.tell("one")
        room.host.closeInput()
        try await room.host.expectExit(0)
        #expect(room.host.standardErrorText.contains("stays for 1 s"))
        let silent = try await Room.open("--until-eof", "--linger", "3600")
        silent.host.closeInput()
        try await silent.host.expectExit(0)
        #expect(!silent.host.standardErrorText.contains("stays for"))
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func guest_endsWell_whenAskedTo(_ signal: Int32) async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        guest.signal(signal)
        try await guest.expectExit(0)
        #expect(room.host.isRunning)
    }

    @Test func guest_endsWell_whenAskedToWhileItLooks() async throws {
        let folder = try TemporaryFolder()
        let host = Room.ownAddress()
        let words = ["join", "--host", host, "--timeout", "60", "--format", "jsonl"]
        let guest = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await guest.waitForLine(containing: "connecting")
        guest.interrupt()
        try await guest.expectExit(0)
    }

    @Test func guest_saysThatTheHostIsLost_withoutReconnecting() async throws {
        let room = try await Room.open()
        let guest = try await room.joined("--no-reconnect")
        try await room.tell("one")
        try await guest.waitForLines(1)
        room.host.kill()
        try await guest.expectExit(75)
        #expect(guest.standardOutputLines == ["one"])
        #expect(guest.standardErrorText.contains("the host is lost"))
    }

    @Test func guest_isLost_whenTheHostStopsAndItMayNotComeBack() async throws {
        let room = try await Room.open()
        let guest = try await room.joined("--no-reconnect")
        room.host.interrupt()
        try await guest.expectExit(75)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func guest_waits_whenAHostIsStoppedWhoseInputIsOver(_ signal: Int32) async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        room.host.closeInput()
        try await guest.waitForLine(containing: "input has ended", on: .standardError)
        room.host.signal(signal)
        try await room.host.expectExit(0)
        try await guest.waitForLine(containing: "host has stopped", on: .standardError)
        #expect(guest.isRunning)
        let id = try SessionFolder(room.folder).onlyID().prefix(8)
        let said = Array(room.host.standardErrorLines.suffix(3))
        #expect(said.first == "Stopped after 0 lines; guests wait.")
        #expect(said.dropFirst().first == "To go on: beamscribe host --resume \(id)")
        #expect(said.last?.hasSuffix("beamscribe sessions end \(id)") == true)
        #expect(try SessionFolder(room.folder).record()["state"] as? String == "stopped")
    }

    @Test(arguments: [[], ["--web", "127.0.0.1:0"]])
    func guestWhoWaits_hearsThatTheEventHasEnded(_ options: [String]) async throws {
        let room = try await Room.open(options)
        let guest = try await room.joined()
        try await room.tell("one")
        try await guest.waitForLines(1)
        room.host.interrupt()
        try await room.host.expectExit(0)
        try await guest.waitForLine(containing: "host has stopped", on: .standardError)
        let words = ["sessions", "end", "last", "--bind", "127.0.0.1", "--no-bonjour", "--no-ble"]
        let end = try RunningProgram(.beamscribe(words, state: room.folder))
        try await end.expectExit(0)
        #expect(end.standardErrorLines.last == "The event has ended; 1 reader heard it.")
        try await guest.expectExit(0)
        #expect(guest.standardErrorLines.last == "The event has ended.")
        #expect(try SessionFolder(room.folder).record()["state"] as? String == "ended")
    }

    /// What a recogniser had begun to say is said.
    @Test func openLine_isSent_whenTheHostIsStopped() async throws {
        let room = try await Room.open()
        let guest = try await room.joined()
        let watching = try room.join("--format", "jsonl")
        try await room.host.write("one\nand the begi")
        try await watching.waitForLine(containing: #""text":"and the begi""#)
        room.host.interrupt()
        try await room.host.expectExit(0)
        #expect(try await guest.waitForLines(2) == ["one", "and the begi"])
    }

    @Test func waitingGuests_areToldOfTheEnd_bySessionsEnd() async throws {
        let room = try await Room.open()
        let guests = [try await room.joined(), try await room.joined()]
        try await room.tell("one")
        for guest in guests { try await guest.waitForLines(1) }
        room.host.interrupt()
        try await room.host.expectExit(0)
        let words = ["sessions", "end", "last", "--bind", "127.0.0.1", "--no-bonjour"]
        let end = try RunningProgram(.beamscribe(words, state: room.folder))
        for guest in guests { try await guest.expectExit(0) }
        try await end.expectExit(0)
        #expect(end.standardErrorLines.last?.contains("2 readers heard it") == true)
        #expect(guests.allSatisfy { $0.standardOutputLines == ["one"] })
        #expect(try SessionFolder(room.folder).record()["state"] as? String == "ended")
        let again = try RunningProgram(.beamscribe(words, state: room.folder))
        try await again.expectExit(0)
        #expect(
            again.standardErrorLines == ["\"Town Hall\" has ended already: nobody waits for it."])
    }

    @Test func sessionsEnd_isASentence_whereItCannotBe() async throws {
        let room = try await Room.open()
        try await room.tell("one")
        let guest = try await room.joined()
        try await guest.waitForLines(1)
        let words = ["sessions", "end", "last", "--bind", "127.0.0.1", "--no-bonjour"]
        for (words, code) in [(words, Int32(73)), (["sessions", "end", "ffff"], 65)] {
            let end = try RunningProgram(.beamscribe(words, state: room.folder))
            try await end.expectExit(code)
            #expect(end.standardErrorLines.count == 1)
        }
        #expect(guest.isRunning && room.host.isRunning)
    }

    @Test func guest_givesUp_whenNobodyAnswersInTime() async throws {
        let folder = try TemporaryFolder()
        let host = Room.ownAddress()
        let words = ["join", "--host", "\(host):4000", "--timeout", "0.5"]
        let guest = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await guest.expectExit(69)
        #expect(guest.standardErrorText.contains("\(host):4000"))
        #expect(guest.standardErrorText.contains("refused"))
        #expect(guest.standardErrorLines.count == 1)
    }

    @Test func guest_givesUp_whenNoEventHasThatName() async throws {
        let folder = try TemporaryFolder()
        let words = ["join", "nobody-has-\(folder.path.suffix(6))", "--timeout", "0.5"]
        let guest = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await guest.expectExit(69)
        #expect(guest.standardErrorText.contains("--host ADDRESS:PORT"))
        #expect(guest.standardOutputText == "")
    }

    @Test func host_endsAtOnce_whenAskedTwiceWhileAGuestIsStuck() async throws {
        let room = try await Room.open()
        let deaf = try WireConnection(to: room.port)
        try await deaf.send(Wire.handshake())
        _ = try await deaf.receive("fullHistory")
        room.host.interrupt()
        #expect(try await deaf.receive("alert").kind == "host_disconnected")
        #expect(room.host.isRunning)
        room.host.interrupt()
        try await room.host.expectExit(0)
        // It has not waited until the guest was taken for lost.
        #expect(!room.host.standardErrorText.contains("By hand"))
    }

    @Test func host_endsByItself_whenAGuestIsGoneWithoutAWord() async throws {
        let room = try await Room.open("--until-eof")
        let gone = try await room.joined()
        try await room.tell("one")
        try await gone.waitForLines(1)
        gone.suspend()
        room.host.closeInput()
        try await room.host.expectExit(0)
    }

    @Test func guest_waitsForItsHost_whenThatStartsLater() async throws {
        let folder = try TemporaryFolder()
        let address = Room.ownAddress()
        let words = ["join", "--host", address, "--timeout", "20", "--format", "jsonl"]
        let guest = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await guest.waitForLine(containing: "connecting")
        let options = ["--bind", address, "--no-bonjour"]
        let host = try RunningProgram(
            .beamscribe(["host", "--event", "X"] + options, state: folder))
        try await host.write("hello\n")
        try await guest.waitForLine(containing: #""text":"hello""#)
    }
}
