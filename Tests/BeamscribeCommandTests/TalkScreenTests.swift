import Foundation
import TestSupport
import Testing

/// The screen of `talk` on a real terminal.
@Suite(.serialized, Skip.withoutTmux) struct TalkScreenTests {
    private func open() async throws -> (room: Room, session: TerminalSession) {
        let room = try await Room.withVoices()
        var talk = Launch.beamscribe(
            ["talk", "--host", room.address, "--input", "/dev/zero", "--output", "/dev/null"]
                + ["--talk", "ptt"], state: try TemporaryFolder())
        talk.environment["BEAMSCRIBE_CREW_CODE"] = Room.crewCode
        talk.environment["NO_COLOR"] = "1"
        talk.withoutVariables.remove("NO_COLOR")
        let session = try await TerminalSession(talk, columns: 100, rows: 12)
        try await session.waitForScreen(containing: " listening")
        return (room, session)
    }

    private func waitForState(_ state: String, on session: TerminalSession) async throws {
        try await session.waitForScreen(state) { rows in
            rows.contains { $0.hasPrefix(" \(state) ") }
        }
    }

    @Test func spaceBar_beginsAndEndsATalk_andQEnds() async throws {
        let (room, session) = try await open()
        try await session.waitForScreen(containing: "[Town Hall · crew · by UDP")
        try await session.waitForScreen(containing: "SPACE talks and ends it")
        try await session.send(keys: "Space")
        try await waitForState("TALKING", on: session)
        try await session.send(keys: "m")
        try await waitForState("listening", on: session)
        try await session.send(keys: "?")
        try await session.waitForScreen(containing: "x silences him")
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .exited(0))
        let left = try await session.screen()
        #expect(!left.contains { $0.hasPrefix("[Town Hall") }, "\(left)")
        withExtendedLifetime(room) {}
    }

    @Test func whoListens_readsTheCaptionsOnTheSameScreen_andGoesToOtherChannels() async throws {
        let captions = try TemporaryFolder()
        let words = captions.path(of: "captions")
        #expect(mkfifo(words, 0o600) == 0)
        let writer = try FileHandle(forUpdating: URL(filePath: words))
        let room = try await Room.open(
            "--voice", "--floor", "/dev/zero", "--channel", "es:talk=event:hear=event", "--input",
            words)
        var listen = Launch.beamscribe(
            ["listen", "--host", room.address, "--output", "/dev/null"],
            state: try TemporaryFolder())
        listen.environment["NO_COLOR"] = "1"
        listen.withoutVariables.remove("NO_COLOR")
        let session = try await TerminalSession(listen, columns: 90, rows: 14)
        try await session.waitForScreen(containing: "[Town Hall · floor · by UDP")
        try writer.write(contentsOf: Data("Good evening.\n".utf8))
        try await session.waitForScreen("the caption alone in its row") {
            $0.contains("Good evening.")
        }
        try await session.waitForScreen(containing: "*** On the channel.")
        try await session.send(keys: "c")
        try await session.waitForScreen(containing: "[Town Hall · es · by UDP")
        try await session.send(keys: "c")
        try await session.waitForScreen(containing: "[Town Hall · floor · by UDP")
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .exited(0))
        withExtendedLifetime(room) {}
    }

    @Test(Skip.withoutSoundLab)
    func device_isChosenByItsNumber() async throws {
        let (room, sound) = (try await Room.withVoices(), try await SoundLab("ann", "bob"))
        var talk = sound.inside(
            Launch.beamscribe(["talk", "--host", room.address], state: try TemporaryFolder()))
        talk.environment["BEAMSCRIBE_CREW_CODE"] = Room.crewCode
        talk.environment["NO_COLOR"] = "1"
        talk.withoutVariables.remove("NO_COLOR")
        let session = try await TerminalSession(talk, columns: 100, rows: 16)
        try await session.waitForScreen(containing: "The loudspeaker is Loudspeaker of ann.")
        try await session.send(keys: "d")
        try await session.waitForScreen(containing: "2   microphone   Microphone of bob")
        try await session.send(keys: "4")
        try await session.waitForScreen(containing: "The loudspeaker is Loudspeaker of bob.")
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .exited(0))
    }

    /// A terminal of kitty's protocol, by what it would send.
    @Test func spaceBar_isHeld_whereTheTerminalTellsReleases() async throws {
        let (room, session) = try await open()
        try await session.type("\u{1B}[?27u")
        try await session.waitForScreen(containing: "hold SPACE to talk")
        try await session.type("\u{1B}[32;;32u")
        try await waitForState("TALKING", on: session)
        try await session.type("\u{1B}[32;1:2u\u{1B}[32;1:3u")
        try await waitForState("listening", on: session)
        try await session.type("\u{1B}[32;;32u")
        try await waitForState("TALKING", on: session)
        // Another window is typed in.
        try await session.type("\u{1B}[O")
        try await waitForState("listening", on: session)
        try await session.type("\u{1B}[99;5u")
        #expect(try await session.waitForExit() == .exited(0))
        withExtendedLifetime(room) {}
    }
}
