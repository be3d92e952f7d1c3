import TestSupport
import Testing

/// Several captioners of one event, on machines that find one another and lose one another.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct StandbyTests {
    private let own = "[Standby] "

    /// Lines of the host's own log, and those of whoever stands by, in the order in which they came.
    private func printed(by reader: RunningProgram) -> (host: [String], standby: [String]) {
        let lines = reader.standardOutputLines
        return (
            lines.filter { !$0.hasPrefix("[") },
            lines.filter { $0.hasPrefix(own) }.map { String($0.dropFirst(own.count)) }
        )
    }

    private func waitForLines(_ count: Int, at readers: [RunningProgram]) async throws {
        for reader in readers {
            try await reader.waitForOutput("\(count) lines") {
                $0.standardOutput.lines.count >= count
            }
        }
    }

    /// Starts an event and somebody who stands by for it, whom others can find.
    private func begin(
        _ event: String, on stage: LanHost, _ desk: LanHost, before witness: LanHost
    ) async throws -> (host: RunningProgram, standby: RunningProgram) {
        let host = try await stage.announce(event, "--admit", "all")
        let standby = try await desk.standBy(event)
        try await witness.waitUntil(desk, serves: event)
        return (host, standby)
    }

    /// The program dies, or the machine leaves the network without a word.
    @Test(arguments: [false, true])
    func standby_captions_whenTheHostIsGone_andUntilItIsHandedBack(
        isMachineLost: Bool
    ) async throws {
        try await Lan.with(hosts: 5, avahi: true) { lan in
            let (host, standby) = try await begin("Matinee", on: lan[0], lan[1], before: lan[4])
            let room = try await lan[2].caption("Room 2", in: "Matinee")
            let reader = try lan[3].join("Matinee")
            try await host.send(1...10)
            try await room.write("uno\n")
            try await waitForLines(11, at: [reader])
            let stopwatch = Stopwatch()
            if isMachineLost { try await lan[0].crash() } else { host.kill() }
            try await standby.send(11...12)
            try await standby.waitForLine(
                containing: "You caption from now on", on: .standardError)
            stopwatch.report(
                "a host's end (\(isMachineLost ? "silent" : "killed")) to a standby on air")
            try await standby.send(13...20)
            try await room.write("dos\n")
            let late = try lan[4].join("Matinee")
            try await waitForLines(22, at: [reader, late])
            if isMachineLost { try await lan[0].boot(avahi: true) }
            let again = try await lan[0].resume(["--until-eof"])
            try await again.waitForLine(containing: "Standing by", on: .standardError)
            try await standby.send(21...22)
            try await waitForLines(24, at: [reader, late])
            standby.interrupt()
            try await again.waitForLine(
                containing: "You caption from now on", on: .standardError)
            try await again.send(31...40)
            try await waitForLines(34, at: [reader, late])
            for reader in [reader, late] {
                let (host, standby) = printed(by: reader)
                #expect(host == lines(1...10) + lines(31...40) && standby == lines(11...22))
                let others = reader.standardOutputLines.filter { $0.hasPrefix("[Room 2] ") }
                #expect(others == ["[Room 2] uno", "[Room 2] dos"])
            }
        }
    }

    /// Two halves of a network that do not reach each other: each has a captioner, and its readers.
    @Test func bothCaption_whileTheyAreParted_andOneOfThemAfterwards() async throws {
        try await Lan.with(hosts: 4, avahi: true) { lan in
            let (host, standby) = try await begin("Divided", on: lan[0], lan[1], before: lan[3])
            let readers = [try lan[2].join("Divided"), try lan[3].join("Divided")]
            try await host.send(1...3)
            try await waitForLines(3, at: readers)
            try await lan.partition([lan[0], lan[2]], [lan[1], lan[3]])
            try await standby.waitForLine(
                containing: "You caption from now on", on: .standardError)
            try await host.send(4...6)
            try await standby.send(1...3)
            try await waitForLines(6, at: readers)
            try await lan.unite()
            let stopwatch = Stopwatch()
            try await host.waitForLine(containing: "From now on", on: .standardError)
            try await waitForLines(9, at: readers)
            stopwatch.report("a network that is whole again to all lines everywhere")
            try await standby.send(4...4)
            try await waitForLines(10, at: readers)
            for reader in readers {
                let (host, standby) = printed(by: reader)
                #expect(host == lines(1...6) && standby == lines(1...4))
            }
        }
    }
}
