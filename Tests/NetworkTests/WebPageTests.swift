import TestSupport
import Testing

/// The page of an event, for other machines.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct WebPageTests {
    /// Asks from a machine, and answers the status and what came.
    private func ask(
        _ machine: LanHost, _ url: String
    ) async throws -> (status: String, body: String) {
        let words = ["--silent", "--max-time", "10", "--write-out", "\n%{http_code}", url]
        var launch = Launch("curl", arguments: words)
        launch.input = .null
        let curl = try machine.spawn(launch)
        try await curl.waitForExit()
        let lines = curl.standardOutputText.split(separator: "\n", omittingEmptySubsequences: false)
        return (String(lines.last ?? ""), lines.dropLast().joined(separator: "\n"))
    }

    /// The address that phones are shown first.
    private func link(of host: RunningProgram) async throws -> String {
        let line = try await host.waitForLine(containing: "Phones: ", on: .standardError)
        let link = try #require(line.firstMatch(of: /Phones: (\S+)/))
        return String(link.output.1)
    }

    @Test(Skip.without("curl")) func page_isReadFromAnotherMachine() async throws {
        try await Lan.with(hosts: 2) { lan in
            let host = try await lan[0].host("Town Hall", "--no-bonjour", "--web")
            let link = try await link(of: host)
            #expect(link == "http://\(lan[0].address):8080/")
            try await host.send(1...3)
            let phone = try lan[1].spawn("curl", "--silent", "--no-buffer", link + "events")
            try await phone.waitForLine { $0.hasPrefix("id: 3") }
            #expect(try await ask(lan[1], link).status == "200")
            let other = "http://[\(lan[0].address6)%25eth0]:8080/healthz"
            #expect(try await ask(lan[1], other).body == "ok\n")
        }
    }

    /// Avahi may tell an address first that means nothing on another machine.
    @Test(Skip.without("curl")) func page_knowsThatOfARelay_whichHasFoundTheEventByItsName()
        async throws
    {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Town Hall", "--web", "--web-relay", "all")
            let phone = try lan[2].spawn(
                "curl", "--silent", "--no-buffer", try await link(of: host) + "events")
            let relay = try lan[1].beamscribe(["relay", "Town Hall", "--web"])
            try await relay.waitForLine(containing: "Serving", on: .standardError)
            try await phone.waitForLine("the relay's page") {
                $0.contains("also") && $0.contains("\(lan[1].address):")
            }
        }
    }

    @Test(Skip.without("curl"), arguments: [false, true])
    func metrics_areForTheHostsOwnMachine_unlessAskedOtherwise(isShared: Bool) async throws {
        try await Lan.with(hosts: 2) { lan in
            var options = ["--no-bonjour", "--web"] + (isShared ? ["--web-metrics"] : [])
            options += ["--port", "0"]
            let host = try await lan[0].host("Town Hall", options: options)
            let link = try await link(of: host)
            let own = try await ask(lan[0], "http://127.0.0.1:8080/metrics")
            #expect(try PrometheusText(own.body).samples["beamscribe_phones"] == 0)
            #expect(try await ask(lan[0], "http://[::1]:8080/metrics").status == "200")
            let others = try await ask(lan[1], link + "metrics")
            #expect(others.status == (isShared ? "200" : "404"))
            #expect(others.body.contains("beamscribe_") == isShared)
            #expect(try await ask(lan[1], link + "nothing").status == "404")
        }
    }

    @Test func page_isAnnounced_byTheEventsName_asLongAsItIsServed() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Grüße, Hall 1", "--web", "8081")
            let found = try await eventualValue("the page") {
                try? await lan[1].listed("--type", "_http._tcp", "--timeout", "1").first
            }
            #expect(found.name == "Grüße, Hall 1" && found.port == 8_081)
            #expect(found.addresses.contains(lan[0].address) && found.txt == ["path": "/"])
            host.terminate()
            try await host.expectExit(0)
            try await eventually("the page to go") {
                let browser = try lan[1].browse("--type", "_http._tcp", "--timeout", "1")
                return try await browser.waitForExit() == .exited(69)
            }
        }
    }

    @Test func page_isNotAnnounced_whereTheEventIsNot() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            _ = try await link(of: try await lan[0].host("Town Hall", "--no-bonjour", "--web"))
            let browser = try lan[1].browse("--type", "_http._tcp", "--timeout", "2")
            try await browser.expectExit(69)
        }
    }

    /// An event without a word about it: the page is where the host listens.
    @Test(Skip.without("curl")) func page_isThereOnly_whenBoundToAnAddress() async throws {
        try await Lan.with(hosts: 2) { lan in
            let host = try await lan[0].host(
                "Town Hall", "--no-bonjour", "--web", "\(lan[0].address):8082")
            #expect(try await link(of: host) == "http://\(lan[0].address):8082/")
            #expect(try await ask(lan[1], "http://\(lan[0].address):8082/healthz").body == "ok\n")
            #expect(try await ask(lan[0], "http://127.0.0.1:8082/healthz").status == "000")
        }
    }
}
