import Foundation
import TestSupport
import Testing

/// What is said to some alone in a mesh, on the disks of those who have heard it.
@Suite(.timeLimit(.minutes(3)), Skip.withoutTmux) struct PrivateLineTests {
    /// Two nodes that have heard three lines: one for all, one for Ben alone, and one for all but
    /// Ben.
    ///
    /// - Parameter isKilled: whether the machines go down, so that the event is not over.
    private func table(isKilled: Bool = false) async throws -> MeshTable {
        let table = MeshTable(of: "Round Table")
        let ben = try await table.begin("Ben")
        let cem = try await table.begin("Cem", knowing: [ben.port])
        // Who has said nothing is not gone on with.
        try await ben.say(["hello"])
        try await cem.waitForLine("hello", of: "Ben")
        let words =
            ["mesh", table.event, "--as", "Ann", "--name", "Ann"] + Room.quiet(port: 0)
            + table.nodes.flatMap { ["--host", "127.0.0.1:\($0.port)"] }
        var launch = Launch.beamscribe(words, state: try TemporaryFolder())
        launch.environment["NO_COLOR"] = "1"
        launch.withoutVariables.remove("NO_COLOR")
        let ann = try await TerminalSession(launch)
        try await ann.waitForScreen(containing: "2 of 2 here")
        for line in ["for all", "/to Ben for Ben", "/except Ben not for Ben"] {
            try await ann.type(line)
            try await ann.send(keys: "Enter")
        }
        for (node, secret) in [(ben, "for Ben"), (cem, "not for Ben")] {
            try await node.program.waitForLine("all lines at \(node.label)") { line in
                line.hasSuffix(", private] \(secret)")
            }
            try await node.waitForLine("for all", of: "Ann")
        }
        if isKilled {
            try await RunningProgram.kill(table.nodes.map(\.program))
        } else {
            try await ann.send(keys: "C-c")
            try await table.end()
        }
        return table
    }

    @Test func lineForOne_reachesNobodyElse_whereThereIsNoConsole() async throws {
        let table = MeshTable(of: "Round Table")
        let ben = try await table.begin("Ben")
        let cem = try await table.begin("Cem", knowing: [ben.port])
        let words =
            ["mesh", table.event, "--as", "Ann", "--name", "Ann", "--no-console"]
            + Room.quiet(port: 0) + table.nodes.flatMap { ["--host", "127.0.0.1:\($0.port)"] }
        let ann = try await TerminalSession(.beamscribe(words, state: try TemporaryFolder()))
        for node in table.nodes {
            try await ann.waitForScreen(containing: "+ \(node.label) is here")
        }
        for line in ["/to Ben for Ben", " /to Nobody for nobody", "//for all", "for all"] {
            try await ann.type(line)
            try await ann.send(keys: "Enter")
        }
        try await ben.program.waitForLine("a private line") {
            $0 == "[Ann to Ben, private] for Ben"
        }
        try await ann.waitForScreen(containing: "Nobody here is called \"Nobody\"")
        for node in table.nodes {
            try await node.waitForLine("for all", of: "Ann")
            #expect(node.lines(of: "Ann") == ["/for all", "for all"])
        }
        #expect(!cem.program.standardOutputText.contains("for Ben"))
        try await ann.send(keys: "C-c")
        try await table.end()
    }

    private func export(
        _ words: String..., in folder: TemporaryFolder, exit code: Int32 = 0
    ) async throws -> (lines: [String], told: String) {
        let program = try await StoredSessions(in: folder).run(
            words: ["export"] + words, exit: code)
        return (program.standardOutputLines, program.standardErrorText)
    }

    @Test func export_hasPrivateLines_whereTheyAreAskedForAlone() async throws {
        let table = try await table()
        let folder = table.nodes[0].folder
        // It is the same on the founder's node and on the others.
        for node in table.nodes {
            let all = try await export("last", in: node.folder).lines
            #expect(all.sorted() == ["[Ann] for all", "[Ben] hello"], "\(node.label)")
        }
        for format in ["txt", "srt", "vtt", "jsonl"] {
            let plain = try await export("last", "--format", format, in: folder)
            #expect(plain.lines.contains { $0.contains("for all") }, "\(format)")
            #expect(!plain.lines.contains { $0.contains("for Ben") }, "\(format)")
            #expect(plain.told == "1 private line was left out; --private adds it.\n")
            let whole = try await export("last", "--format", format, "--private", in: folder)
            #expect(whole.told == "" && whole.lines.count > plain.lines.count, "\(format)")
            let marked = whole.lines.filter { $0.contains("private") }
            #expect(marked.count == 1, "\(format): \(whole.lines)")
        }
        #expect(
            try await export("last", "--private", in: folder).lines == [
                "[Ben] hello", "[Ann] for all", "[Ann to Ben, private] for Ben",
            ])
        let named = try await export("last", "--log", "ann to ben", in: folder)
        #expect(named.lines == ["[Ann to Ben, private] for Ben"] && named.told == "")
        let stored = StoredSessions(in: folder)
        let listed = try await stored.listed().filter { $0["private"] as? Bool == true }
        let secret = try #require(listed.first?["session"] as? String)
        #expect(listed.count == 1)
        for way in [secret, stored.log(of: secret), "\(stored.path)/\(secret)"] {
            let alone = try await export(way, in: folder)
            #expect(alone.lines == ["[Ann to Ben, private] for Ben"], "\(way)")
        }
        let other = try await export("Round Table", in: table.nodes[1].folder)
        #expect(other.lines == ["[Ben] hello", "[Ann] for all"])
        #expect(other.told == "1 private line was left out; --private adds it.\n")
    }

    /// Whoever serves what was heard serves, prints and saves what was said to all.
    @Test func privateLines_goNoFurther_whereTheEventIsServedFromTheSameFolder() async throws {
        let table = try await table(isKilled: true)
        // He holds the log of who has begun the event.
        let folder = table.nodes[1].folder
        let saved = folder.path(of: "saved.txt")
        let server = try await Holder.open(
            ["join", "Round Table", "--serve", "--keep", "--save", saved], of: nil, in: folder)
        let reader = try server.join("--save", folder.path(of: "reader.txt"))
        try await reader.waitForLine(containing: "for all")
        try await server.program.waitForLine(containing: "for all")
        for program in [reader, server.program] {
            program.interrupt()
            try await program.expectExit(0)
            #expect(!program.standardOutputText.contains("for Ben"))
        }
        for name in ["saved.txt", "reader.txt"] {
            let text = try folder.read(name)
            #expect(text.contains("for all") && !text.contains("for Ben"), "\(name)")
        }
    }
}
