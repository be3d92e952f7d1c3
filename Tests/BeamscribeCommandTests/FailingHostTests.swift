import TestSupport
import Testing

/// A host that keeps to the protocol and still is not there as it should be.
@Suite struct FailingHostTests {
    private static let words = [
        "full": "no more guests", "wrong_code": "not this event's",
        "unsupported_protocol": "another version", "duplicate": "another guest",
    ]

    @Test(arguments: ["full", "wrong_code", "unsupported_protocol", "duplicate", "whatever"])
    func guest_saysWhy_whenItIsRefused(_ reason: String) async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(Wire.rejected(reason, "No, because of \(reason)."))
        try await guest.expectExit(77)
        // In words of its own: nobody has judged who answers.
        #expect(!guest.standardErrorText.contains("because of"))
        #expect(guest.standardErrorLines.count == 1)
        #expect(guest.standardErrorText.contains(Self.words[reason] ?? "does not know"))
        #expect(guest.standardOutputText == "")
    }

    @Test func guest_endsWell_whenTheEventIsOver() async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.acceptGuest()
        try await connection.send(Wire.rejected("ended", "The event is over."))
        try await guest.expectExit(0)
        #expect(guest.standardErrorText.contains("The event has ended."))
    }

    @Test func guest_comesBack_whenTheHostBreaksOffInAFrame() async throws {
        let host = try FakeHost()
        let guest = try host.join("--verbose")
        for attempt in 1...3 {
            let (connection, handshake) = try await host.welcomeGuest(history: attempt)
            #expect(handshake.resume?.after == (attempt == 1 ? nil : attempt - 1))
            try await connection.send(Array(Wire.line(attempt + 1, "wrong").dropLast(attempt)))
        }
        let (connection, _) = try await host.welcomeGuest(history: 4)
        try await connection.send(Wire.ended)
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...4))
        #expect(guest.standardErrorText.contains("closed the connection"))
    }

    @Test func guest_comesBack_whenNothingIsHeardOfTheHost() async throws {
        let host = try FakeHost()
        let guest = try host.join("--verbose")
        let began = ContinuousClock.now
        let (silent, _) = try await host.welcomeGuest(history: 1)
        let (connection, handshake) = try await host.welcomeGuest(history: 2)
        // Not before its time; how soon it is back after that says the machine.
        #expect(began.duration(to: .now) > .seconds(6))
        #expect(handshake.resume?.after == 1)
        try await connection.send(Wire.ended)
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...2))
        #expect(guest.standardErrorText.contains("nothing was heard of the host for 6 s"))
        withExtendedLifetime(silent) {}
    }

    @Test func guest_givesUp_whenTheHostNeverAnswers() async throws {
        let host = try FakeHost()
        let guest = try host.join("--timeout", "2")
        let (connection, _) = try await host.acceptGuest()
        try await guest.expectExit(69)
        #expect(guest.standardErrorLines.count == 1)
        withExtendedLifetime(connection) {}
    }

    @Test func guest_takesAWholeTranscript_inOddPieces() async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.acceptGuest()
        let frames = [Wire.accepted(lastSeq: 50), Wire.history(from: 1, through: 50)]
        let bytes = Array((frames + (1...50).map { Wire.line($0) } + [Wire.ended]).joined())
        for start in stride(from: 0, to: bytes.count, by: 7) {
            try await connection.send(Array(bytes[start..<min(bytes.count, start + 7)]))
        }
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(1...50))
    }

    @Test func guest_tellsTheGap_whenTheHostNoLongerHasLines() async throws {
        let host = try FakeHost()
        let guest = try host.join()
        let (connection, _) = try await host.acceptGuest()
        try await connection.send([
            Wire.accepted(lastSeq: 8), Wire.history(from: 7, through: 8), Wire.line(7),
            Wire.line(8), Wire.ended,
        ])
        try await guest.expectExit(0)
        #expect(guest.standardOutputLines == numbered(7...8))
        #expect(guest.standardErrorText.contains("lines 1 to 6 are no longer at the host"))
    }
}
