import TestSupport
import Testing

/// Events that go on without their host, on machines that find one another.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct HolderTests {
    /// Starts a program that serves the event, and waits until others can find it.
    private func serve(
        _ machine: LanHost, _ words: [String], _ witness: LanHost, _ event: String
    ) async throws -> RunningProgram {
        let program = try machine.beamscribe(words)
        try await program.waitForLine(containing: "Serving", on: .standardError)
        try await witness.waitUntil(machine, serves: event)
        return program
    }

    /// Whether the guest has said that it reads from another machine than the host's.
    private func waitUntilHeld(_ guest: RunningProgram) async throws {
        try await guest.waitForLine(containing: #""via":"#)
    }

    /// The program dies, or the machine leaves the network without a word.
    @Test(arguments: [false, true])
    func readersGoOn_withWhoHasTheEvent_andGoBack(isMachineLost: Bool) async throws {
        try await Lan.with(hosts: 5, avahi: true) { lan in
            let first = try await lan[0].announce("Lighthouse")
            try await first.send(1...10)
            let serving = try await serve(
                lan[1], ["join", "Lighthouse", "--serve"], lan[4], "Lighthouse")
            let named = try lan[2].join("Lighthouse", "--format", "jsonl")
            let addressed = try lan[3].join("--host", lan[0].address, "--format", "jsonl")
            let plain = try lan[3].join("Lighthouse")
            for guest in [named, addressed] {
                try await guest.waitForLine(containing: #""text":"line 10""#)
            }
            try await plain.expectLines(1...10)
            let stopwatch = Stopwatch()
            if isMachineLost { try await lan[0].crash() } else { first.kill() }
            for guest in [named, addressed] { try await waitUntilHeld(guest) }
            stopwatch.report("a host's end (\(isMachineLost ? "silent" : "killed")) to a holder")
            // The machine's announcement may be believed in for as long as it lasts.
            let late = try lan[4].join("Lighthouse")
            try await late.expectLines(1...10)
            if isMachineLost { try await lan[0].boot(avahi: true) }
            let second = try await lan[0].resume(["--until-eof"])
            try await second.send(11...20)
            for guest in [plain, late, serving] { try await guest.expectLines(1...20) }
            for guest in [named, addressed] {
                try await guest.waitForLine(containing: #""text":"line 20""#)
                let shown = guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }
                #expect(shown.count == 20)
            }
            second.closeInput()
            for guest in [named, addressed, plain, late, serving] { try await guest.expectExit(0) }
        }
    }

    /// The host is gone for good before anybody else has come.
    @Test func newcomers_haveAllOfTheEvent_whereOnlyARelayIsLeft() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Remains")
            try await host.send(1...200)
            let relay = try await serve(lan[1], ["relay", "Remains"], lan[2], "Remains")
            host.kill()
            try await host.waitForExit()
            let found = try lan[2].join("Remains")
            let addressed = try lan[2].join("--host", lan[1].address)
            for guest in [found, addressed] {
                try await guest.expectLines(1...200)
                #expect(guest.standardErrorText.contains(", through "))
            }
            relay.interrupt()
            try await relay.expectExit(0)
        }
    }

    /// Both are gone, and only the relay is back: it has kept the event, and finds its host again by itself.
    @Test func newcomers_haveAllOfTheEvent_whereARelayHasKeptIt() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Archive")
            try await host.send(1...50)
            let words = ["relay", "Archive", "--keep"]
            let relay = try await serve(lan[1], words, lan[2], "Archive")
            let early = try lan[2].join("--host", lan[1].address)
            try await early.expectLines(1...50)
            for program in [host, relay] { program.kill() }
            for program in [host, relay] { try await program.waitForExit() }
            let again = try await serve(lan[1], words, lan[2], "Archive")
            #expect(again.standardErrorText.contains("Going on with"))
            let found = try lan[2].join("Archive")
            try await found.expectLines(1...50)
            #expect(found.standardErrorText.contains(", through "))
            let second = try await lan[0].resume(["--until-eof"])
            try await second.send(51...60)
            for guest in [early, found] { try await guest.expectLines(1...60) }
            second.closeInput()
            for guest in [early, found, again] { try await guest.expectExit(0) }
        }
    }
}
