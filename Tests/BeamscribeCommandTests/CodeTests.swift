import TestSupport
import Testing

/// Who knows the event's code may come in.
@Suite struct CodeTests {
    private let code = "10K3M-9QX2T"

    @Test(arguments: ["10k3m-9qx2t", "1O K3M 9QX2T", "lo k3m9qx2t", "i0k3m—9qx2t", " 10K3M9QX2T "])
    func guest_getsIn_howeverTheCodeIsTyped(typed: String) async throws {
        let room = try await Room.open(code: code)
        try await room.tell("hello")
        let guest = try room.join(code: typed)
        #expect(try await guest.waitForLines(1) == ["hello"])
    }

    @Test func guest_endsWithCode77_whenItsCodeIsWrong() async throws {
        let room = try await Room.open("--verbose", code: code)
        try await room.tell("secret")
        let guest = try room.join(code: "10K3M-9QX2V")
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("the code is not this event's") == true)
        #expect(guest.standardOutputText == "")
        try await room.host.waitForLine(containing: "gave a wrong code", on: .standardError)
    }

    @Test(arguments: ["none", "fingerprint"])
    func guest_endsWithCode77_whenItHasNoCode(instead: String) async throws {
        let room = try await Room.open("--verbose", code: code)
        try await room.tell("secret")
        let guest =
            instead == "none"
            ? try room.join() : try room.join("--fingerprint", "0123456789abcdef")
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("asks for a code") == true)
        #expect(guest.standardOutputText == "")
    }

    @Test func guest_endsWithCode64_whenItsCodeIsNone() async throws {
        let room = try await Room.open(code: code)
        for typed in ["7K3M9_QX2TA", "ÄÖÜ", String(repeating: "7K3M9QX2TA", count: 7), "-"] {
            let guest = try room.join(code: typed)
            try await guest.expectExit(64)
            #expect(!guest.standardErrorText.contains(typed) || typed == "-")
        }
    }

    @Test(arguments: ["7K3M9", "ABCDE-FGHJK", "00000-00000", "1234567890", "ABC12-ABC12"])
    func host_endsWithCode64_whenItsCodeIsWeak(weak: String) async throws {
        let folder = try TemporaryFolder()
        var launch = Launch.beamscribe(
            ["host", "--event", "x"] + Room.quiet(port: 0), state: folder)
        launch.environment["BEAMSCRIBE_CODE"] = weak
        let refused = try RunningProgram(launch)
        try await refused.expectExit(64)
        #expect(refused.standardErrorLines.last?.contains("--weak-code") == true)
        #expect(!refused.standardErrorText.contains(weak))
        launch.arguments.append("--weak-code")
        let room = try await Room(launch, folder)
        let guest = try room.join(code: weak)
        try await guest.waitUntilJoined()
    }

    @Test func guests_comeBackByTheirCode_whenTheConnectionIsLost() async throws {
        let room = try await Room.open(code: code)
        let relay = try Relay(to: room.port)
        var launch = Launch.beamscribe(["join", "--host", relay.address], state: room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        let guest = try RunningProgram(launch)
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        relay.cut()
        try await room.tell(numbered(4...6))
        #expect(try await guest.waitForLines(6) == numbered(1...6))
        #expect(!contains(relay.captured, "line"))
    }
}
