import TestSupport
import Testing

/// All that an event can have at once, on six machines: its host, who stands by, a relay with a page, a
/// second room, an interpreter, readers and phones. The host's plug is pulled.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct LectureTests {
    /// The lines of one log, in the order in which they came; of the host's own for none.
    private func printed(in log: String?, at reader: RunningProgram) -> [String] {
        let prefix = log.map { "[\($0)] " }
        return reader.standardOutputLines.compactMap { line in
            guard let prefix else { return line.hasPrefix("[") ? nil : line }
            return line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : nil
        }
    }

    private func phone(_ machine: LanHost, of program: RunningProgram) async throws
        -> RunningProgram
    {
        let said = try await program.waitForLine(containing: "Phones: ", on: .standardError)
        let link = try #require(said.firstMatch(of: /Phones: (\S+)/)).output.1
        let url = String(link) + "events?log=all&log=Espa%C3%B1ol"
        return try machine.spawn("curl", "--silent", "--no-buffer", url)
    }

    private func wait(for text: String, at readers: [RunningProgram]) async throws {
        for reader in readers { try await reader.waitForLine(containing: text) }
    }

    @Test(Skip.without("curl")) func lecture_losesNothing_whereItsHostIsGone() async throws {
        try await Lan.with(hosts: 6, avahi: true) { lan in
            let host = try await lan[0].announce(
                "Lecture", "--admit", "all", "--web", "--web-relay", "all", "--lang", "en")
            let standby = try await lan[1].standBy("Lecture")
            let relay = try lan[2].beamscribe(["relay", "Lecture", "--keep", "--web"])
            for machine in [lan[1], lan[2]] {
                try await lan[5].waitUntil(machine, serves: "Lecture")
            }
            let room = try await lan[3].caption("Room 2", in: "Lecture")
            let interpreter = try await lan[4].interpret("Español", into: "es", in: "Lecture")
            let reader = try lan[5].join("Lecture")
            let spanish = try lan[5].join("Lecture", "--lang", "es")
            let readers = [reader, spanish]
            let phones = [
                try await phone(lan[5], of: host), try await phone(lan[5], of: relay),
            ]
            try await host.send(1...3)
            try await wait(for: "line 3", at: [reader] + phones)
            try await room.write("uno\n")
            try await interpreter.write("línea 3\n")
            try await wait(for: "uno", at: readers + phones)
            try await wait(for: "línea 3", at: [spanish] + phones)

            let stopwatch = Stopwatch()
            try await lan[0].crash()
            try await room.write("dos\n")
            try await interpreter.write("línea 4\n")
            try await standby.waitForLine(
                containing: "You caption from now on", on: .standardError)
            stopwatch.report("a host's end to a standby on air, in a lecture")
            try await standby.send(4...6)
            let late = try lan[5].join("Lecture")
            try await wait(for: "line 6", at: [reader, phones[1], late])
            stopwatch.report("a host's end to the standby's lines")
            try await wait(for: "dos", at: readers + [phones[1], late])
            stopwatch.report("a host's end to another writer's lines")
            try await wait(for: "línea 4", at: [spanish, phones[1]])
            stopwatch.report("a host's end to an interpreter's lines")

            try await lan[0].boot(avahi: true)
            let again = try await lan[0].resume(["--until-eof", "--admit", "all"])
            try await again.waitForLine(containing: "Standing by", on: .standardError)
            try await room.write("tres\n")
            standby.interrupt()
            try await again.waitForLine(
                containing: "You caption from now on", on: .standardError)
            try await again.send(7...9)
            try await interpreter.write("línea 9\n")
            // A page goes on with another run of the host's log by a connection of its own.
            try await phones[1].waitForExit()
            let phone = try await phone(lan[5], of: relay)
            try await wait(for: "line 9", at: [reader, phone, late])
            try await wait(for: "línea 9", at: [spanish, phone])
            try await wait(for: "tres", at: readers + [phone, late])
            for reader in [reader, late] {
                let own = printed(in: nil, at: reader)
                #expect(own == lines(1...3) + lines(7...9))
                #expect(printed(in: "Standby", at: reader) == lines(4...6))
                #expect(printed(in: "Room 2", at: reader) == ["uno", "dos", "tres"])
                #expect(printed(in: "Español", at: reader) == [])
            }
            #expect(printed(in: "Español", at: spanish) == ["línea 3", "línea 4", "línea 9"])
        }
    }
}
