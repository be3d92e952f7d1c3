import TestSupport
import Testing

/// What a guest does where two events run.
@Suite(
    Skip.withoutLan, .serialized, .timeLimit(.minutes(2)),
    .lan(hosts: 3) { lan in
        async let hall = lan[0].announce("Town Hall")
        async let garden = lan[1].announce("Garden")
        let hosts = try await [hall, garden]
        try await hosts[0].write("in the hall\n")
        try await hosts[1].write("in the garden\n")
        return hosts
    })
struct TwoEventsTests {
    @Test func join_listsTheEventsAndEndsWithCode64_whenNobodyCanBeAsked() async throws {
        let guest = try SharedLan.current[2].join()
        try await guest.expectExit(64)
        #expect(guest.standardOutputText == "")
        let rows = guest.standardErrorLines
        let lan = try SharedLan.current
        #expect(rows.contains { $0.contains("Town Hall") && $0.contains(lan[0].address) })
        #expect(rows.contains { $0.contains("Garden") && $0.contains(lan[1].address) })
        guest.expectComplaint("which one?", "--host")
    }

    @Test(arguments: [("Garden", "in the garden"), ("town", "in the hall")])
    func join_takesTheOneThatIsMeant(name: String, line: String) async throws {
        let guest = try SharedLan.current[2].join(name)
        try await guest.waitForLine { _ in true }
        #expect(guest.standardOutputLines == [line])
    }

    @Test(Skip.withoutTmux) func join_takesTheChosenEvent_whenOnATerminal() async throws {
        let screen = try await SharedLan.current[2].joinOnTerminal()
        let rows = try await screen.waitForScreen("both events") { rows in
            ["Town Hall", "Garden"].allSatisfy { name in rows.contains { $0.contains(name) } }
        }
        let garden = try #require(rows.first { $0.contains("Garden") })
        let digit = try #require(garden.first { $0.isNumber })
        try await screen.send(keys: String(digit))
        try await screen.waitForScreen(containing: "in the garden")
        #expect(try await !screen.screen().contains { $0.contains("in the hall") })
    }

    @Test(Skip.withoutTmux) func join_leavesInOrder_whenThePickerIsCancelled() async throws {
        let screen = try await SharedLan.current[2].joinOnTerminal()
        try await screen.waitForScreen(containing: "Garden")
        try await screen.send(keys: "q")
        #expect(try await screen.waitForExit() == .success)
    }

    @Test func browse_listsBoth() async throws {
        let found = try await SharedLan.current[2].listed()
        #expect(Set(found.compactMap(\.event)) == ["Town Hall", "Garden"])
        #expect(Set(found.compactMap(\.deviceName)) == ["host1", "host2"])
    }
}
