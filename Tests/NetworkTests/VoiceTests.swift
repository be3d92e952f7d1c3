import TestSupport
import Testing

/// Voices on networks: found by Avahi, by UDP and where that is blocked.
@Suite(Skip.withoutLan, .serialized, .timeLimit(.minutes(2))) struct VoiceTests {
    private static let channel = ["--voice", "--channel", "all:talk=event:hear=event"]

    private func isHeard(_ listener: RunningProgram, times count: Int = 1) async throws {
        try await listener.waitForOutput("somebody who talks", within: Deadline.generous) {
            $0.standardOutput.lines.count { $0.contains(#""state":"talking""#) } >= count
        }
    }

    @Test func voice_isHeard_ofWhoFindsTheEvent() async throws {
        try await Lan.with(hosts: 3, avahi: true) { lan in
            let host = try await lan[0].host("Town Hall", options: Self.channel)
            try await host.waitForAnnouncement()
            let listener = try lan[1].talk("Town Hall", "--output", "/dev/null", "--stats", "0.5")
            try await listener.waitForLine(containing: #""state":"ready""#, on: .standardOutput)
            let talker = try lan[2].talk("Town Hall", "--input", "/dev/zero")
            try await isHeard(listener)
            try await listener.waitForLine(
                containing: #""quality":"good""#, on: .standardOutput)
            talker.interrupt()
            try await talker.expectExit(0)
            try await listener.waitForLine(containing: #""state":"gone""#, on: .standardOutput)
            #expect(!listener.standardOutputText.contains("tcp"))
        }
    }

    /// At the host's port no packet of UDP comes in or goes out; then they do again.
    @Test func voice_goesByTheConnection_whereUDPIsBlocked() async throws {
        try await Lan.with(hosts: 3) { lan in
            _ = try await lan[0].host(
                "Town Hall", options: Self.channel + ["--voice-port", "23268"])
            try await lan[1].block(udpPort: 23268)
            let place = lan[0].address + ":23267"
            let listener = try lan[1].talk(
                "--host", place, "--output", "/dev/null", "--stats", "0.5")
            try await listener.waitForLine(containing: #""path":"tcp""#, on: .standardOutput)
            let talker = try lan[2].talk("--host", place, "--input", "/dev/zero")
            try await isHeard(listener)
            try await listener.waitForLine(
                containing: #""quality":"good""#, on: .standardOutput)
            // What is heard now came by the connection: nothing else can have.
            try await lan[1].heal()
            try await listener.waitForLine(containing: #""path":"udp""#, on: .standardOutput)
            #expect(!talker.standardOutputText.contains("tcp"))
        }
    }
}
