import Foundation
import TestSupport
import Testing

/// Others who announce the event that a guest has joined before: it reads its host, and names them.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(4))) struct ImpostorTests {
    private static let code = "4821-7730"
    private static let event = "Town Hall"

    /// Starts a liar's host on `host`, which answers with these names and lines, and its
    /// announcement, which need not be true.
    private func lie(
        on host: LanHost, device: String, code: String?, announcing txt: [String]
    ) async throws {
        let path = Repository.path(of: "Tests/Support/Peers/code_host.py")
        let codes = code.map { ["--code", $0] } ?? []
        let words =
            [path, "--event", Self.event, "--device", device, "--bind", "0.0.0.0", "--lines", "3"]
            + codes
        let liar = try host.spawn(Launch("/usr/bin/python3", arguments: words))
        let port = try await liar.waitForLine("a port") {
            $0.hasPrefix("port ")
        }
        let key = try await liar.waitForLine("a key") {
            $0.hasPrefix("fingerprint ")
        }
        let digits = key.dropFirst("fingerprint ".count).prefix(16)
        let announced = txt.map { $0.replacingOccurrences(of: "OWN", with: digits) }
        let announcement = try host.spawn(
            Launch(
                "avahi-publish-service",
                arguments: [
                    "\(Self.event) by \(host.name)", "_beamscribe._tcp", String(port.dropFirst(5)),
                    "v=1", "event=\(Self.event)",
                ] + announced))
        try await announcement.waitForLine(
            containing: "Established", on: .standardError)
    }

    private func key(of host: RunningProgram) async throws -> String {
        let line = try await host.waitForLine(containing: "Key of this host:", on: .standardError)
        let shown = line.firstMatch(of: /Key of this host: ((?:[0-9a-f]{4} ?){4})/)?.output.1
        return shown?.filter { $0 != " " } ?? ""
    }

    private func hosting(_ host: LanHost, _ options: [String], code: String?) throws
        -> RunningProgram
    {
        var launch = Launch(
            Binary.beamscribe, arguments: ["host", "--event", Self.event, "--no-ble"] + options)
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try host.spawn(launch)
    }

    private func join(_ host: LanHost, code: String?) throws -> RunningProgram {
        var launch = Launch(
            Binary.beamscribe, arguments: ["join", Self.event, "--no-ble", "--timeout", "60"])
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try host.spawn(launch)
    }

    /// Joins on a terminal by typing the code, and leaves.
    private func typeCode(on host: LanHost) async throws {
        let launch = Launch(
            Binary.beamscribe, arguments: ["join", Self.event, "--no-ble", "--plain"])
        let terminal = try PseudoTerminal(host.inside(launch))
        try await terminal.waitForText("the question") {
            $0.contains("Code of \(Self.event): ")
        }
        try await terminal.type("48217730\r")
        try await terminal.waitForText("the first meeting") {
            $0.contains("First time with this host. Compare: its screen must show")
        }
        terminal.signal(2)
        _ = try await terminal.waitForExit()
    }

    @Test func guest_readsItsHostOnly_andNamesEachImpostor() async throws {
        try await Lan.with(hosts: 5, avahi: true) { lan in
            let host = try hosting(lan[0], ["--name", "stage"], code: Self.code)
            try await host.waitForAnnouncement()
            let key = try await key(of: host)
            try await typeCode(on: lan[1])

            // The same code, event and device, and the host's own key in its announcement.
            try await lie(
                on: lan[2], device: "stage", code: Self.code,
                announcing: ["deviceName=stage", "sec=code", "fp=\(key)"])
            // Another device than it answers with, and its own key.
            try await lie(
                on: lan[3], device: "stage", code: Self.code,
                announcing: ["deviceName=lectern", "sec=code", "fp=OWN"])
            // An open event of the name.
            let open = try hosting(lan[4], ["--name", "stage-2"], code: nil)
            try await open.waitForAnnouncement()
            try await open.write("a lie\n")

            try await host.write("the truth\n")
            let guest = try join(lan[1], code: Self.code)
            try await guest.waitForLine() { $0 == "the truth" }
            for liar in lan.hosts[2...4] {
                try await guest.waitForLine(
                    "a sentence about \(liar.name)", on: .standardError, within: .seconds(40)
                ) { $0.contains(liar.address) && $0.contains("ot joined") }
            }
            #expect(guest.standardOutputLines == ["the truth"])
        }
    }

    /// Without a code, and nobody to ask: the host is known, the others are not its hosts.
    @Test func guest_endsWithCode77_whenOnlyAnImpostorIsThere() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try hosting(lan[0], ["--name", "stage"], code: nil)
            try await host.waitForAnnouncement()
            let first = try join(lan[1], code: nil)
            try await first.waitForLine(
                containing: "First time", on: .standardError)
            first.interrupt()
            try await first.expectExit(0)
            host.interrupt()
            try await host.expectExit(0)
            // Its goodbye may be under way: a guest would try it first.
            repeat {
                try Task.checkCancellation()
            } while try await lan[1].run("avahi-browse", "-ptk", "_beamscribe._tcp")
                .contains("Town")

            // It announces a device that nobody knows, and answers with the host's name.
            try await lie(
                on: lan[2], device: "stage", code: nil,
                announcing: ["deviceName=stage-2", "sec=tls", "fp=OWN"])
            let guest = try join(lan[1], code: nil)
            try await guest.expectExit(77)
            guest.expectComplaint("always hosted by stage", "--fingerprint", "--accept-new-host")
            #expect(guest.standardOutputText == "")
        }
    }
}
