import Foundation
import TestSupport
import Testing

/// The code's proof, held against an implementation that knows nothing of this one: as guest, as
/// host, in between, and as somebody who means harm.
@Suite struct IndependentCodeTests {
    private static let code = "4821-7730"

    // MARK: A guest of another kind

    @Test func independentGuest_getsEveryLine_byItsCode() async throws {
        let room = try await Room.open("--until-eof", code: Self.code)
        try await room.tell(numbered(1...50))
        let guest = try Peer.guest(room.port, code: "4821 7730")
        try await guest.waitForLines(50)
        try await room.tell(numbered(51...60))
        room.host.closeInput()
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...60))
    }

    @Test func independentGuest_isSure_thatAWrongCodeIsWrong() async throws {
        let room = try await Room.open(code: Self.code)
        try await room.tell("secret")
        let guest = try Peer.guest(room.port, code: "4821-7731")
        try await guest.expectExit(77)
        #expect(!guest.standardOutputText.contains("secret"))
    }

    /// What a guest that means harm hears of the host, and how it ends.
    private struct Report: Decodable {
        var heard: [String]
        var end: String
    }

    @Test(arguments: [
        "share-identity", "share-off-curve", "share-short", "share-long", "share-compressed",
        "share-hybrid", "share-unreduced", "share-zeros", "share-mask", "no-share", "share-twice",
        "confirm-twice", "confirm-first", "wrong-confirm", "short-confirm", "confirm-reflected",
        "leave-after-share", "wrong-exporter",
    ])
    func host_tellsNothing_toAGuestThatMeansHarm(how: String) async throws {
        let room = try await Room.open("--verbose", code: Self.code)
        try await room.tell("secret")
        let guest = try Peer.guest(room.port, code: Self.code, "--misbehave", how)
        try await guest.expectExit(0)
        let line = try #require(guest.standardOutputLines.last)
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        #expect(!report.heard.contains("fullHistory"), "\(line)")
        #expect(report.heard.filter { $0 == "code_share" }.count <= 1, "\(line)")
        // The host is there for others as before.
        let other = try room.join(code: Self.code)
        #expect(try await other.waitForLines(1) == ["secret"])
    }

    // MARK: A host of another kind

    private func join(
        _ port: UInt16, code: String? = code, _ options: String...
    ) throws -> RunningProgram {
        var launch = Launch.beamscribe(
            ["join", "--host", "127.0.0.1:\(port)", "--timeout", "60"] + options,
            state: try TemporaryFolder())
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try RunningProgram(launch)
    }

    @Test func guest_getsEveryLine_ofAnIndependentHost() async throws {
        let (host, port) = try await Peer.listening(
            "code_host",
            ["--event", "Town Hall", "--device", "stage", "--code", Self.code, "--lines", "40"])
        let guest = try join(port, "--verbose")
        #expect(try await guest.waitForLines(40) == numbered(1...40))
        try await guest.waitForLine(
            containing: "proved that it knows the code", on: .standardError)
        _ = host
    }

    @Test func guest_endsWithCode77_whenTheIndependentHostHasAnotherCode() async throws {
        let (host, port) = try await Peer.listening(
            "code_host",
            ["--event", "Town Hall", "--device", "stage", "--code", "4821-7731", "--lines", "3"])
        let guest = try join(port)
        try await guest.expectExit(77)
        #expect(guest.standardOutputText == "")
        try await host.waitForOutput("its end") { $0.standardOutput.text.contains("}") }
        #expect(!host.standardOutputText.contains("code_confirm"), "It says no more.")
    }

    /// Two who lie about the code end it at once, the others are three breaches of the protocol.
    @Test(arguments: [
        ("share-identity", 76), ("share-off-curve", 76), ("share-short", 76),
        ("share-before-challenge", 76), ("share-twice", 76), ("challenge-twice", 76),
        ("short-salt", 76), ("huge-salt", 76), ("odd-salt", 76), ("response-for-share", 76),
        ("no-challenge", 77), ("wrong-confirm", 77), ("confirm-reflected", 77),
        ("response-before-confirm", 76), ("wrong-exporter", 77), ("reject", 77),
    ])
    func guest_showsNoWord_ofAHostThatMeansHarm(how: String, exit: Int32) async throws {
        let (host, port) = try await Peer.listening(
            "code_host",
            [
                "--event", "Town Hall", "--device", "stage", "--code", Self.code, "--lines", "3",
                "--misbehave", how,
            ])
        let guest = try join(port)
        try await guest.expectExit(exit)
        #expect(guest.standardOutputText == "")
        #expect(guest.standardErrorLines.last?.hasPrefix("beamscribe: ") == true)
        _ = host
    }

    // MARK: In between

    /// Somebody passes everything on, with a key of his own: the proof is of another connection.
    @Test func guest_findsOut_whoPassesEverythingOn() async throws {
        let room = try await Room.open("--verbose", code: Self.code)
        try await room.tell("secret")
        let (relay, port) = try await Peer.listening(
            "code_relay", ["127.0.0.1", "\(room.port)"])
        let guest = try join(port)
        try await guest.expectExit(77)
        #expect(guest.standardOutputText == "")
        try await relay.waitForOutput("what has passed") {
            $0.standardOutput.text.contains("code_share")
        }
        for type in ["code_confirm", "handshake_response", "fullHistory", "liveChunk"] {
            #expect(!relay.standardOutputText.contains(type), "\(type)")
        }
    }
}
