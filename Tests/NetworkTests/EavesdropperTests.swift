import TestSupport
import Testing

/// What somebody on the same network sees of an event.
@Suite(Skip.withoutLanAndTcpdump, .serialized, .timeLimit(.minutes(3))) struct EavesdropperTests {
    /// The words that no stranger is to see. The event's name and the host's are announced; the
    /// guest's is not.
    private static let secrets = [
        "first secret", "line 117", "fixed secret", "guest-machine", "deviceId", "liveChunk",
        "handshake_response", "keepAliveInterval",
    ]
    private static let speech =
        ["the first secret of all"] + lines(1...200) + ["the last, a fixed secret"]

    private func capture(
        host options: [String], guest guestOptions: [String], code: String? = nil
    ) async throws -> String {
        try await Lan.with(hosts: 2) { lan in
            try await lan[1].run("hostname", "guest-machine")
            var hosting = Launch(
                Binary.beamscribe,
                arguments: ["host", "--event", "Open", "--port", "23267", "--until-eof"]
                    + ["--linger", "0"] + options)
            var joining = Launch(
                Binary.beamscribe, arguments: ["join", "--host", lan[0].address] + guestOptions)
            if let code {
                hosting.environment["BEAMSCRIBE_CODE"] = code
                joining.environment["BEAMSCRIBE_CODE"] = code
            }
            let eavesdropper = try lan[0].spawn(
                "tcpdump", "-i", "eth0", "-n", "-l", "-A", "--immediate-mode", "tcp")
            try await eavesdropper.waitForLine(containing: "listening on", on: .standardError)
            let host = try lan[0].spawn(hosting)
            try await host.waitForLine(containing: " join --host ", on: .standardError)
            let guest = try lan[1].spawn(joining)
            try await guest.waitForLine(
                containing: "Joined", on: .standardError)
            try await host.write(Self.speech.map { $0 + "\n" }.joined())
            try await guest.waitForOutput("all lines") {
                $0.standardOutput.lines.count == Self.speech.count
            }
            host.closeInput()
            try await guest.expectExit(0)
            try await host.expectExit(0)
            try await eavesdropper.waitForLine(containing: "Flags [F.]")
            eavesdropper.interrupt()
            try await eavesdropper.waitForExit()
            // Which packets there were, so that what is not seen was there to be seen.
            #expect(eavesdropper.standardOutputText.contains(".23267 > \(lan[1].address)."))
            return eavesdropper.standardOutputText
        }
    }

    @Test func eavesdropper_seesNoWord_byDefault() async throws {
        let seen = try await capture(host: [], guest: [])
        for secret in Self.secrets { #expect(!seen.contains(secret), "\(secret)") }
        #expect(seen.utf8.count > 10_000)
    }

    @Test func eavesdropper_seesNoWord_ofAnEventWithACode() async throws {
        let code = "4821-7730"
        let seen = try await capture(host: [], guest: [], code: code)
        for secret in Self.secrets + [code, "48217730", "code_share"] {
            #expect(!seen.contains(secret), "\(secret)")
        }
    }

    /// That the others can fail.
    @Test func eavesdropper_seesEverything_whenBothDoWithoutEncryption() async throws {
        let seen = try await capture(host: ["--insecure"], guest: ["--insecure"])
        for secret in Self.secrets { #expect(seen.contains(secret), "\(secret)") }
    }
}
