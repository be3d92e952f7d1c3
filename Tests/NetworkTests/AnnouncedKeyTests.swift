import Foundation
import TestSupport
import Testing

/// The host's fingerprint is the same wherever it is shown.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct AnnouncedKeyTests {
    @Test func fingerprint_isTheSame_atTheHostInTheAnnouncementAndAtTheGuest() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Key")
            let line = try await host.waitForLine(
                containing: "Key of this host", on: .standardError)
            let groups = try #require(
                line.firstMatch(of: /[0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4} [0-9a-f]{4}/)
            ).output
            let digits = groups.filter { $0 != " " }
            let txt = try await announcement(on: lan[1])
            #expect(txt.contains("fp=\(digits)") && txt.contains("sec=tls"), "\(txt)")

            let guest = try lan[1].join("Key", "--verbose")
            try await guest.waitForLine(
                containing: String(groups), on: .standardError)
            let known = try knownHosts(of: lan[1])
            #expect(known.keys.sorted() == ["host1"])
            #expect((known["host1"]?["fingerprint"] as? String)?.hasPrefix(digits) == true)
        }
    }

    @Test(arguments: [["--insecure"], ["--code"]])
    func announcement_saysHowTheHostIsJoined(options: [String]) async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try lan[0].spawn(
                Launch(Binary.beamscribe, arguments: ["host", "--event", "Key"] + options))
            try await host.waitForAnnouncement()
            let txt = try await announcement(on: lan[1])
            #expect(txt.contains(options == ["--code"] ? "sec=code" : "sec=plain"), "\(txt)")
            #expect(txt.contains("fp="))
        }
    }

    /// A host that was found, with a new key: it is known by its name, wherever it is.
    @Test func guest_endsWithCode77_whenTheHostOfThatNameHasAnotherKey() async throws {
        try await Lan.with(hosts: 2, avahi: true) { lan in
            let host = try await lan[0].announce("Key")
            let guest = try lan[1].join("Key")
            try await guest.waitForLine(
                containing: "First time", on: .standardError)
            guest.interrupt()
            try await guest.expectExit(0)
            host.kill()
            try await host.waitForExit()
            try FileManager.default.removeItem(
                atPath: lan[0].folder.path(of: "state/beamscribe/host-key.pem"))
            let again = try await lan[0].announce("Key")
            try await again.write("secret\n")
            let late = try lan[1].join("Key")
            try await late.expectExit(77)
            late.expectComplaint("host1", "another key", "--forget")
            #expect(late.standardOutputText == "")
        }
    }

    private func announcement(on host: LanHost) async throws -> String {
        try await host.run("avahi-browse", "-rptk", "_beamscribe._tcp")
    }

    private func knownHosts(of host: LanHost) throws -> [String: [String: Any]] {
        let path = host.folder.path(of: "state/beamscribe/known-hosts.json")
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let object = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        return object?["hosts"] as? [String: [String: Any]] ?? [:]
    }
}
