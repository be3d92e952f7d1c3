import Glibc
import TestSupport
import Testing

/// The keys of a host whose captions come from another program.
@Suite struct HostConsoleTests {
    /// A host on a terminal that reads a pipe and logs into a file, and a guest that tells
    /// everything.
    private final class Stage: Sendable {
        let folder: TemporaryFolder
        let host: PseudoTerminal
        let guest: RunningProgram
        let port: UInt16
        private let input: Int32

        init(
            _ folder: TemporaryFolder, _ host: PseudoTerminal, at port: UInt16,
            _ guest: RunningProgram, _ input: Int32
        ) {
            (self.folder, self.host, self.port) = (folder, host, port)
            (self.guest, self.input) = (guest, input)
        }

        deinit { close(input) }

        func tell(_ lines: [String]) {
            var text = lines.map { $0 + "\n" }.joined()
            text.withUTF8 { _ = write(input, $0.baseAddress, $0.count) }
        }

        func waitForRecord(_ parts: String...) async throws {
            try await guest.waitForLine("a record with \(parts)") { line in
                parts.allSatisfy(line.contains)
            }
        }

        /// Presses a key, and waits for what the screen says of it.
        func press(_ key: String, _ answer: String) async throws {
            let before = host.text.count
            try await host.type(key)
            try await host.waitForText(answer) { $0.dropFirst(before).contains(answer) }
        }

        var texts: [String] {
            guest.standardOutputLines.filter { $0.contains(#""seq":"#) }.compactMap {
                $0.firstMatch(of: /"text":"([^"]*)"/).map { String($0.output.1) }
            }
        }

        var log: String { (try? folder.read("log")) ?? "" }
    }

    private func open(
        _ options: [String] = [], columns: Int = 80, rows: Int = 24
    ) async throws -> Stage {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "captions")
        #expect(mkfifo(path, 0o600) == 0)
        let input = Glibc.open(path, O_RDWR | O_CLOEXEC)
        let words = ["host", "--event", "Hall"] + Room.quiet(port: 0) + options
        let host = Launch.beamscribe(words, state: folder)
        let command = ([host.executable] + words).joined(separator: " ")
        // A pipe, as a user writes it.
        var launch = Launch(
            "/bin/sh", "-c", "cat '\(path)' | \(command) 2>'\(folder.path(of: "log"))'")
        launch.environment = host.environment
        launch.withoutVariables = host.withoutVariables
        let terminal = try PseudoTerminal(launch, columns: columns, rows: rows)
        try await terminal.waitForText("the status row") {
            $0.contains("0 guests")
        }
        let port = try await port(inLogOf: folder)
        let guest = try RunningProgram(
            .beamscribe(
                ["join", "--host", "127.0.0.1:\(port)", "--format", "jsonl"], state: folder))
        try await guest.waitForLine(containing: #""type":"joined""#)
        return Stage(folder, terminal, at: port, guest, input)
    }

    private func port(inLogOf folder: TemporaryFolder) async throws -> UInt16 {
        try await eventualValue("the host to listen") {
            let rows = (try? folder.read("log"))?.split(separator: "\n") ?? []
            return rows.firstIndex { $0.contains("join --host") }.flatMap { index in
                // A row is whole once there is another.
                index + 1 < rows.count ? try? Room.port(in: String(rows[index])) : nil
            }
        }
    }

    @Test func whoIsOnTheVoices_isShown_putOut_andLetInAgain() async throws {
        let stage = try await open(["--voice", "--channel", "all:talk=event:hear=event"])
        try await stage.press("k", "Nobody is on the voices")
        let state = try TemporaryFolder()
        func talker() throws -> RunningProgram {
            try RunningProgram(
                .beamscribe(
                    [
                        "talk", "--host", "127.0.0.1:\(stage.port)", "--channel", "all", "--input",
                        "/dev/zero", "--name", "Ann",
                    ], state: state))
        }
        let first = try talker()
        try await first.waitForLine(containing: "You are heard", on: .standardError)
        try await stage.press("k", "1 Ann (all")
        // Another key in between, and the digit is no answer any more.
        try await stage.press("1", "Ann: 1 again puts that device out")
        try await stage.press("g", "GUEST")
        try await stage.press("k", "1 Ann (all")
        try await stage.press("1", "Ann: 1 again puts that device out")
        try await stage.press("1", "Ann is out of the voices")
        try await first.expectExit(77)
        #expect(first.standardErrorText.contains("the host takes no voice from here"))
        try await talker().expectExit(77)
        try await stage.press("k", "1 Ann (out)")
        try await stage.press("1", "Ann was put out")
        try await stage.press("1", "Ann may come back")
        let again = try talker()
        try await again.waitForLine(containing: "You are heard", on: .standardError)
        again.interrupt()
        try await again.expectExit(0)
    }

    @Test func keyOfVoices_says_whereThereAreNone() async throws {
        try await open().press("k", "There are no voices")
    }

    @Test func pause_holdsTheLines_andTheyComeInOrder() async throws {
        let stage = try await open()
        stage.tell(["line 0"])
        try await stage.waitForRecord(#""text":"line 0""#)
        try await stage.press("p", "Paused. ")
        try await stage.waitForRecord(#""kind":"paused""#)
        stage.tell(numbered(1...300))
        // A line of the host's own comes through, and nothing before it.
        try await stage.press("i", "> ")
        try await stage.host.type("Back at ten\r")
        try await stage.waitForRecord(#""text":"Back at ten""#, #""seq":2"#)
        try await stage.press("\u{1B}", "p pause")
        try await stage.press("p", "The captions go on.")
        try await stage.waitForRecord(#""text":"line 300""#)
        #expect(stage.texts == ["line 0", "Back at ten"] + numbered(1...300))
        stage.host.stop()
    }

    @Test func offRecord_keepsLinesFromGuests_andFromTheDisk() async throws {
        let stage = try await open()
        stage.tell(["before"])
        try await stage.waitForRecord(#""text":"before""#)
        try await stage.press("o", "Off the record. ")
        try await stage.waitForRecord(#""kind":"off_record""#)
        // The input's age tells when it was read.
        var before = stage.host.text.count
        try await stage.host.waitForText("a second without input") {
            $0.dropFirst(before).contains(/last input [1-9]\d* s ago/)
        }
        before = stage.host.text.count
        stage.tell(["a secret", "more of the secret"])
        try await stage.host.waitForText("that it was read") {
            $0.dropFirst(before).contains("last input 0 s ago")
        }
        try await stage.press("o", "On the record.")
        stage.tell(["after"])
        try await stage.waitForRecord(#""text":"after""#)
        try await stage.press("m", "Marked after line ")
        try await stage.waitForRecord(#""kind":"mark""#)
        try await stage.press("e", "End the event for everybody?")
        try await stage.host.type("end\r")
        try await stage.waitForRecord(#""kind":"ended""#)
        try await stage.guest.expectExit(0)
        // The shell waits for the other end of the pipe.
        try await stage.host.type("\u{3}")
        try await stage.host.waitForExit()
        #expect(stage.host.isInOrdinaryMode)
        #expect(!stage.guest.standardOutputText.contains("secret"))
        let export = try RunningProgram(.beamscribe(["export", "last"], state: stage.folder))
        try await export.expectExit(0)
        #expect(!export.standardOutputText.contains("secret"))
        #expect(export.standardOutputLines.first == "before")
        let found = try RunningProgram("grep", "-rl", "secret", stage.folder.path)
        try await found.waitForExit()
        #expect(found.standardOutputText == "")
        #expect(!stage.log.contains("\u{1B}") && stage.log.contains("Off the record"))
        let sessions = try RunningProgram(.beamscribe(["sessions", "--json"], state: stage.folder))
        try await sessions.expectExit(0)
        #expect(sessions.standardOutputText.contains(#""marks":[{"after":2,"#))
    }

    @Test func line_isCorrected_byTheOperator() async throws {
        let stage = try await open()
        stage.tell(["Good mourning", "and hello"])
        try await stage.waitForRecord(#""text":"and hello""#)
        try await stage.press("c", "correcting line 2")
        try await stage.press("\u{1B}[A", "correcting line 1")
        try await stage.press("\u{17}morning\r", "Line 1 is corrected.")
        try await stage.waitForRecord(#""replaces":1"#, #""text":"Good morning""#)
        // Letters are commands again.
        try await stage.press("g", "p50/p95")
        try await stage.press("?", "WHAT IT DOES")
        stage.host.stop()
    }

    /// Right after a correction, and at no other time.
    @Test func correction_isMadeInAllThatComes_whenTheOperatorSaysSo() async throws {
        let folder = try TemporaryFolder()
        let list = try folder.write("[de]\nx = y", to: "names.txt")
        let stage = try await open(["--glossary", list])
        stage.tell(["Good mourning"])
        try await stage.waitForRecord(#""text":"Good mourning""#)
        try await stage.press("a", "Correct a word in a line")
        try await stage.press("c", "correcting line 1")
        try await stage.press("\u{17}morning\r", "a: always \"morning\". It was: \"Good mourning\"")
        try await stage.press("a", "\"mourning\" is \"morning\" from now on.")
        stage.tell(["Mourning all"])
        try await stage.waitForRecord(#""text":"Morning all""#)
        try await stage.press("a", "Correct a word in a line")
        // What was taken back is no word that is meant otherwise.
        try await stage.press("c", "correcting line 3")
        try await stage.press("\u{15}\r", "Line 3 is withdrawn. It was: \"Morning all\"")
        #expect(try folder.read("names.txt") == "[de]\nx = y\n[]\nmourning = morning\n")
        stage.host.stop()
    }

    /// With the terminal's mark and without it: text is text where letters are commands.
    @Test func paste_isNoCommand_andGoesOutWithEnterOnly() async throws {
        let stage = try await open()
        stage.tell(["one"])
        try await stage.waitForRecord(#""text":"one""#)
        try await stage.press("\u{1B}[200~We meet at noon\u{1B}[201~", "> We meet at noon")
        try await stage.press("\u{1B}", "p pause")
        try await stage.press("The committee\r", "> The committee")
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""text":"The committee""#, #""seq":2"#)
        #expect(stage.texts == ["one", "The committee"])
        let told = stage.guest.standardOutputText
        #expect(!told.contains("replaces") && !told.contains("mark") && !told.contains("We meet"))
        #expect(!stage.host.text.contains("End the event"))
        stage.host.stop()
    }

    @Test func lineOfAnyAge_isFound_andWithdrawn() async throws {
        let stage = try await open()
        stage.tell(numbered(1...300))
        try await stage.waitForRecord(#""text":"line 300""#)
        try await stage.press("/", "find> ")
        try await stage.press("LINE 27\r", "correcting line 279")
        try await stage.press("\u{1B}", "p pause")
        try await stage.press("/", "find> ")
        try await stage.press("3\r", "correcting line 3")
        try await stage.press("\u{15}\r", "Line 3 is withdrawn. It was: \"line 3\"")
        try await stage.waitForRecord(#""replaces":3"#, #""text":"""#)
        // Up reaches what the screen has not.
        try await stage.press("c", "correcting line 300")
        try await stage.host.type(String(repeating: "\u{1B}[A", count: 100))
        try await stage.host.waitForText("line 200") { $0.contains("correcting line 200") }
        stage.host.stop()
        let late = try RunningProgram(.beamscribe(["export", "last"], state: stage.folder))
        try await late.expectExit(0)
        #expect(late.standardOutputLines == numbered(1...2) + numbered(4...300))
    }

    @Test func keys_changeNothing_onceTheEventHasEnded() async throws {
        let stage = try await open(["--linger", "60"])
        stage.tell(["one"])
        try await stage.waitForRecord(#""text":"one""#)
        try await stage.press("e", "type end and Enter")
        try await stage.press("end\r", "ended · ")
        for key in ["p", "o", "m", "c", "/", "i", "e"] {
            try await stage.press(key, "The event has ended; Ctrl-C")
            try await stage.press("\u{1B}", "p pause")
        }
        stage.host.stop()
    }

    @Test func captions_areHandedOver_andTakenBack() async throws {
        let stage = try await open(["--admit", "all"], columns: 120)
        try await stage.press("h", "Nobody stands by to caption")
        try await stage.press("t", "The captions are yours already.")
        let standby = try await Holder.open(
            ["host", "--standby", "Hall"], of: "127.0.0.1:\(stage.port)")
        try await standby.program.waitForLine(containing: "Let in", on: .standardError)
        try await stage.press("h", "h again hands the captions over to \"Standby\"")
        // Another key in between, and nothing is handed over.
        try await stage.press("?", "WHAT IT DOES")
        try await stage.press("h", "h again hands the captions over to \"Standby\"")
        try await stage.press("h", "STANDBY")
        try await standby.program.waitForLine(
            containing: "has handed you the captions", on: .standardError)
        stage.tell(["nobody hears this"])
        try await standby.program.write("one\n")
        try await stage.waitForRecord(#""text":"one""#, #""log":"Standby""#)
        try await stage.press("t", "t again takes the captions")
        try await stage.press("t", "The captions are yours.")
        try await standby.program.waitForLine(
            containing: "From now on the host on ", on: .standardError)
        stage.tell(["two"])
        try await stage.waitForRecord(#""text":"two""#)
        try await standby.program.write("nor this\n")
        stage.tell(["three"])
        try await stage.waitForRecord(#""text":"three""#)
        #expect(stage.texts == ["one", "two", "three"])
    }

    @Test func writer_isLetIn_putOut_andLetInAgain() async throws {
        let stage = try await open(columns: 160)
        try await stage.press("l", "Nobody asks to caption in this event")
        let folder = try TemporaryFolder()
        let words = ["host", "--into", "Hall", "--as", "Room 2", "--no-ble"]
        let writer = try RunningProgram(
            .beamscribe(words + ["--host", "127.0.0.1:\(stage.port)"], state: folder))
        try await eventually("the writer to ask") {
            stage.log.contains("wants to caption \"Room 2\"")
        }
        // The key comes first: what follows is what somebody calls himself.
        try await stage.press(
            "l", "wants to caption here: l again lets it in. It calls itself \"Room 2\"")
        try await stage.press("l", "\"Room 2\" captions in this event, too.")
        try await writer.write("uno\n")
        try await stage.waitForRecord(#""text":"uno""#, #""log":"Room 2""#)
        try await stage.press("l", "Put one out: 1 \"Room 2\"?")
        // Another key in between, and nobody is put out.
        try await stage.press("1", "1 again puts it out. What it has said stays.")
        try await stage.press("?", "WHAT IT DOES")
        try await stage.press("\u{1B}", "p pause")
        try await stage.press("l", "Put one out: 1 \"Room 2\"?")
        try await stage.press("1", "1 again puts it out. What it has said stays.")
        try await stage.press("1", "\"Room 2\" is out")
        try await writer.waitForLine(
            containing: "out of the event after line 1", on: .standardError)
        try await writer.write("dos\n")
        stage.tell(["one"])
        try await stage.waitForRecord(#""text":"one""#)
        #expect(stage.texts == ["uno", "one"])
        try await stage.press("l", "1 \"Room 2\" (out)")
        try await stage.press("1", "was put out: 1 again lets it in.")
        try await stage.press("1", "\"Room 2\" captions in this event, too.")
        try await stage.waitForRecord(#""text":"dos""#, #""log":"Room 2""#)
    }

    /// The session of a log is no secret: somebody else asks with it, and a key of their own.
    @Test func request_isStillThere_whenAnotherKeyAsksForItsSession() async throws {
        let stage = try await open(columns: 160)
        let folder = try TemporaryFolder()
        let words = ["host", "--into", "Hall", "--as", "Room 2", "--no-ble"]
        let writer = try RunningProgram(
            .beamscribe(words + ["--host", "127.0.0.1:\(stage.port)"], state: folder))
        try await eventually("the writer to ask") {
            stage.log.contains("wants to caption \"Room 2\"")
        }
        let session = try SessionFolder(folder).onlyID()
        let attacker = try Peer.start(
            "log_writer", ["127.0.0.1", "\(stage.port)", "replacement", session])
        try await eventually("the other to ask") {
            stage.log.contains("wants to caption \"replacement\"")
        }
        try await stage.press("l", "\"Room 2\" on ")
        try await stage.press("l", "\"Room 2\" captions in this event, too.")
        try await writer.write("uno\n")
        try await stage.waitForRecord(#""text":"uno""#, #""log":"Room 2""#)
        attacker.closeInput()
        try await attacker.expectExit(0)
    }

    @Test func log_getsPlainLines_andTheTerminalTheRest() async throws {
        let stage = try await open()
        stage.tell(["one"])
        try await stage.waitForRecord(#""text":"one""#)
        try await stage.press("p", "PAUSED")
        try await stage.host.type("\u{3}")
        try await stage.host.waitForExit()
        #expect(!stage.log.contains("\u{1B}") && !stage.log.contains("\r"))
        #expect(stage.log.hasPrefix("Hosting \"Hall\"."))
        let key = stage.log.split(separator: "\n").first { $0.hasPrefix("Key of this host: ") }
        #expect(try #require(key).count < 80)
        #expect(stage.log.contains("Paused: what comes in waits."))
        #expect(!stage.host.text.contains("Hosting"))
        #expect(stage.host.isInOrdinaryMode)
    }

    /// The recogniser gets the same Ctrl-C, and its end must not be taken for the event's.
    @Test(arguments: [[], ["--until-eof"]], 1...4)
    func ctrlC_stopsTheHost_andEndsNothing(_ options: [String], round: Int) async throws {
        let stage = try await open(options)
        stage.tell(["one"])
        try await stage.waitForRecord(#""text":"one""#)
        try await stage.host.type("\u{3}")
        try await stage.host.waitForExit()
        try await stage.waitForRecord(#""kind":"host_disconnected""#)
        #expect(
            stage.guest.isRunning && !stage.guest.standardOutputText.contains(#""kind":"ended""#))
        #expect(stage.log.contains("To end it for them as well: beamscribe sessions end "))
    }

    @Test func backgroundJob_isNotStopped_andLeavesTheTerminalAlone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "captions")
        #expect(mkfifo(path, 0o600) == 0)
        let input = Glibc.open(path, O_RDWR | O_CLOEXEC)
        defer { close(input) }
        let host = Launch.beamscribe(
            ["host", "--event", "Hall", "--input", path] + Room.quiet(port: 0), state: folder)
        let command = ([host.executable] + host.arguments).joined(separator: " ")
        // With job control each job has a group of its own, and only one has the terminal. What ends
        // with a failed test is the shell's group, so the job ends by itself.
        var launch = Launch(
            "bash", "--norc", "-c",
            "set -m; stty tostop; timeout --foreground 90 \(command) 2>'\(folder.path(of: "log"))' & read line; kill %1; wait"
        )
        launch.environment = host.environment
        launch.withoutVariables = host.withoutVariables
        let terminal = try PseudoTerminal(launch)
        let port = try await port(inLogOf: folder)
        let guest = try RunningProgram(
            .beamscribe(["join", "--host", "127.0.0.1:\(port)"], state: folder))
        #expect(Glibc.write(input, "still here\n", 11) == 11)
        try await guest.waitForLine(containing: "still here")
        #expect(terminal.isInOrdinaryMode && !terminal.text.contains("\u{1B}"))
        try await terminal.type("\r")
        try await terminal.waitForExit()
        #expect(terminal.isInOrdinaryMode)
    }

    @Test func keys_areNotRead_whereNobodySeesWhatTheyDo() async throws {
        let folder = try TemporaryFolder()
        let host = Launch.beamscribe(
            ["host", "--event", "Hall"] + Room.quiet(port: 0), state: folder)
        let command = ([host.executable] + host.arguments).joined(separator: " ")
        let log = folder.path(of: "log")
        // As a script starts it.
        var launch = Launch(
            "/bin/sh", "-c", "sleep 60 | \(command) >'\(log)' 2>&1 & trap 'kill 0' TERM; wait")
        launch.environment = host.environment
        launch.withoutVariables = host.withoutVariables
        let terminal = try PseudoTerminal(launch)
        _ = try await port(inLogOf: folder)
        #expect(terminal.isInOrdinaryMode && terminal.text == "")
        terminal.stop()
    }
}
