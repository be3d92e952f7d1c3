import TestSupport
import Testing

/// A node of a mesh that lies, or means harm, among nodes that do not: in Python, from the protocol's page alone
/// (Tests/Support/Peers/mesh_lies.py).
@Suite(.timeLimit(.minutes(5))) struct LyingNodeTests {
    private static let event = "Round Table"

    // MARK: One that does not lie

    @Test func foreignNode_isAPeerLikeAnother() async throws {
        let (table, foreign) = try await besides(nil)
        try await table.sayEach("again")
        try await foreign.say("goodbye")
        try await table.waitForAll()
        for node in table.nodes { try await node.waitForLine("goodbye", of: ForeignNode.label) }
        for node in table.nodes {
            let said = table.lines(of: node.label)
            try await foreign.wait(for: "a line of \(node.label)", said.count) {
                $0.label == node.label
            }
            let read = foreign.reports.filter { $0.label == node.label }.compactMap(\.line)
            #expect(read == said)
        }
        #expect(foreign.reports.allSatisfy { $0.forged == nil && $0.end == nil })
        table.expectHonest { ["[Liar] hello", "[Liar] goodbye"].contains($0) }
        try await foreign.leave()
        try await table.end()
    }

    // MARK: One that sits between two

    /// Who knows nobody else reads nothing rather than what was not said, and all of it once he knows another.
    @Test(arguments: [
        "altered", "resigned", "left-out", "repeated", "reordered", "spliced", "kept-back",
    ])
    func nothingUntrue_isShown_whereALiarSitsBetween(_ way: String) async throws {
        let table = MeshTable(of: Self.event)
        let first = try await table.begin("Ann")
        let liar = try await ForeignNode(Self.event, at: [first.port], ["--misbehave", way])
        let second = try await table.begin("Bob", knowing: [liar.port])
        try await liar.say("hello")
        try await table.sayEach("begins")
        try await table.waitForAll()
        try await liar.begin()
        try await table.say(["one with a lie", "two with a lie"], by: first)
        try await table.say(["three"], by: first)
        try await liar.wait(for: way) { $0.did == way }
        if way != "kept-back" {
            try await liar.wait(for: "the link's end") { $0.end == "closed" }
        }
        try await table.begin("Cem", knowing: [first.port, second.port])
        try await table.sayEach("goes on")
        try await expectAllIsWell(at: table, after: liar) { $0 == "[Liar] hello" }
    }

    // MARK: One of three

    /// What a liar does beside two who have a link, and what is to come of it.
    struct Lie: Sendable, CustomTestStringConvertible {
        /// What mesh_lies.py calls it.
        var way: String
        /// Whether the liar has said by now that it was done, and how it was answered.
        var isDone: @Sendable ([ForeignNode.Report]) -> Bool
        /// The lines of his that may be shown.
        var shown: @Sendable (String) -> Bool
        /// What one of the nodes has to tell.
        var told: String?
        var testDescription: String { way }

        init(
            _ way: String, showing shown: @escaping @Sendable (String) -> Bool = { _ in false },
            telling told: String? = nil,
            _ isDone: @escaping @Sendable ([ForeignNode.Report]) -> Bool
        ) {
            (self.way, self.shown, self.told, self.isDone) = (way, shown, told, isDone)
        }

        func isDone(by liar: ForeignNode) -> Bool {
            let reports = liar.reports
            return reports.contains { $0.did == way } && isDone(reports)
        }
    }

    /// Whether so many links have ended in this way.
    private static func ends(
        _ count: Int, _ end: String? = nil
    ) -> @Sendable ([ForeignNode.Report]) -> Bool {
        { $0.count { $0.end != nil && (end == nil || $0.end == end) } >= count }
    }

    private static func hears(
        _ count: Int, _ what: String
    ) -> @Sendable ([ForeignNode.Report]) -> Bool {
        { $0.count { $0.heard == what } >= count }
    }

    private static func isNumbered(_ word: String) -> @Sendable (String) -> Bool {
        { $0.contains("] \(word) ") }
    }

    static let lies = [
        Lie("anothers-record", ends(2)),
        Lie("forged-signature", ends(2)),
        // One of them may have gone over to the other, and leaves him there.
        Lie("fork", showing: isNumbered("fork"), telling: "is written twice", hears(1, "unread")),
        // He is asked for what does not come, by who reads him or by the other.
        Lie("promises") { reports in
            reports.drop { $0.did == nil }.contains { $0.heard == "read" }
        },
        Lie("flood-of-lines", showing: isNumbered("flood"), hears(1, "unread")),
        Lie("flood-of-logs", showing: isNumbered("invented"), hears(2 * 40, "read")),
        Lie("private", showing: { $0 == "[Liar] for you alone" }, hears(3, "read")),
        // Of those who dial him the first is himself to one of them.
        Lie("same-node") { reports in
            ends(4, "rejected:duplicate")(reports) && reports.count { $0.did != nil } >= 5
        },
        Lie("flood-of-nodes", ends(2 * 20, "rejected:full")),
        Lie("flood-of-peers") { _ in true },
        Lie("many-names") { $0.count { $0.did != nil } >= 4 },
        Lie("half-open") { $0.contains { $0.closed == 60 } },
        Lie("deaf") { _ in true },
        Lie("garbage") { $0.contains { $0.ended == $0.times && $0.ended == 180 } },
        Lie("yesterday") { $0.count { $0.did != nil } >= 2 },
    ]

    @Test(arguments: lies)
    func twoNodes_goOn_besideALiar(_ lie: Lie) async throws {
        let (table, liar) = try await besides(lie.way)
        try await expectHarmless(lie, by: liar, at: table)
    }

    @Test func yesterdaysEvent_isNotShown() async throws {
        let folder = try TemporaryFolder()
        let (earlier, keeper) = try await besides(nil, ["--keep", folder.path(of: "kept")])
        try await keeper.wait(for: "lines", 2) { $0.line != nil }
        try await keeper.leave()
        try await earlier.end()
        let lie = Lie("replayed", Self.ends(2))
        let replay = ["--replay", folder.path(of: "kept")]
        let (table, liar) = try await besides(lie.way, replay, "anew")
        try await expectHarmless(lie, by: liar, at: table)
    }

    /// Two nodes are told of 24,832 addresses each: each may connect to 28 of them in ten seconds,
    /// and to as many as follow while the last are counted.
    @Test func node_connectsToFewAddresses_thatAnotherMakesUp() async throws {
        let way = "sends-elsewhere"
        let (table, liar) = try await besides(way)
        try await liar.begin()
        try await table.sayEach("goes on")
        try await table.waitForAll()
        try await liar.wait(for: way) { $0.did == way }
        let connections = liar.reports.last { $0.did == way }?.times ?? 0
        #expect((1...2 * 40).contains(connections), "\(connections) connections")
        try await table.begin("Cem", knowing: [table.nodes[0].port])
        try await table.sayEach("with Cem")
        try await expectAllIsWell(at: table, after: liar) { $0 == "[Liar] hello" }
    }

    /// Who comes after a flood finds a place.
    @Test(arguments: ["flood-of-peers", "garbage"])
    func newcomer_takesPart_afterAFlood(of way: String) async throws {
        let (table, liar) = try await besides(way)
        try await liar.begin()
        try await liar.wait(for: way) { $0.did == way }
        try await table.begin("Cem", knowing: [table.nodes[0].port])
        try await table.sayEach("with Cem")
        try await table.waitForAll()
        try await expectAllIsWell(at: table, after: liar) { $0 == "[Liar] hello" }
    }

    /// A stranger can have all go over to events of this name: nobody is left behind in another.
    @Test func nodes_findOneAnother_whereAStrangerBeginsEventAfterEvent() async throws {
        let way = "lower-events"
        let (table, liar) = try await besides(way)
        try await liar.begin()
        try await liar.program.waitForOutput("three events", within: Deadline.generous * 2) { _ in
            liar.reports.count { $0.did == way } == 3
        }
        try await liar.leave()
        try await table.sayEach("ends")
        try await table.waitForAll()
        table.expectHonest { ["[Liar] hello", "[Liar] invented"].contains($0) }
        for node in table.nodes {
            #expect(peakMemory(of: node.program) < 128 * 1_024, "\(node.label)")
        }
        try await table.end()
    }

    // MARK: What is common to all

    /// Two nodes with a link, and a third that is taken for one of them.
    private func besides(
        _ way: String?, _ options: [String] = [], _ word: String = "begins"
    ) async throws -> (MeshTable, ForeignNode) {
        let table = MeshTable(of: Self.event)
        let first = try await table.begin("Ann")
        let second = try await table.begin("Bob", knowing: [first.port])
        let foreign = try await ForeignNode(
            Self.event, at: [first.port, second.port],
            options + (way.map { ["--misbehave", $0] } ?? []))
        try await foreign.say("hello")
        try await table.sayEach(word)
        try await table.waitForAll()
        for node in table.nodes { try await node.waitForLine("hello", of: ForeignNode.label) }
        return (table, foreign)
    }

    private func expectHarmless(
        _ lie: Lie, by liar: ForeignNode, at table: MeshTable
    ) async throws {
        try await liar.begin()
        // What is said meanwhile comes, whatever becomes of the lie.
        try await table.sayEach("goes on")
        try await table.waitForAll()
        // Whoever keeps lines back has a minute, as long as it is not known what has reached him.
        try await liar.program.waitForOutput(
            "\(lie.way), and an answer to it", within: Deadline.generous * 2
        ) { _ in lie.isDone(by: liar) }
        try await table.sayEach("goes on and on")
        try await expectAllIsWell(at: table, after: liar) {
            $0 == "[Liar] hello" || lie.shown($0)
        }
        // Who has which of two words first is chance, and so is whether both have both.
        if let told = lie.told {
            #expect(table.nodes.contains { $0.program.standardErrorText.contains(told) })
        }
    }

    /// All lines come, also once he is gone who may have passed some of them on, and nothing has grown.
    private func expectAllIsWell(
        at table: MeshTable, after liar: ForeignNode, besides isAllowed: (String) -> Bool
    ) async throws {
        try await table.waitForAll()
        try await liar.leave()
        try await table.sayEach("ends")
        try await table.waitForAll()
        table.expectHonest(besides: isAllowed)
        for node in table.nodes {
            let errors = node.program.standardErrorLines
            // Of each of the 64 logs that there may be, that it is there and that it is not heard.
            #expect(errors.count < 200, "\(node.label) has told too much: \(errors)")
            #expect(!errors.contains { $0.contains("begun twice") }, "\(node.label)")
            let memory = peakMemory(of: node.program)
            #expect(memory < 128 * 1_024, "\(node.label) has had \(memory) KiB")
        }
        try await table.end()
    }
}
