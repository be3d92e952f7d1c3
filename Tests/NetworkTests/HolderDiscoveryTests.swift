import TestSupport
import Testing

/// What `browse` makes of those who announce that they hold an event's log.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(3))) struct HolderDiscoveryTests {
    private static let session = "963435f3-1dc9-4def-bf99-59a085b55c03"

    /// Something that listens, and is announced to hold this event; its port.
    private func hold(_ session: String, on machine: LanHost) async throws -> String {
        let script = """
            import signal, socket
            door = socket.create_server(("0.0.0.0", 0))
            print("port", door.getsockname()[1], flush=True)
            signal.pause()
            """
        let door = try machine.spawn(Launch("/usr/bin/python3", arguments: ["-c", script]))
        let row = try await door.waitForLine("a port") { $0.hasPrefix("port ") }
        let port = String(row.dropFirst("port ".count))
        let node = "0b5c2f6e-52a7-4d0c-9a55-6f1f5a3a7a11"
        let announcement = try machine.spawn(
            "avahi-publish-service", node, "_beamscribe-mesh._tcp", port, "v=1", "node=\(node)",
            "eid=\(session)", "event=Town Hall", "deviceName=\(machine.name)", "role=relay",
            "sec=tls", "fp=0123456789abcdef")
        try await announcement.waitForLine(containing: "Established", on: .standardError)
        return "\(machine.address):\(port)"
    }

    @Test func browse_listsAnEvent_thatIsOnlyHeld() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let address = try await hold(Self.session, on: lan[0])
            let found = try await lan[1].listed()
            let event = try #require(found.first)
            #expect(found.count == 1)
            #expect(event.event == "Town Hall" && event.session == Self.session)
            #expect(event.found == ["holder"] && event.joinable == true)
            #expect(event.addresses == [] && event.holdingMachines == 1)
            #expect(event.holders?.contains(address) == true)

            let text = try lan[1].browse()
            try await text.expectExit(0)
            let rows = text.standardOutputLines
            #expect(rows.first == "Town Hall")
            #expect(rows.contains { $0.hasPrefix("    no host, held by host1, \(address)") })
            #expect(rows.last == "    beamscribe join 'Town Hall'")
        }
    }

    @Test func browse_listsAHeldEventOnce_withItsHostAndWithout() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Town Hall")
            let session = try #require(try await lan[2].listed().first?.session)
            let watcher = try lan[2].browse("--watch", "--json")
            try await watcher.waitForLine(containing: "added")
            let address = try await hold(session, on: lan[1])
            try await watcher.waitForLine("the holder") {
                $0.contains("changed") && $0.contains(address)
            }

            let both = try await lan[2].listed()
            #expect(both.map(\.name) == ["Town Hall"])
            #expect(both.map(\.found) == [["bonjour", "holder"]])
            #expect(both.first?.addresses.contains("\(lan[0].address):23267") == true)
            #expect(both.first?.holders?.contains(address) == true)
            #expect(both.first?.hostIsSilent == nil)

            // Without a word: Avahi goes on believing in it.
            try await lan[0].crash()
            let silent = try await lan[2].listed("--timeout", "8")
            #expect(silent.map(\.name) == ["Town Hall"])
            #expect(silent.map(\.joinable) == [true] && silent.map(\.hostIsSilent) == [true])
            try await watcher.waitForLine(containing: "hostIsSilent")
            host.stop()
        }
    }

    @Test func watch_tellsThatTheHostIsGone_andTheEventIsNot() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].announce("Town Hall")
            let session = try #require(try await lan[2].listed().first?.session)
            _ = try await hold(session, on: lan[1])
            let watcher = try lan[2].browse("--watch")
            try await watcher.waitForLine(containing: "and 1 machine that holds it")
            host.stop()
            try await watcher.waitForLine(containing: "no host, held by host2")
            try await watcher.waitForLine("the end of the host") { $0 == "- Town Hall" }
        }
    }
}
