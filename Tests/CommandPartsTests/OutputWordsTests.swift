import BeamscribeCore
import Testing

@testable import BeamscribeCommand

@Suite struct OutputWordsTests {
    @Test func announcement_isALineOfItsOwn_withNothingThatActsOnATerminal() {
        #expect(Announcer.line("Paused.", isWarning: false) == "*** Paused.")
        #expect(Announcer.line("host lost", isWarning: true) == "*** warning: host lost")
        let line = Announcer.line("a\u{1B}[2Jb\nc", isWarning: false)
        #expect(!line.contains { $0 == "\u{1B}" || $0.isNewline })
    }

    @Test func completion_offersTheEvents_thatCanBeJoined() {
        let json = """
            {"event":"Town Hall","joinable":true}
            {"event":"Gone","joinable":false}
            {"name":"printer"}
            not JSON
            {"event":"Zürich \\"quoted\\"","joinable":true}
            """
        #expect(Completions.names(in: json) == ["Town Hall", "Zürich \"quoted\""])
    }
}
