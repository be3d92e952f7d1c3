import Foundation
import TestSupport
import Testing

/// Who knows the event's code may come in.
@Suite struct CodeTests {
    private let code = "4821-7730"

    @Test(arguments: [
        "4821-7730", "48217730", "4821 7730", "４８２１７７３０", "4821—7730", " 4 8 2 1 7 7 3 0 ",
    ])
    func guest_getsIn_howeverTheCodeIsTyped(typed: String) async throws {
        let room = try await Room.open(code: code)
        try await room.tell("hello")
        let guest = try room.join(code: typed)
        #expect(try await guest.waitForLines(1) == ["hello"])
    }

    @Test(arguments: ["oil-01x", "0IL01X", "011-01x"])
    func lettersThatLookLikeDigits_areTaken(typed: String) async throws {
        let room = try await Room.open(code: "OIL01X")
        try await room.tell("hello")
        #expect(try await room.join(code: typed).waitForLines(1) == ["hello"])
    }

    @Test func guest_endsWithCode77_whenItsCodeIsWrong() async throws {
        let room = try await Room.open("--verbose", code: code)
        try await room.tell("secret")
        let guest = try room.join(code: "4821-7731")
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("the code is not this event's") == true)
        #expect(guest.standardOutputText == "")
        try await room.host.waitForLine(containing: "gave a wrong code", on: .standardError)
    }

    @Test(arguments: ["none", "fingerprint"])
    func guest_endsWithCode77_whenItHasNoCode(instead: String) async throws {
        let room = try await Room.open("--verbose", code: code)
        try await room.tell("secret")
        let fingerprint = try await room.fingerprint()
        let guest =
            instead == "none" ? try room.join() : try room.join("--fingerprint", fingerprint)
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("asks for a code") == true)
        #expect(guest.standardOutputText == "")
    }

    @Test func guest_endsWithCode77_whenItHasACodeAndTheHostAsksForNone() async throws {
        let room = try await Room.open()
        try await room.tell("a lie")
        let guest = try room.join(code: code)
        try await guest.expectExit(77)
        #expect(guest.standardErrorLines.last?.contains("does not ask for the code") == true)
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

    @Test(arguments: ["000000", "12345678", "ABCDEF", "121212"])
    func host_endsWithCode64_whenItsCodeIsWeak(weak: String) async throws {
        let folder = try TemporaryFolder()
        var launch = launch(weak, folder)
        let refused = try RunningProgram(launch)
        try await refused.expectExit(64)
        #expect(refused.standardErrorLines.last?.contains("--weak-code") == true)
        #expect(!refused.standardErrorText.contains(weak))
        launch.arguments.append("--weak-code")
        let room = try await Room(launch, folder)
        let guest = try room.join(code: weak)
        try await guest.waitUntilJoined()
    }

    @Test(arguments: [[], ["--weak-code"]])
    func host_endsWithCode64_whenItsCodeIsTooShort(options: [String]) async throws {
        let folder = try TemporaryFolder()
        var launch = launch("7K3M9", folder)
        launch.arguments += options
        let refused = try RunningProgram(launch)
        try await refused.expectExit(64)
        #expect(refused.standardErrorLines.last?.contains("fewer than 6") == true)
    }

    private func launch(_ code: String, _ folder: TemporaryFolder) -> Launch {
        var launch = Launch.beamscribe(
            ["host", "--event", "x"] + Room.quiet(port: 0), state: folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        return launch
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

    @Test func guests_comeBack_whenTheHostIsResumedWithTheSameCode() async throws {
        let room = try await Room.open(code: code)
        let guest = try room.join(code: code)
        try await room.tell(numbered(1...3))
        try await guest.waitForLines(3)
        room.host.kill()
        try await room.host.waitForExit()
        var launch = Launch.beamscribe(
            ["host", "--resume", "last"] + Room.quiet(port: room.port), state: room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        let again = try await Room(launch, room.folder)
        try await again.tell(numbered(4...6))
        #expect(try await guest.waitForLines(6) == numbered(1...6))
    }
}
