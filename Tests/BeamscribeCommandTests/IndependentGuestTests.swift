import TestSupport
import Testing

/// Guests that are made with another TLS than ours: `openssl s_client`, fed with frames.
/// (`PythonGuestTests` has a guest with Python's ssl.)
@Suite struct IndependentGuestTests {
    private func client(_ room: Room, _ options: [String]) throws -> RunningProgram {
        let words = ["s_client", "-quiet", "-connect", room.address] + options
        return try RunningProgram(Launch("openssl", arguments: words))
    }

    private func expectHistoryAndLines(_ room: Room, _ options: [String]) async throws {
        try await room.tell(numbered(1...50))
        let guest = try client(room, options)
        try await guest.write(bytes: Wire.handshake(name: "s_client"))
        try await guest.waitForOutput("the history") {
            $0.standardOutput.text.contains(#""line 50""#)
        }
        try await room.tell("live")
        try await guest.waitForOutput("a line") { $0.standardOutput.text.contains(#""live""#) }
        #expect(guest.standardOutputText.contains(#""type":"fullHistory""#))
        for line in numbered(1...50) {
            #expect(guest.standardOutputText.contains("\"\(line)\""))
        }
    }

    /// The last one names a group first that the host has not, and is asked to say hello again.
    @Test(arguments: [
        [], ["-ciphersuites", "TLS_CHACHA20_POLY1305_SHA256"], ["-groups", "P-384:P-256"],
    ])
    func guest_getsTheEvent_overTLS13(options: [String]) async throws {
        let room = try await Room.open()
        try await expectHistoryAndLines(room, ["-tls1_3"] + options)
    }

    /// A guest that knows nothing of codes is told no more than that there is one.
    @Test func guest_getsNoWord_whenItIsAskedForACode() async throws {
        let room = try await Room.open(code: "4821-7730")
        try await room.tell("secret")
        let guest = try client(room, ["-tls1_3"])
        try await guest.write(bytes: Wire.handshake())
        try await guest.waitForOutput("the challenge") {
            $0.standardOutput.text.contains("code_challenge")
        }
        try await guest.write(bytes: Wire.handshake())
        try await guest.waitForExit()
        for word in ["secret", "Town Hall", "handshake_response", "fullHistory"] {
            #expect(!guest.standardOutputText.contains(word), "\(word)")
        }
    }

    /// To compute with such a group takes two hundred times what it takes with X25519.
    @Test func guest_isRefused_whenItWantsTheHostToComputeForLong() async throws {
        let room = try await Room.open()
        try await room.tell("hello")
        let guest = try client(room, ["-tls1_3", "-groups", "ffdhe8192"])
        try await guest.waitForExit()
        #expect(guest.standardOutputText == "")
        #expect(try await room.join().waitForLines(1) == ["hello"])
    }

    @Test func guest_isRefused_whenItHasTLS12Only() async throws {
        let room = try await Room.open("--verbose")
        let guest = try client(room, ["-tls1_2"])
        try await guest.waitForExit()
        #expect(guest.standardOutputText == "")
        #expect(guest.standardErrorText.contains("protocol version"))
        try await room.host.waitForLine(containing: "TLS 1.3", on: .standardError)
    }

    @Test func guest_seesTheKeyThatTheHostShows() async throws {
        let room = try await Room.open()
        let pipe = """
            openssl s_client -connect "$1" </dev/null 2>/dev/null | openssl x509 -pubkey -noout |
            openssl pkey -pubin -outform DER | sha256sum
            """
        let seen = try RunningProgram("sh", "-ec", pipe, "sh", room.address)
        let digits = try await seen.waitForLine("a checksum") {
            $0.count > 64
        }.prefix(64)
        #expect(try await room.fingerprint() == digits.prefix(16))
        let pem = try room.folder.read("beamscribe/host-key.pem")
        #expect(try await OpenSSL.fingerprint(ofKey: pem) == digits)
    }
}
