import TestSupport
import Testing

/// Hosts that go down and are started again with their session.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(3))) struct ResumedHostTests {
    /// The program dies; the machine stays.
    @Test(arguments: [[], ["--port", "0"]])
    func guests_goOn_whenTheHostIsKilledAndResumed(options: [String]) async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let first = try await lan[0].announce("Phoenix")
            try await first.send(1...10)
            let guests = [try lan[1].join("Phoenix"), try lan[2].join("--host", lan[0].address)]
            for guest in guests { try await guest.expectLines(1...10) }
            first.kill()
            try await first.waitForExit()
            let second = try await lan[0].resume(["--until-eof"] + options)
            try await second.send(11...20)
            let stopwatch = Stopwatch()
            for guest in guests { try await guest.expectLines(1...20) }
            stopwatch.report("a host's return (\(options)) to the lines")
            let late = try lan[2].join("Phoenix")
            try await late.expectLines(1...20)
            second.closeInput()
            for guest in guests + [late] { try await guest.expectExit(0) }
        }
    }

    /// The machine dies, and comes back with another address: no connection was closed, nobody
    /// said goodbye.
    @Test func guests_goOn_whenTheMachineCrashedAndIsBackElsewhere() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let first = try await lan[0].announce("Outage")
            try await first.send(1...10)
            let guest = try lan[1].join("Outage", "--format", "jsonl")
            let plain = try lan[1].join("Outage")
            try await plain.expectLines(1...10)
            try await guest.waitForLine(containing: #""text":"line 10""#)
            try await lan[0].crash()
            try await guest.waitForLine(
                containing: #""cause":"network_lost""#)
            try await lan[0].boot(avahi: true)
            try await lan[0].renumber(to: lan[0].address.replacing(/\.1$/, with: ".99"))
            let second = try await lan[0].resume(["--until-eof"])
            try await second.send(11...20)
            let stopwatch = Stopwatch()
            try await plain.expectLines(1...20)
            stopwatch.report("a crashed machine's return to the lines")
            // A host that ends as soon as it may would leave out who has not come back yet.
            try await guest.waitForLine(containing: #""text":"line 20""#)
            stopwatch.report("a crashed machine's return to the lines of both guests")
            second.closeInput()
            try await plain.expectExit(0)
            try await guest.expectExit(0)
            let alerts = guest.standardOutputLines.filter { $0.contains("session_resumed") }
            #expect(alerts.count == 1)
        }
    }

    /// Where multicast is blocked the guest still knows the address.
    @Test func guest_goesOn_whenMulticastIsBlockedMeanwhile() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let first = try await lan[0].announce("Walled")
            try await first.send(1...10)
            let guest = try lan[1].join("Walled")
            try await guest.expectLines(1...10)
            for machine in lan.hosts { try await machine.blockMulticastDNS() }
            try await first.send(11...20)
            try await guest.expectLines(1...20)
            first.kill()
            try await first.waitForExit()
            let second = try await lan[0].resume(["--until-eof"])
            try await second.send(21...30)
            try await guest.expectLines(1...30)
            second.closeInput()
            try await guest.expectExit(0)
        }
    }

    /// Two events of one name: a guest never takes the lines of the other one.
    @Test func guest_waitsForItsOwnSession_whenAnotherHasTheSameName() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let first = try await lan[0].announce("Same")
            try await first.send(1...10)
            let guest = try lan[1].join("--host", lan[0].address)
            let named = try lan[1].join("Same")
            for guest in [guest, named] { try await guest.expectLines(1...10) }
            first.kill()
            try await first.waitForExit()
            let other = try await lan[2].announce("Same")
            try await other.write("not yours\n")
            let witness = try lan[1].join("--host", lan[2].address, "--accept-new-host")
            try await witness.waitForLine(containing: "not yours")
            let second = try await lan[0].resume(["--until-eof"])
            try await second.send(11...20)
            for guest in [guest, named] {
                try await guest.expectLines(1...20)
            }
            second.closeInput()
            for guest in [guest, named] { try await guest.expectExit(0) }
        }
    }

    @Test func sevenGuests_haveEveryLine_whenTheyComeAtOnce() async throws {
        try await Lan.with(hosts: 8, avahi: true) { lan in
            let host = try await lan[0].announce("Seven", "--until-eof")
            try await host.send(1...200)
            let stopwatch = Stopwatch()
            let guests = try lan.hosts.dropFirst().map { try $0.join("Seven") }
            for guest in guests { try await guest.expectLines(1...200) }
            stopwatch.report("seven guests' start to 200 lines each")
            try await host.send(201...210)
            for guest in guests { try await guest.expectLines(1...210) }
            host.closeInput()
            for guest in guests { try await guest.expectExit(0) }
            try await host.expectExit(0)
        }
    }

    @Test func guest_isUnaffected_whenTheBusStops() async throws {
        try await withGuest { lan, host, guest in
            for machine in lan.hosts { try await machine.stopBus() }
            try await host.waitForLine(containing: "cannot find this host", on: .standardError)
            try await host.send(11...20)
            try await guest.expectLines(1...20)
            // Without any discovery a lost connection is found again at the old address.
            try await lan[0].reset(port: 23267)
            try await host.send(21...30)
            try await guest.expectLines(1...30)
        }
    }
}
