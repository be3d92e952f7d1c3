import TestSupport
import Testing

/// A host that breaks the protocol: the guest prints no wrong line and says what is wrong.
@Suite struct LyingHostTests {
    /// What a host sends where line `next` is due, and what the guest says of it.
    struct Lie: Sendable, CustomTestStringConvertible {
        var name: String
        var complaint: String
        var frames: @Sendable (_ next: Int) -> [UInt8]
        var testDescription: String { name }

        init(
            _ name: String, _ complaint: String, _ frames: @escaping @Sendable (Int) -> [UInt8]
        ) {
            (self.name, self.complaint, self.frames) = (name, complaint, frames)
        }
    }

    private static let unnumbered =
        #"{"type":"liveChunk","isFinal":true,"line":"l","text":"wrong","sentTimestamp":1}"#
    private static let textless =
        #"{"type":"liveChunk","isFinal":true,"seq":1,"line":"l","text":1,"sentTimestamp":1}"#
    private static let other = "99999999-2222-3333-4444-555555555555"

    static let lies = [
        Lie("gap", "where line") { Wire.line($0 + 1, "wrong") },
        Lie("repeated line", "where line") { Wire.line($0 - 1, "wrong") },
        Lie("line from the beginning", "where line") { _ in Wire.line(1, "wrong") },
        Lie("line 0", "where line 6 was due") { _ in Wire.line(0, "wrong") },
        Lie("greatest line", "where line") { _ in Wire.line(.max, "wrong") },
        Lie("line without number", "without its number") { _ in
            Wire.frame(unnumbered)
        },
        Lie("line of 10 MB", "over the limit of 4096") {
            Wire.line($0, String(repeating: "x", count: 10_000_000))
        },
        Lie("speaker too long", "too long") {
            Wire.line($0, "wrong", more: #","speaker":"\#(String(repeating: "x", count: 300))""#)
        },
        Lie("another session's history", "another session") {
            Wire.history(from: $0, through: $0, session: other) + Wire.line($0, "wrong")
        },
        Lie("history that goes back", "offered history from line 1") { _ in
            Wire.history(from: 1, through: 2) + Wire.line(1, "wrong")
        },
        Lie("history of less than nothing", "offered history") {
            Wire.history(from: $0, through: -5) + Wire.line($0, "wrong")
        },
        Lie("length 0", "length 0") { Wire.length(0) + Wire.line($0, "wrong") },
        Lie("length over the limit", "over the limit") { _ in Wire.length(10_485_761) },
        Lie("garbage", "not a JSON object") { Wire.frame("garbage") + Wire.line($0, "wrong") },
        Lie("JSON array", "not a JSON object") { Wire.frame("[]") + Wire.line($0, "wrong") },
        Lie("text is a number", "\"text\"") { _ in
            Wire.frame(textless)
        },
    ]

    @Test(arguments: lies)
    func guest_printsNoWrongLineAndGivesUp_afterThree(_ lie: Lie) async throws {
        let host = try FakeHost()
        let guest = try host.join()
        for attempt in 1...3 {
            let (connection, handshake) = try await host.welcomeGuest(history: 2)
            #expect(handshake.resume?.after == (attempt == 1 ? nil : attempt + 1))
            let next = max(2, attempt + 1) + 1
            try await connection.send(Wire.line(next) + lie.frames(next + 1))
            try await connection.waitForEnd()
        }
        try await guest.expectExit(76)
        #expect(guest.standardOutputLines == numbered(1...5))
        #expect(guest.standardErrorText.contains(lie.complaint), "\(guest.standardErrorText)")
        #expect(guest.standardErrorLines.last?.hasPrefix("beamscribe: ") == true)
    }

    @Test func guest_givesUpAtOnce_whenItMayNotComeBack() async throws {
        let host = try FakeHost()
        let guest = try host.join("--no-reconnect")
        let (connection, _) = try await host.welcomeGuest(history: 2)
        try await connection.send(Wire.line(9))
        try await guest.expectExit(76)
        #expect(guest.standardOutputLines == numbered(1...2))
    }

    @Test(arguments: [
        Wire.frame("garbage"), Wire.line(1), Wire.length(0), Wire.history(from: 1, through: 1),
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Wire.accepted(session: "nonsense"),
        Wire.frame(#"{"type":"handshake_response","status":"perhaps"}"#),
    ])
    func guest_givesUp_whenTheAnswerIsNone(_ answer: [UInt8]) async throws {
        let host = try FakeHost()
        // Until a host has let it in, a guest gives up after 10 s, which a busy machine may need.
        let guest = try host.join("--timeout", "120")
        for _ in 1...3 {
            let (connection, _) = try await host.acceptGuest()
            try await connection.send(answer)
            try await connection.waitForEnd()
        }
        try await guest.expectExit(76)
        #expect(guest.standardOutputText == "")
        let last = guest.standardErrorLines.last ?? ""
        #expect(last.hasPrefix("beamscribe: the machine that answers "), "\(last)")
    }

    @Test func guest_ignores_whatALaterVersionMaySay() async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.welcomeGuest()
        try await connection.send([
            Wire.frame(#"{"type":"fireworks","colour":"red"}"#),
            Wire.line(1, more: #","mood":{"happy":[1,2]}"#), Wire.alert("fireworks", "Look up!"),
            Wire.line(2), Wire.ended,
        ])
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...2))
        #expect(guest.standardErrorText.contains("Look up!"))
    }
}
