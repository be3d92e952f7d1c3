import TestSupport
import Testing

/// `browse --type`: anybody's services.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2)), .lan(hosts: 2) { _ in [] })
struct ForeignServiceTests {
    @Test func browse_listsAForeignService() async throws {
        let lan = try SharedLan.current
        let publisher = try await publish("Printer, 2nd floor", type: "_test._tcp")
        let found = try await lan[1].listed("--type", "_test._tcp")
        let service = try #require(found.first)
        #expect(found.count == 1)
        #expect(service.name == "Printer, 2nd floor" && service.type == "_test._tcp")
        #expect(service.host == "host1.local" && service.port == 4321)
        #expect(Set(service.addresses) == [lan[0].address, "\(lan[0].address6)%eth0"])
        #expect(service.txt == ["paper": "A4", "colour": "yes = 1", "duplex": ""])
        #expect(service.joinable == nil && service.event == nil)

        let browser = try lan[1].browse("--type", "_test._tcp")
        try await browser.expectExit(0)
        for part in ["Printer, 2nd floor", "host1.local", lan[0].address, "4321", "paper=A4"] {
            #expect(browser.standardOutputText.contains(part))
        }
        publisher.stop()
    }

    @Test func browse_tellsWhatComesAndGoes_whenWatching() async throws {
        let lan = try SharedLan.current
        let json = try lan[1].browse("--type", "_gone._tcp", "--watch", "--json")
        let text = try lan[1].browse("--type", "_gone._tcp", "--watch")
        let publisher = try await publish("Here today", type: "_gone._tcp")
        try await json.waitForLine(containing: "added")
        try await text.waitForLine("+ Here today") { $0 == "+ Here today" }
        publisher.terminate()
        let stopwatch = Stopwatch()
        try await json.waitForLine(containing: "removed")
        stopwatch.report("the end of a publisher to `removed`")
        try await text.waitForLine("- Here today") { $0 == "- Here today" }
        let changes = try json.standardOutputLines.map(ListingChange.init)
        #expect(changes.first?.change == "added" && changes.last?.change == "removed")
        #expect(changes.dropFirst().dropLast().allSatisfy { $0.change == "changed" })
        #expect(Set(changes.map(\.service.name)) == ["Here today"])
        for browser in [json, text] {
            browser.interrupt()
            try await browser.expectExit(0)
        }
    }

    @Test func watch_tellsOfEventsThatComeAndGo() async throws {
        let lan = try SharedLan.current
        let browser = try lan[1].browse("--watch", "--json")
        let host = try await lan[0].announce("Matinee")
        try await browser.waitForLine(containing: "added")
        host.terminate()
        try await host.expectExit(0)
        try await browser.waitForLine(containing: "removed")
        let changes = try browser.standardOutputLines.map(ListingChange.init)
        #expect(changes.filter { $0.change == "added" }.count == 1)
        #expect(changes.filter { $0.change == "removed" }.count == 1)
        #expect(changes.first?.service.event == "Matinee")
        #expect(changes.first?.service.joinable == true)
    }

    @Test(arguments: [["--type", "_nobody._tcp"], ["--type", "_nobody._udp", "--json"], []])
    func browse_endsWithCode69_whenNothingIsThere(options: [String]) async throws {
        let stopwatch = Stopwatch()
        let browser = try SharedLan.current[1].browse(["--timeout", "2"] + options)
        try await browser.expectExit(69)
        stopwatch.report("browse --timeout 2 where nothing is")
        #expect(browser.standardOutputText == "")
        browser.expectComplaint(options.isEmpty ? "no event" : options[1], "was found in 2 s")
        #expect(browser.standardErrorLines.count == 1)
    }

    private func publish(_ name: String, type: String) async throws -> RunningProgram {
        let publisher = try SharedLan.current[0].spawn(
            "avahi-publish", "-s", name, type, "4321", "paper=A4", "colour=yes = 1", "duplex")
        try await publisher.waitForLine(containing: "Established", on: .standardError)
        return publisher
    }
}
