import TestSupport
import Testing

/// Announcements that nobody at the guest's machine heard.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct MissedAnnouncementTests {
    /// Avahi asks 1, 3, 7, 15, 31... s after the first browser came, and never sooner. Between two
    /// of these only a question of the guest's own can find the host.
    @Test func guest_findsTheHost_whenTheAnnouncementWasLost() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            try await lan[1].blockMulticastDNS()
            let avahiAsks = Stopwatch()
            let guest = try lan[1].join("Unheard", "--timeout", "60")
            let host = try await lan[0].announce("Unheard")
            try await host.send(1...3)
            try await Task.sleep(for: .seconds(16) - avahiAsks.elapsed)
            #expect(guest.standardOutputLines == [] && guest.isRunning)
            try await lan[1].heal()
            let stopwatch = Stopwatch()
            try await guest.expectLines(1...3)
            stopwatch.report("the network's return to the first line of a guest that waits")
            #expect(avahiAsks.elapsed < .seconds(30), "Avahi's own question may have found it.")
        }
    }

    @Test func guest_findsTheHost_whenAFifthOfAllIsLost() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            try await lan[1].loss(percent: 20)
            let guest = try lan[1].join("Noisy", "--timeout", "60")
            let host = try await lan[0].host("Noisy")
            try await host.send(1...3)
            let stopwatch = Stopwatch()
            try await guest.expectLines(1...3)
            stopwatch.report("with a loss of 20 % each way, the host's start to the lines")
        }
    }
}
