import Foundation
import TestSupport
import Testing

/// Captions in many scripts on a real terminal's screen, which counts columns in its own way.
@Suite(.serialized, Skip.withoutTmux) struct ScriptsOnScreenTests {
    private func words(_ text: String) -> String { ScriptSentences.words(text) }

    private func expectEachWord(of lines: [String], on screen: [String], _ columns: Int) {
        let shown = screen.map { String($0.drop { $0 == ">" }) }.joined()
        let lost = ScriptSentences.lost(of: lines, on: shown)
        #expect(lost.isEmpty, "at \(columns) columns")
    }

    @Test(arguments: [20, 23, 37, 60, 101, 120])
    func sentences_loseNoWord(columns: Int) async throws {
        let room = try await Room.open()
        let lines = ScriptSentences.lines
        try await room.tell(lines)
        let session = try await TerminalSession(
            room.launchOfGuest(), columns: columns, rows: 400)
        let last = words(try #require(lines.last))
        let screen = try await session.waitForScreen("the last sentence") { screen in
            words(screen.joined()).contains(last) && screen.saysUpToDate
        }
        expectEachWord(of: lines, on: screen, columns)
    }

    /// A line that grows word by word is drawn again and again.
    @Test(arguments: [23, 60])
    func growingSentences_loseNoWord(columns: Int) async throws {
        let room = try await Room.open()
        let session = try await TerminalSession(
            room.launchOfGuest(), columns: columns, rows: 40)
        try await session.waitForScreen("a guest that waits") { $0.saysUpToDate }
        for line in ScriptSentences.lines {
            for piece in line.split(separator: " ") { try await room.host.write(piece + " ") }
            try await session.waitForScreen("all of \"\(line)\"") {
                words($0.joined()).contains(words(line))
            }
            try await room.host.write("\n")
        }
    }
}
