import Foundation
import TestSupport
import Testing

/// `join --obs-websocket HOST`: finished lines into the stream that OBS Studio sends.
@Suite struct OBSStudioTests {
    /// A stand-in for OBS Studio, strict as its published protocol is.
    private struct Studio {
        let program: RunningProgram
        let place: String

        static func start(
            at address: String = "127.0.0.1", port: String = "0", _ more: String...
        ) async throws -> Studio {
            let script = Repository.path(of: "Tests/Support/Services/obs-studio.py")
            let program = try RunningProgram(
                Launch(
                    "python3",
                    arguments: [script, "--address", address, "--port", port] + more))
            let line = try await program.waitForLine(containing: "port ")
            return Studio(program: program, place: "\(address):\(line.dropFirst(5))")
        }

        /// Says what is to happen.
        func plan(_ what: String) async throws {
            try await program.write(what + "\n")
            try await program.waitForLine(containing: what)
        }

        var violations: [String] {
            program.standardOutputLines.filter { $0.hasPrefix("violation") }
        }

        /// Waits for these behind `before`, which may have come twice: OBS was stopped before anybody
        /// heard that it had it.
        func waitForTaken(_ texts: [String], maybeAfter before: String) async throws {
            try await program.waitForOutput("\(texts.count) captions") {
                Self.taken(in: $0.standardOutput.lines).last == texts.last
            }
            #expect(Self.taken(in: program.standardOutputLines).filter { $0 != before } == texts)
            #expect(violations == [])
        }

        private static func taken(in lines: [String]) -> [String] {
            lines.filter { $0.hasPrefix("took ") }.map { String($0.dropFirst(5)) }
        }

        func waitForTaken(_ texts: [String]) async throws {
            try await program.waitForOutput("\(texts.count) captions") {
                Self.taken(in: $0.standardOutput.lines).count >= texts.count
            }
            #expect(Self.taken(in: program.standardOutputLines) == texts)
            #expect(violations == [])
        }
    }

    private func joined(
        _ room: Room, _ studio: Studio, password: String? = nil, _ more: String...
    ) async throws -> RunningProgram {
        var launch = room.launchOfGuest(["--obs-websocket", studio.place] + more)
        launch.environment["BEAMSCRIBE_OBS_PASSWORD"] = password
        let guest = try RunningProgram(launch)
        try await guest.waitUntilJoined()
        return guest
    }

    @Test func lines_areSent_withThePasswordThatNobodyElseGets() async throws {
        let studio = try await Studio.start(at: "127.0.0.1", port: "0", "--password", "hush \"ü\"")
        let room = try await Room.open("--until-eof")
        try await room.tell("said before")
        let guest = try await joined(room, studio, password: "hush \"ü\"", "--exec", "env")
        try await room.tell("It's \"quoted\", \\ ü 字.")
        try await studio.waitForTaken(["It's \"quoted\", \\ ü 字."])
        try await guest.waitForLine(containing: "BEAMSCRIBE_SEQ=2", on: .standardError)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardErrorText.contains("The captions also go to OBS (\(studio.place))"))
        #expect(!guest.standardErrorText.contains("hush"))
    }

    @Test(arguments: [(nil, "it wants a password"), ("wrong", "it wants another password")])
    func refusal_saysWhatIsWrongWithThePassword(_ password: String?, _ words: String) async throws {
        let studio = try await Studio.start(at: "127.0.0.1", port: "0", "--password", "hush")
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, studio, password: password)
        try await room.tell("line 1")
        try await guest.waitForLine(containing: words, on: .standardError)
        room.host.closeInput()
        try await guest.expectExit(74)
        #expect(guest.standardErrorText.contains("BEAMSCRIBE_OBS_PASSWORD"))
        #expect(studio.violations == [])
    }

    @Test func linesWithoutAStream_areLeftOut_andThatIsToldOnce() async throws {
        let studio = try await Studio.start()
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, studio)
        try await studio.plan("off")
        try await room.tell("line 1")
        try await guest.waitForLine(containing: "no stream is on", on: .standardError)
        try await studio.plan("on")
        try await room.tell("line 2")
        try await studio.waitForTaken(["line 2"])
        try await guest.waitForLine(containing: "takes the captions again", on: .standardError)
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardErrorLines.filter { $0.contains("warning:") }.count == 1)
    }

    /// Whether OBS has a caption that it did not answer nobody can tell: it may come twice, and is
    /// never lost.
    @Test(arguments: ["lose 1", "huge 1", "liar 1", "flood 1", "cut 1"])
    func everyLine_isTaken_whenOBSFails(_ what: String) async throws {
        let studio = try await Studio.start()
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, studio)
        try await studio.plan(what)
        try await room.tell("line 1")
        try await studio.waitForTaken(["line 1"])
        try await room.tell("line 2")
        try await studio.waitForTaken(numbered(1...2))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(studio.violations == [])
        #expect(!guest.standardErrorText.hasControlCharacters)
    }

    @Test(arguments: ["mute", "nohttp"])
    func end_isNotHeldUp_whenOBSNeverGreets(_ what: String) async throws {
        let studio = try await Studio.start()
        let room = try await Room.open("--until-eof")
        let guest = try await joined(room, studio)
        try await studio.plan(what)
        try await room.tell("line 1")
        try await guest.waitForLines(1)
        room.host.closeInput()
        try await guest.expectExit(74)
        #expect(guest.standardErrorLines.last?.contains("has not taken 1 line") == true)
        #expect(!guest.standardErrorText.hasControlCharacters)
    }

    @Test func linesWait_whileOBSIsAway_alsoForTheNextGuest_andLongOnesComeInPieces() async throws {
        let address = Room.ownAddress()
        let studio = try await Studio.start(at: address)
        let room = try await Room.open("--until-eof")
        let first = try await joined(room, studio)
        try await room.tell("line 1")
        try await studio.waitForTaken(["line 1"])
        studio.program.stop()
        let long = String(repeating: "words ", count: 20)
        try await room.tell(long)
        try await first.waitForLine(containing: "does not take the captions", on: .standardError)
        first.kill()
        _ = try await first.waitForExit()
        let port = String(studio.place.split(separator: ":")[1])
        let again = try await Studio.start(at: address, port: port)
        let second = try await joined(room, again, "--no-history")
        let part = String(repeating: "words ", count: 16).dropLast()
        try await again.waitForTaken(
            [String(part), "words words words words"], maybeAfter: "line 1")
        room.host.closeInput()
        try await second.expectExit(0)
        #expect(second.standardOutputLines == [])
    }

    @Test(arguments: ["", "a b", "host:0", "host:70000", "http://host", "host/path", ":4455"])
    func guest_explainsItself_whenThePlaceIsNone(_ place: String) async throws {
        let room = try await Room.open()
        let guest = try RunningProgram(room.launchOfGuest(["--obs-websocket", place]))
        try await guest.expectExit(64)
        #expect(guest.standardErrorText.contains("--obs-websocket takes HOST"))
    }
}
