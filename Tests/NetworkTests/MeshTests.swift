import TestSupport
import Testing

/// Events in which everybody captions, on machines that find one another.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(5))) struct MeshTests {
    /// What a node is called: "Node 1" is that of the first host.
    private static func label(_ index: Int) -> String { "Node \(index + 1)" }

    /// The lines of a node, as everybody prints them.
    private static func printed(_ node: Int, _ numbers: ClosedRange<Int>) -> [String] {
        lines(numbers).map { "[\(label(node))] \($0)" }
    }

    /// Nodes of one event, and what each is to have printed.
    private final class Nodes {
        let event: String
        private(set) var programs: [RunningProgram] = []
        private var said: [String] = []
        private var numbers: [Int] = []
        private var gone: [Int: Int] = [:]

        init(of event: String) { self.event = event }

        /// Starts a node; it takes part when this comes back.
        func begin(on host: LanHost, _ options: [String] = []) async throws {
            let program = try host.mesh(event, as: label(programs.count), options)
            try await program.waitForLine("its beginning", on: .standardError) {
                $0.contains("begins it") || $0.contains("takes part in")
            }
            programs.append(program)
            numbers.append(0)
        }

        /// Has each of these say so many lines.
        func say(_ count: Int, by speakers: [Int]) async throws {
            for node in speakers {
                let new = numbers[node] + 1...numbers[node] + count
                numbers[node] += count
                try await programs[node].send(new)
                said += printed(node, new)
            }
        }

        /// Waits until these have printed all that was said, and expects nothing else of them.
        func expectAll(
            at readers: [Int]? = nil, within limit: Duration = .seconds(60),
            at location: SourceLocation = #_sourceLocation
        ) async throws {
            let all = said.sorted()
            for node in readers ?? Array(programs.indices) {
                try await programs[node].waitForOutput("\(all.count) lines", within: limit) {
                    $0.standardOutput.lines.count >= all.count
                }
                #expect(
                    programs[node].standardOutputLines.sorted() == all, "\(label(node))",
                    sourceLocation: location)
            }
        }

        /// Waits until a node has said that it has so many links.
        func expectLinks(_ count: Int, at nodes: [Int]? = nil) async throws {
            for node in nodes ?? Array(programs.indices) {
                try await programs[node].waitForLine(
                    "\(count) links", on: .standardError, within: .seconds(60)
                ) { $0.contains("(\(count) of ") }
            }
        }

        /// Waits until these nodes have said of so many more others that they are gone.
        func expectGone(_ count: Int, at nodes: [Int]) async throws {
            for node in nodes {
                let all = gone[node, default: 0] + count
                gone[node] = all
                try await programs[node].waitForOutput("\(all) who are gone") {
                    $0.standardError.lines.count { $0.hasPrefix("- ") } >= all
                }
            }
        }

        func end() async throws {
            programs.forEach { $0.interrupt() }
            for program in programs { try await program.expectExit(0) }
        }
    }

    /// The whole mesh parts in the middle, and then one is left alone.
    @Test(.timeLimit(.minutes(8))) func eight_haveAllLines_afterTwoPartitions() async throws {
        try await Lan.with(hosts: 8, avahi: true) { lan in
            let nodes = Nodes(of: "Round Table")
            for host in lan.hosts { try await nodes.begin(on: host) }
            try await nodes.expectLinks(7)
            let all = Array(0..<8)
            try await nodes.say(3, by: all)
            try await nodes.expectAll()
            for size in [4, 7] {
                let (side, other) = (all.prefix(size), all.suffix(8 - size))
                try await lan.partition(side.map { lan[$0] }, other.map { lan[$0] })
                try await nodes.expectGone(other.count, at: Array(side))
                try await nodes.expectGone(side.count, at: Array(other))
                try await nodes.say(4, by: all)
                try await lan.unite()
                let stopwatch = Stopwatch()
                try await nodes.expectAll()
                stopwatch.report("\(side.count)+\(other.count) nodes whole after a partition")
            }
            try await nodes.end()
        }
    }

    @Test func aRing_andALine_haveAllLines() async throws {
        try await Lan.with(hosts: 6, avahi: true) { lan in
            try await lan.connectOnly((0..<6).map { [$0, ($0 + 1) % 6] })
            let nodes = Nodes(of: "Ring")
            for host in lan.hosts { try await nodes.begin(on: host) }
            let all = Array(0..<6)
            try await nodes.expectLinks(2)
            try await nodes.say(3, by: all)
            try await nodes.expectAll()
            try await lan.connectOnly((0..<5).map { [$0, $0 + 1] })
            try await nodes.say(3, by: all)
            try await nodes.expectAll()
            try await nodes.end()
        }
    }

    /// Nobody gets through to one of them, and much is lost on the way to another.
    @Test func firewalls_andLoss_keepNothingBack() async throws {
        try await Lan.with(hosts: 4, avahi: true) { lan in
            try await lan[1].closeToOthers()
            let nodes = Nodes(of: "Firewalls")
            for host in lan.hosts { try await nodes.begin(on: host) }
            try await nodes.expectLinks(3)
            try await lan[3].loss(percent: 20)
            for _ in 0..<3 { try await nodes.say(5, by: [0, 1, 2, 3]) }
            try await nodes.expectAll()
            try await lan[3].loss(percent: 0)
            try await nodes.end()
        }
    }

    /// Its founder, too: the event goes on without him.
    @Test func whoIsKilled_comesBack_andHasAllLines() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let nodes = Nodes(of: "Comeback")
            for host in lan.hosts { try await nodes.begin(on: host) }
            try await nodes.expectLinks(2)
            try await nodes.say(3, by: [0, 1, 2])
            try await nodes.expectAll()
            nodes.programs[0].kill()
            try await nodes.programs[0].waitForExit()
            try await nodes.say(2, by: [1, 2])
            try await nodes.expectAll(at: [1, 2])
            try await nodes.begin(on: lan[0])
            try await nodes.say(2, by: [1, 2, 3])
            try await nodes.expectAll(at: [1, 2, 3])
            for program in nodes.programs.dropFirst() {
                program.interrupt()
                try await program.expectExit(0)
            }
        }
    }

    /// Who only reads goes on with another node.
    @Test func readers_goOn_whenTheFounderIsGone() async throws {
        try await Lan.with(hosts: 4, avahi: true) { lan in
            let nodes = Nodes(of: "Audience")
            for host in lan.hosts.prefix(2) { try await nodes.begin(on: host) }
            try await nodes.expectLinks(1)
            let addressed = try lan[2].join("--host", lan[0].address)
            let named = try lan[3].join("Audience")
            try await nodes.say(2, by: [0, 1])
            for guest in [addressed, named] {
                try await guest.waitForOutput("four lines") { $0.standardOutput.lines.count >= 4 }
            }
            nodes.programs[0].kill()
            try await nodes.say(3, by: [1])
            let all = (lines(1...2) + Self.printed(1, 1...5)).sorted()
            for guest in [addressed, named] {
                try await guest.waitForOutput("all lines") {
                    $0.standardOutput.lines.count >= all.count
                }
                #expect(guest.standardOutputLines.sorted() == all)
                guest.interrupt()
                try await guest.expectExit(0)
            }
            nodes.programs[1].interrupt()
            try await nodes.programs[1].expectExit(0)
        }
    }

    @Test func twoEvents_thatWereBegunApart_becomeOne() async throws {
        try await Lan.with(hosts: 4, avahi: true) { lan in
            try await lan.partition([lan[0], lan[1]], [lan[2], lan[3]])
            let nodes = Nodes(of: "Apart")
            for host in lan.hosts { try await nodes.begin(on: host) }
            try await nodes.expectLinks(1)
            let begun = nodes.programs.filter { $0.standardErrorText.contains("begins it") }
            #expect(begun.count == 2)
            try await nodes.say(3, by: [0, 1, 2, 3])
            try await lan.unite()
            try await nodes.expectAll(within: .seconds(90))
            try await nodes.say(3, by: [0, 1, 2, 3])
            try await nodes.expectAll()
            try await nodes.end()
            // On each disk it is one event.
            for host in lan.hosts {
                let exported = try host.beamscribe(["export", "Apart"])
                try await exported.expectExit(0)
                #expect(exported.standardOutputLines.count == 24)
            }
        }
    }
}
