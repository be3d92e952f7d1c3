import TestSupport
import Testing

/// Avahi and D-Bus that are absent, die and come back.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct AvahiOutageTests {
    @Test func host_servesAndAnnouncesLater_whenAvahiIsNotRunning() async throws {
        try await Lan.with(hosts: 2) { lan in
            try await lan[0].startBus()
            try await expectServiceWithoutDiscovery(lan) { try await lan[0].startAvahi() }
        }
    }

    @Test func host_servesAndAnnouncesLater_whenThereIsNoBus() async throws {
        try await Lan.with(hosts: 2) { lan in
            try await expectServiceWithoutDiscovery(lan) {
                try await lan[0].startBus()
                try await lan[0].startAvahi()
            }
        }
    }

    /// The guest's machine has neither Avahi nor D-Bus: `--host` needs none.
    private func expectServiceWithoutDiscovery(
        _ lan: Lan, then startAvahi: () async throws -> Void
    ) async throws {
        let host = try await lan[0].host("Quiet")
        try await host.waitForLine(containing: "cannot find this host", on: .standardError)
        try await host.send(1...3)
        let guest = try lan[1].join("--host", lan[0].address)
        try await guest.expectLines(1...3)
        try await startAvahi()
        let stopwatch = Stopwatch()
        try await host.waitForAnnouncement()
        stopwatch.report("avahi-daemon's late start to the announcement")
        let warnings = host.warnings
        #expect(warnings.count == 1)
        #expect(warnings[0].contains("Avahi") && warnings[0].contains("by address"))
        try await host.send(4...5)
        try await guest.expectLines(1...5)
    }

    @Test(arguments: [false, true])
    func host_isAnnouncedAgain_whenAvahiComesBack(withBus: Bool) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Phoenix")
            try await host.send(1...1)
            let guest = try lan[1].join("Phoenix")
            let watcher = try lan[0].browse("--watch", "--json")
            try await watcher.waitForLine(containing: "Phoenix")
            if withBus { try await lan[0].stopBus() } else { try await lan[0].killAvahi() }
            try await host.waitForLine(containing: "cannot find this host", on: .standardError)
            let said = host.standardErrorLines.count
            // Later it may be gone for a moment: the daemon that is back asks the network for a
            // second, and the host announces itself meanwhile.
            let removed = watcher.standardOutputLines.filter { $0.contains("\"removed\"") }
            #expect(removed == [], "A host does not go when its daemon does.")
            if withBus { try await lan[0].startBus() }
            try await lan[0].startAvahi()
            let stopwatch = Stopwatch()
            let again = try await host.waitForAnnouncement(after: said)
            stopwatch.report("avahi-daemon's restart (bus too: \(withBus)) to the announcement")
            #expect(again.contains("again") && !again.contains("#2"))
            #expect(host.warnings.count == 1)
            for machine in lan.hosts {
                #expect(try await machine.listed().map(\.event) == ["Phoenix"])
            }
            try await host.send(2...2)
            try await guest.expectLines(1...2)
            #expect(guest.warnings == [], "It was connected all the time.")
        }
    }

    @Test func guest_findsTheHost_whenAvahiIsStartedLater() async throws {
        try await Lan.with(hosts: 2) { lan in
            for machine in lan.hosts { try await machine.startBus() }
            try await lan[0].startAvahi()
            let host = try await lan[0].announce("Patience")
            try await host.send(1...1)
            let guest = try lan[1].join("Patience", "--timeout", "60")
            try await guest.waitForLine(containing: "no host can be found", on: .standardError)
            try await lan[1].startAvahi()
            try await guest.expectLines(1...1)
        }
    }

    @Test func searching_endsWithCode69_whenThereIsNoAvahi() async throws {
        try await Lan.with(hosts: 2) { lan in
            try await lan[1].startBus()
            for machine in lan.hosts {
                let stopwatch = Stopwatch()
                let programs = [
                    try machine.join("--timeout", "1"), try machine.join("Some", "--timeout", "1"),
                    try machine.browse("--timeout", "1"),
                ]
                for program in programs {
                    try await program.expectExit(69)
                    program.expectComplaint("Avahi", "beamscribe join --host")
                    #expect(program.standardOutputText == "")
                }
                stopwatch.report("three searches with --timeout 1 and no Avahi")
            }
        }
    }
}
