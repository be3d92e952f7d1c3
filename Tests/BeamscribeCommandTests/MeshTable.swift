import Foundation
import TestSupport
import Testing

/// A node of a mesh on this machine, and what it was given to say.
final class TableNode: Sendable {
    let label: String
    let program: RunningProgram
    let port: UInt16
    let folder: TemporaryFolder

    /// Starts a node that nobody finds by himself; it takes part when this comes back.
    ///
    /// - Parameter ports: where others listen.
    init(
        _ label: String, of event: String, knowing ports: [UInt16] = [], _ options: String...
    ) async throws {
        folder = try TemporaryFolder()
        let words = ["mesh", event, "--as", label, "--name", label] + Room.quiet(port: 0)
        let others = ports.flatMap { ["--host", "127.0.0.1:\($0)"] }
        program = try RunningProgram(.beamscribe(words + others + options, state: folder))
        let line = try await program.waitForLine(containing: "--host 127.", on: .standardError)
        port = try #require(line.split(separator: ":").last.flatMap { UInt16($0) })
        self.label = label
    }

    func say(_ lines: [String]) async throws {
        try await program.write(lines.map { $0 + "\n" }.joined())
    }

    func waitForLine(_ line: String, of label: String) async throws {
        let line = "[\(label)] \(line)"
        try await program.waitForLine("\"\(line)\" at \(self.label)") { $0 == line }
    }

    /// What it has printed of a log, without the log's label.
    func lines(of label: String) -> [String] {
        program.standardOutputLines.filter { $0.hasPrefix("[\(label)] ") }.map {
            String($0.dropFirst(label.count + 3))
        }
    }
}

/// Nodes of one event, and what they have said.
final class MeshTable {
    let event: String
    private(set) var nodes: [TableNode] = []
    private var said: [String: [String]] = [:]

    init(of event: String) { self.event = event }

    @discardableResult
    func begin(_ label: String, knowing ports: [UInt16] = []) async throws -> TableNode {
        nodes.append(try await TableNode(label, of: event, knowing: ports))
        return nodes[nodes.count - 1]
    }

    func say(_ lines: [String], by node: TableNode) async throws {
        said[node.label, default: []] += lines
        try await node.say(lines)
    }

    /// What a node has said.
    func lines(of label: String) -> [String] { said[label] ?? [] }

    /// Has each say a line that ends with this word.
    func sayEach(_ word: String) async throws {
        for node in nodes { try await say(["\(node.label) \(word)"], by: node) }
    }

    /// Waits until each has printed all lines of all nodes.
    func waitForAll() async throws {
        for node in nodes {
            try await node.program.waitForOutput(
                "all lines of \(said.keys.sorted()) at \(node.label)"
            ) { _ in
                said.allSatisfy { node.lines(of: $0).count >= $1.count }
            }
        }
    }

    /// Holds that each has printed each line of each node once and in order, and of others nothing but this.
    func expectHonest(besides isAllowed: (String) -> Bool) {
        for node in nodes {
            for (label, lines) in said {
                #expect(node.lines(of: label) == lines, "[\(label)] at \(node.label)")
            }
            let others = node.program.standardOutputLines.filter { line in
                !said.keys.contains { line.hasPrefix("[\($0)] ") }
            }
            #expect(others.filter { !isAllowed($0) } == [], "at \(node.label)")
        }
    }

    func end() async throws {
        nodes.forEach { $0.program.interrupt() }
        for node in nodes { try await node.program.expectExit(0) }
    }
}

/// A node in Python that knows nothing of the program's code (Tests/Support/Peers/mesh_node.py).
struct ForeignNode {
    /// What it says of a link, of a line that it has read, or of what it does wrong.
    struct Report: Decodable {
        var link: Int?
        var node: String?
        var label: String?
        var line: String?
        var heard: String?
        var end: String?
        var forged: String?
        var did: String?
        var times: Int?
        var ended: Int?
        var closed: Int?
    }

    static let label = "Liar"
    let program: RunningProgram
    let port: UInt16

    /// - Parameter ports: where the nodes listen that it dials.
    init(_ event: String, at ports: [UInt16], _ options: [String] = []) async throws {
        (program, port) = try await Peer.listening(
            "mesh_node", [event, Self.label] + ports.map { "\($0)" } + options)
    }

    var reports: [Report] {
        program.standardOutputLines.dropFirst().compactMap {
            try? JSONDecoder().decode(Report.self, from: Data($0.utf8))
        }
    }

    /// Waits until so many of its reports are of this kind.
    func wait(
        for what: String, _ count: Int = 1, within limit: Duration = Deadline.generous,
        where isMeant: (Report) -> Bool
    ) async throws {
        try await program.waitForOutput("\(count) times \(what)", within: limit) { _ in
            reports.count(where: isMeant) >= count
        }
    }

    func say(_ line: String) async throws { try await program.write(line + "\n") }

    /// It is to do what it was started to do wrong.
    func begin() async throws { try await program.write("\n") }

    func leave() async throws {
        program.closeInput()
        try await program.expectExit(0)
    }
}
