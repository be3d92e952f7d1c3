import TestSupport
import Testing

/// Where a host listens, and addresses as users type them.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct ListeningAddressTests {
    @Test func host_listensThereOnly_whenBoundToAnAddress() async throws {
        try await Lan.with(hosts: 2) { lan in
            let address = lan[0].address
            let host = try await lan[0].host("Bound", "--no-bonjour", "--bind", address)
            try await host.send(1...3)
            #expect(try await listeners(of: lan[0]) == ["\(address):23267"])
            try await lan[1].join("--host", address).expectLines(1...3)
            let other = try lan[1].join("--host", "[\(lan[0].address6)%eth0]", "--timeout", "1")
            let inside = try lan[0].join("--host", "127.0.0.1", "--timeout", "1")
            for guest in [other, inside] {
                try await guest.expectExit(69)
                guest.expectComplaint("no answer")
            }
        }
    }

    @Test func host_listensAtEach_whenBoundToSeveral() async throws {
        try await Lan.with(hosts: 2) { lan in
            let all = ["\(lan[0].address6)%eth0", "127.0.0.1"]
            let host = try await lan[0].host(
                "Bound", "--no-bonjour", "--port", "4000", "--bind", all[0], "--bind", all[1])
            try await host.send(1...3)
            let listening = ["127.0.0.1:4000", "[\(lan[0].address6)]%eth0:4000"]
            #expect(try await listeners(of: lan[0]) == listening)
            try await lan[0].join("--host", "127.0.0.1:4000").expectLines(1...3)
            try await lan[1].join("--host", "[\(all[0])]:4000").expectLines(1...3)
        }
    }

    @Test(arguments: ["[%]:23267", "[%]", "%"])
    func join_takesALinkLocalAddress(form: String) async throws {
        try await Lan.with(hosts: 2) { lan in
            let host = try await lan[0].host("Linked", "--no-bonjour")
            try await host.send(1...3)
            let address = form.replacing("%", with: "\(lan[0].address6)%eth0")
            try await lan[1].join("--host", address).expectLines(1...3)
        }
    }

    /// Where nothing gave the machine an address, guests can still join.
    @Test func host_showsItsLinkLocalAddress_whenItHasNoOther() async throws {
        try await Lan.with(hosts: 2) { lan in
            try await lan[0].run("ip", "-4", "addr", "flush", "dev", "eth0")
            let host = try await lan[0].host("Bare", "--no-bonjour")
            try await host.send(1...3)
            let command = try await host.waitForLine(containing: "fe80", on: .standardError)
            let words = command.split(separator: " ").map(String.init)
            #expect(words.dropLast() == ["beamscribe", "join", "--host"])
            try await lan[1].join("--host", words[3]).expectLines(1...3)
        }
    }

    @Test func host_isFoundByName_whenBoundToOneAddress() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Bound", "--bind", lan[0].address)
            try await host.send(1...3)
            let found = try await lan[1].listed()
            #expect(found.map(\.joinable) == [true])
            try await lan[1].join("Bound").expectLines(1...3)
        }
    }

    @Test func join_worksOnTheHostsOwnMachine_whenThereIsNoNetwork() async throws {
        try await Lan.with(hosts: 1, avahi: true) { lan in
            try await lan[0].cut(.withAddresses)
            let host = try await lan[0].announce("Alone")
            #expect(host.standardErrorText.contains("join --host 127.0.0.1:23267"))
            try await host.send(1...3)
            try await lan[0].join("Alone").expectLines(1...3)
            try await lan[0].join("--host", "127.0.0.1").expectLines(1...3)
        }
    }

    /// The addresses and ports that somebody listens at, as `ss` writes them.
    private func listeners(of machine: LanHost) async throws -> [String] {
        try await machine.run("ss", "-Hltn").split(separator: "\n")
            .compactMap { $0.split(separator: " ").dropFirst(3).first.map(String.init) }.sorted()
    }
}
