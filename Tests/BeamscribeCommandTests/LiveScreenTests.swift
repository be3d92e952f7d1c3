import TestSupport
import Testing

/// The live view on a real terminal's screen.
@Suite(.serialized, Skip.withoutTmux) struct LiveScreenTests {
    private func openScreen(
        _ options: String..., columns: Int = 80, rows: Int = 24
    ) async throws -> (Room, TerminalSession) {
        let room = try await Room.open()
        let session = try await TerminalSession(
            room.launchOfGuest(options), columns: columns, rows: rows)
        try await session.waitForScreen("up to date") { $0.saysUpToDate }
        return (room, session)
    }

    /// The captions on a screen, without the columns before them and the two rows below.
    private func captions(_ screen: [String]) -> [String] {
        screen.dropLast(2).map { String($0.drop { $0 == " " }) }
    }

    private func waitForStatus(
        _ parts: String..., on session: TerminalSession
    ) async throws -> [String] {
        try await session.waitForScreen("a status row with \(parts)") { screen in
            let status = screen.last { !$0.isEmpty } ?? ""
            return parts.allSatisfy(status.contains)
        }
    }

    @Test func screen_showsFinalsAndTheState_asTheyCome() async throws {
        let (room, session) = try await openScreen()
        try await room.tell(numbered(1...3))
        var screen = try await waitForStatus("Town Hall", "3 lines", on: session)
        #expect(captions(screen).filter { $0.hasPrefix("line ") } == numbered(1...3))
        try await room.tell(numbered(4...40))
        screen = try await waitForStatus("40 lines", on: session)
        #expect(captions(screen).filter { $0.hasPrefix("line ") } == numbered(19...40))
        #expect(screen.filter { $0.contains("Town Hall") }.count == 1)
    }

    @Test func screen_replacesAGrowingLine_byItsFinal() async throws {
        let (room, session) = try await openScreen()
        try await room.tell("before")
        try await room.host.write("Good mor")
        try await session.waitForScreen("the open line") { $0.contains("  Good mor") }
        try await room.host.write("ning")
        var screen = try await session.waitForScreen("the grown line") {
            $0.contains("  Good morning")
        }
        #expect(!captions(screen).contains("Good mor"))
        let rows = captions(screen)
        #expect(rows.firstIndex(of: "before") ?? 99 < rows.firstIndex(of: "Good morning") ?? 0)
        try await room.host.write(", all.\n")
        screen = try await waitForStatus("2 lines", on: session)
        #expect(captions(screen).filter { $0.contains("Good") } == ["Good morning, all."])
    }

    @Test func screen_isDrawnAgain_whenItIsResized() async throws {
        let (room, session) = try await openScreen()
        let long = "This is a rather long line that has to be wrapped at a narrow screen's edge."
        try await room.tell("first", long)
        try await room.host.write("still open")
        _ = try await waitForStatus("2 lines", on: session)
        for columns in [40, 100, 60] {
            try await session.resize(columns: columns, rows: 12)
            let screen = try await session.waitForScreen("one status row of \(columns) columns") {
                $0.filter { $0.contains("2 lines") }.count == 1
                    && ($0.last { !$0.isEmpty }?.count ?? 0) > columns - 3
            }
            #expect(screen.filter { $0.contains("still open") }.count == 1, "\(screen)")
            #expect(captions(screen).filter { $0 == "first" }.count == 1, "\(screen)")
        }
        try await room.host.write(" and closed\nlast\n")
        let screen = try await waitForStatus("4 lines", on: session)
        #expect(screen.filter { $0.contains("closed") || $0 == "  last" }.count == 2)
        #expect(!screen.contains("still open"))
    }

    @Test func screen_keepsWideText_intact() async throws {
        let (room, session) = try await openScreen(columns: 30)
        let texts = ["日本語の字幕です", "emoji 🎉 and 👍 too", "Ü̈ber Ελληνικά עברית", "한국어 자막"]
        try await room.tell(texts)
        let screen = try await waitForStatus("4 lines", on: session)
        for text in texts { #expect(captions(screen).contains(text), "\(screen)") }
        let wide = String(repeating: "字幕", count: 20)
        try await room.tell(wide)
        let wrapped = try await waitForStatus("5 lines", on: session)
        let rows = captions(wrapped).filter { $0.contains("字幕") }
        #expect(rows.joined().contains(wide), "\(wrapped)")
    }

    @Test func screen_goesBackToTheShell_whenTheUserLeaves() async throws {
        let (room, session) = try await openScreen()
        try await room.tell("last words")
        _ = try await waitForStatus("1 line", on: session)
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .success)
        try await session.waitForScreen("what it leaves behind") { screen in
            screen.contains("last words")
                && screen.contains { $0.hasPrefix("*** Town Hall: 1 line in ") }
        }
        #expect(try await session.value("alternate_on") == "0")
    }

    @Test func screen_tellsThatTheHostIsLost_andThatItIsBack() async throws {
        let room = try await Room.open()
        let relay = try Relay(to: room.port)
        let launch = Launch.beamscribe(["join", "--host", relay.address], state: room.folder)
        let session = try await TerminalSession(launch)
        try await room.tell("one")
        _ = try await waitForStatus("1 line", on: session)
        room.host.suspend()
        _ = try await waitForStatus("network lost for ", on: session)
        room.host.resume()
        try await room.tell("two")
        let screen = try await waitForStatus("2 lines", on: session)
        #expect(screen.saysUpToDate)
        #expect(captions(screen).filter { ["one", "two"].contains($0) } == ["one", "two"])
    }
}
