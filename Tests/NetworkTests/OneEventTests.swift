import TestSupport
import Testing

/// What guests and browsers do where one event runs.
@Suite(
    Skip.withoutLan, .serialized, .timeLimit(.minutes(2)),
    .lan(hosts: 2) { lan in
        let host = try await lan[0].announce("Town Hall")
        try await host.send(1...3)
        return [host]
    })
struct OneEventTests {
    @Test func join_takesTheOnlyHost_whenNoNameIsGiven() async throws {
        let stopwatch = Stopwatch()
        let guest = try SharedLan.current[1].join()
        try await guest.expectLines(1...3)
        stopwatch.report("join without a name, start to last line")
    }

    @Test func join_needNotWaitForOthers_whenTheNameIsExact() async throws {
        // Nobody has looked for events on this machine, so Avahi needs its second for "that's all".
        let stopwatch = Stopwatch()
        let guest = try SharedLan.current[1].join("Town Hall")
        try await guest.expectLines(1...3)
        stopwatch.report("join with a name, start to last line")
    }

    @Test(arguments: ["town h", "TOWN HALL", "T"])
    func join_findsTheEvent_whenTheNameIsABeginningInAnyCase(name: String) async throws {
        let guest = try SharedLan.current[1].join(name)
        try await guest.expectLines(1...3)
    }

    @Test func join_endsWithCode69_whenNoEventHasTheName() async throws {
        let stopwatch = Stopwatch()
        let guest = try SharedLan.current[1].join("Garden Party", "--timeout", "2")
        try await guest.expectExit(69)
        stopwatch.report("join of an unknown name with --timeout 2")
        guest.expectComplaint("no event 'Garden Party'", "Found: 'Town Hall'")
        #expect(guest.standardOutputText == "")
    }

    @Test func browse_listsTheHostOnce_whenFamiliesAndInterfacesAreMany() async throws {
        let lan = try SharedLan.current
        // The host's own machine sees it on lo too.
        for index in 0...1 {
            let found = try await lan[index].listed()
            #expect(found.map(\.event) == ["Town Hall"])
            #expect(found.map(\.joinable) == [true])
            let addresses = found.first?.addresses ?? []
            #expect(Set(addresses).count == addresses.count)
            #expect(addresses.contains("\(lan[0].address):23267"))
            #expect(addresses.contains("[\(lan[0].address6)%eth0]:23267"))
        }
    }

    @Test func browse_tellsHowToJoin() async throws {
        let lan = try SharedLan.current
        let browser = try lan[1].browse()
        try await browser.expectExit(0)
        let rows = browser.standardOutputLines
        #expect(rows.first == "Town Hall")
        #expect(rows.contains { $0.contains("on host1, \(lan[0].address):23267") })
        #expect(rows.contains { $0.contains("beamscribe join 'Town Hall'") })
    }

    @Test(Skip.withoutTmux) func join_showsTheEvent_whenOnATerminal() async throws {
        let screen = try await SharedLan.current[1].joinOnTerminal()
        try await screen.waitForScreen(containing: "line 3")
        try await screen.waitForScreen(containing: "Town Hall")
        try await screen.send(keys: "q")
        #expect(try await screen.waitForExit() == .success)
    }
}
