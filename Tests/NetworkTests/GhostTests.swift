import TestSupport
import Testing

/// Hosts that went without a word: Avahi believes in them for up to 75 minutes.
@Suite(
    Skip.withoutLan, .serialized, .timeLimit(.minutes(2)),
    .lan(hosts: 3) { lan in
        let host = try await lan[0].announce("Ghost")
        // So that the others know it by address and text, and not by its name alone.
        for machine in lan.hosts.dropFirst() { _ = try await machine.listed() }
        try await lan[0].crash()
        return [host]
    })
struct GhostTests {
    @Test(Skip.withoutTmux) func picker_doesNotOfferAGhost() async throws {
        let screen = try await SharedLan.current[2].joinOnTerminal()
        try await screen.waitForScreen("the ghost") { rows in
            rows.contains { $0.contains("Ghost") && $0.contains("does not answer") }
        }
        try await screen.send(keys: "1")
        try await screen.send(keys: "Enter")
        try await screen.send(keys: "q")
        #expect(try await screen.waitForExit() == .success)
        #expect(try await !screen.screen().contains { $0.contains("looking for the host") })
    }

    @Test func browse_listsNothingJoinable_whenOnlyAGhostIsThere() async throws {
        let lan = try SharedLan.current
        #expect(try await lan[1].run("avahi-browse", "-cp", "_beamscribe._tcp").contains("Ghost"))
        let stopwatch = Stopwatch()
        let browser = try lan[1].browse("--json", "--timeout", "3")
        try await browser.waitForExit()
        stopwatch.report("browse with a ghost")
        let found = try browser.standardOutputLines.map(Listing.init)
        #expect(found.allSatisfy { $0.joinable == false && $0.why != nil })
    }

    @Test(arguments: [[], ["Ghost"]])
    func join_endsWithCode69_whenOnlyAGhostIsThere(name: [String]) async throws {
        let stopwatch = Stopwatch()
        let guest = try SharedLan.current[1].join(["--timeout", "2"] + name)
        try await guest.expectExit(69)
        stopwatch.report("join \(name) --timeout 2 with a ghost")
        guest.expectComplaint("Ghost")
    }

    @Test func join_takesTheLivingHost_whenAGhostIsThereToo() async throws {
        let lan = try SharedLan.current
        let host = try await lan[1].announce("Alive")
        try await host.send(1...2)
        let guest = try lan[2].join()
        try await guest.expectLines(1...2)
        guest.stop()
        host.terminate()
        try await host.expectExit(0)
    }
}
