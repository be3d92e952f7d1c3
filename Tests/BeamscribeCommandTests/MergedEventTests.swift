import TestSupport
import Testing

/// Readers of an event in which everybody captions, whose node goes over to another event of the
/// same name.
@Suite(.timeLimit(.minutes(3))) struct MergedEventTests {
    private static let name = "Round Table"

    /// Nobody's log is the main one there.
    @Test(arguments: ["srt", "vtt"]) func subtitles_areEverybodys(format: String) async throws {
        let ann = try await TableNode("Ann", of: Self.name, "--format", format)
        let ben = try await TableNode("Ben", of: Self.name, knowing: [ann.port])
        try await ann.say(["one"])
        try await ben.waitForLine("one", of: "Ann")
        try await ben.say(["uno"])
        for text in ["one", "uno"] { try await ann.program.waitForLine(containing: text) }
        for node in [ann, ben] { node.program.interrupt() }
        for node in [ann, ben] { try await node.program.expectExit(0) }
    }

    @Test func readersAndRelays_areToldThatAnotherEventRuns_andReadIt() async throws {
        let table = MeshTable(of: Self.name)
        let nodes = [try await table.begin("Ann"), try await table.begin("Ben")]
        var readers: [RunningProgram] = []
        var relays: [Holder] = []
        for node in nodes {
            try await node.say(["\(node.label) alone"])
            let address = "127.0.0.1:\(node.port)"
            let reader = try RunningProgram(
                .beamscribe(["join", "--host", address, "--no-ble"], state: TemporaryFolder()))
            try await reader.waitForLine(containing: "alone")
            readers.append(reader)
            relays.append(try await Holder.open(["relay", "--keep"], of: address))
        }
        _ = try await table.begin("Cem", knowing: nodes.map(\.port))
        // One of the two goes over, with all that it said.
        for node in table.nodes {
            for label in ["Ann", "Ben"] {
                try await node.waitForLine("\(label) alone", of: label)
            }
        }
        let gone = try #require(
            nodes.firstIndex { $0.program.standardErrorText.contains("was begun twice") })
        for program in [readers[gone], relays[gone].program] {
            try await program.waitForLine(
                containing: "another event runs now where this one was", on: .standardError)
            try await program.expectExit(77)
            #expect(!program.standardErrorText.contains("begun the event anew"))
        }
        // A relay that starts anew, and has kept the event, is told the same.
        let restarted = try RunningProgram(
            .beamscribe(
                ["relay", "--keep", "--host", "127.0.0.1:\(nodes[gone].port)", "--no-ble"]
                    + Room.quiet(port: 0),
                state: relays[gone].folder))
        try await restarted.waitForLine(
            containing: "another event runs now where this one was", on: .standardError)
        try await restarted.expectExit(77)
        try await table.sayEach("together")
        let again = try RunningProgram(
            .beamscribe(
                ["join", "--host", "127.0.0.1:\(nodes[gone].port)", "--no-ble"],
                state: TemporaryFolder()))
        try await again.waitForLine(containing: "Cem together")
        let stayed = readers[1 - gone]
        try await stayed.waitForLine(containing: "Cem together")
        #expect(stayed.standardOutputLines.filter { $0.contains("alone") }.count == 2)
    }
}
