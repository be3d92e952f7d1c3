import TestSupport
import Testing

/// Another machine stands by for the captions of an event, by `host --standby`.
@Suite(.timeLimit(.minutes(3))) struct StandbyTests {
    private func standby(for room: Room) async throws -> Holder {
        let standby = try await Holder.open(
            ["host", "--standby", "Town Hall"], of: room.address)
        try await standby.program.waitForLine(containing: "Let in", on: .standardError)
        try await room.host.waitForLine(
            containing: "serves the event to others", on: .standardError)
        return standby
    }

    private func own(_ lines: String...) -> [String] { lines.map { "[Standby] \($0)" } }

    /// Says something that is thrown away, and waits until it is.
    private func waste(_ words: String, on program: RunningProgram) async throws {
        try await program.write(words + "\n")
        try await program.waitForLine(containing: "Input: plain text", on: .standardError)
    }

    /// Kills the host, and waits until the other captions.
    private func kill(_ host: RunningProgram, for standby: Holder) async throws {
        try await host.killed()
        try await standby.program.waitForLine(
            containing: "You caption from now on", on: .standardError)
    }

    @Test func standby_captions_onceTheHostIsGone() async throws {
        let room = try await Room.open("--admit", "all")
        let standby = try await standby(for: room)
        let reader = try await room.joined("--no-ble")
        try await waste("nobody hears this", on: standby.program)
        try await room.tell("one")
        try await reader.waitForLines(1)
        try await room.host.killed()
        // What is said before anybody has noticed is not lost.
        try await standby.program.write("two\n")
        try await standby.program.waitForLine(
            containing: "You caption from now on", on: .standardError)
        try await standby.program.write("three\n")
        for reader in [reader, try standby.join()] {
            try await reader.waitForLines(3)
            #expect(reader.standardOutputLines == ["one"] + own("two", "three"))
        }
    }

    @Test func hostThatComesBack_waits_whileTheOtherCaptions() async throws {
        let room = try await Room.open("--admit", "all")
        let standby = try await standby(for: room)
        let reader = try await room.joined("--no-ble")
        try await room.tell("one")
        try await reader.waitForLines(1)
        try await kill(room.host, for: standby)
        let again = try await Room.resume(in: room.folder)
        try await again.host.waitForLine(containing: "Standing by", on: .standardError)
        try await waste("nobody hears this", on: again.host)
        try await standby.program.write("two\n")
        try await reader.waitForLines(2)
        // Who captions now goes, and says so; the host goes on.
        standby.program.interrupt()
        try await again.host.waitForLine(
            containing: "You caption from now on", on: .standardError)
        try await again.tell("three")
        try await reader.waitForLines(3)
        #expect(reader.standardOutputLines == ["one"] + own("two") + ["three"])
    }

    /// Its words are not the event's for now, and so neither is their end.
    @Test func hostThatWaits_tellsNobodyThatItsInputEnds() async throws {
        let room = try await Room.open("--admit", "all")
        let standby = try await standby(for: room)
        try await kill(room.host, for: standby)
        let again = try await Room.resume(in: room.folder)
        try await again.host.waitForLine(containing: "Standing by", on: .standardError)
        let reader = try await again.joined("--no-ble", "--format", "jsonl")
        try await reader.waitForLine(containing: "off_air")
        again.host.closeInput()
        try await again.host.waitForLine(containing: "ended without a word", on: .standardError)
        try await standby.program.write("two\n")
        try await reader.waitForLine(containing: #""text":"two""#)
        #expect(!reader.standardOutputLines.contains { $0.contains("input_ended") })
    }

    @Test func jsonLines_tellWhoStandsBy() async throws {
        let room = try await Room.open("--admit", "all")
        let standby = try await standby(for: room)
        // One that the host has told of nobody else has nowhere to go.
        let reader = try standby.join("--format", "jsonl")
        let log = try await reader.waitForLine(containing: #""type":"log""#)
        #expect(log.contains(#""state":"standby""#) && log.contains(#""label":"Standby""#))
        try await kill(room.host, for: standby)
        try await reader.waitForLine("it captions") {
            $0.contains(#""type":"log""#) && $0.contains(#""state":"live""#)
        }
    }

    @Test(arguments: [
        ["--standby", "Town Hall", "--into", "Town Hall", "--as", "Room 2"],
        ["--standby", "Town Hall", "--event", "Room"],
        ["--standby", "Town Hall", "--web"],
        ["--standby", "Town Hall", "--as", " "],
        ["--standby", "Town Hall", "--admit", "all"],
        ["--standby", "Town Hall", "--resume", "last"],
    ])
    func wordsThatDoNotFit_areRefused(_ words: [String]) async throws {
        let program = try RunningProgram(
            .beamscribe(["host"] + words, state: try TemporaryFolder()))
        try await program.expectExit(64)
        #expect(program.standardOutputText == "" && !program.standardErrorText.isEmpty)
    }
}
