import Glibc
import TestSupport
import Testing

/// Captions that are typed at the host's own terminal, as a real guest gets them.
@Suite struct TypedCaptionsTests {
    /// A host on a terminal, and a guest that tells everything.
    private struct Stage {
        let folder: TemporaryFolder
        let host: PseudoTerminal
        let guest: RunningProgram

        func waitForRecord(_ parts: String...) async throws {
            try await guest.waitForLine("a record with \(parts)") { line in
                parts.allSatisfy(line.contains)
            }
        }

        var texts: [String] {
            guest.standardOutputLines.filter { $0.contains(#""type":"line""#) }.compactMap {
                $0.firstMatch(of: /"text":"([^"]*)"/).map { String($0.output.1) }
            }
        }
    }

    private func open(_ options: String..., columns: Int = 80, rows: Int = 24) async throws -> Stage
    {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "Chat"] + Room.quiet(port: 0) + options
        let host = try PseudoTerminal(
            .beamscribe(words, state: folder), columns: columns, rows: rows)
        let text = try await host.waitForText("the keys") {
            $0.contains("Ctrl-L")
        }
        let command = text.split(separator: "\r\n").first { $0.contains("join --host") }
        let port = try Room.port(in: String(command ?? ""))
        let guest = try RunningProgram(
            .beamscribe(
                ["join", "--host", "127.0.0.1:\(port)", "--format", "jsonl"], state: folder))
        try await guest.waitForLine(containing: #""type":"joined""#)
        return Stage(folder: folder, host: host, guest: guest)
    }

    @Test func line_isInTheLanguageThatIsSpoken() async throws {
        let stage = try await open("--lang", "pt-BR")
        try await stage.host.type("Ola")
        try await stage.waitForRecord(#""lang":"pt-BR""#, #""type":"partial""#)
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""lang":"pt-BR""#, #""type":"line""#)
    }

    @Test func guest_seesALineGrow_andItsFinal() async throws {
        let stage = try await open("--until-eof")
        try await stage.host.type("Helo")
        try await stage.waitForRecord(#""text":"Helo""#, #""type":"partial""#)
        try await stage.host.type("\u{7F}")
        try await stage.waitForRecord(#""text":"Hel""#, #""type":"partial""#)
        try await stage.host.type("lo")
        try await stage.waitForRecord(#""text":"Hello""#, #""type":"partial""#)
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""text":"Hello""#, #""seq":1"#)
        #expect(!stage.host.isEchoing)
        try await stage.host.type("\u{4}")
        #expect(try await stage.host.waitForExit() == .success)
        try await stage.guest.expectExit(0)
        #expect(stage.host.isInOrdinaryMode)
    }

    @Test func lastLine_isCorrected_withUp() async throws {
        let stage = try await open()
        try await stage.host.type("Good mourning\rand hello\r\u{1B}[A\u{1B}[A")
        try await stage.host.type("\u{17}morning\r")
        try await stage.waitForRecord(#""replaces":1"#, #""text":"Good morning""#)
        #expect(stage.texts == ["Good mourning", "and hello", "Good morning"])
        stage.host.stop()
    }

    /// As Plover types: a word, and when the writer takes it back or goes on, backspaces over it and
    /// over the Enter before it.
    @Test func stenographersBurst_isRepaired_acrossLinesToo() async throws {
        let stage = try await open()
        try await stage.host.type("the\u{8}\u{8}\u{8}they are hear\u{8}\u{8}re")
        try await stage.waitForRecord(#""text":"they are here""#, #""type":"partial""#)
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""text":"they are here""#, #""seq":1"#)
        try await stage.host.type("\u{8}\u{8}\u{8}\u{8}\u{8}there\r")
        try await stage.waitForRecord(#""text":"they are there""#, #""replaces":1"#)
        stage.host.stop()
    }

    @Test func burst_isWhole_howeverLongItIs() async throws {
        let stage = try await open("--until-eof")
        let lines = (1...400).map { "line \($0) of what was pasted in one piece" }
        try await stage.host.type(lines.map { $0 + "\r" }.joined() + "\u{4}")
        try await stage.guest.expectExit(0)
        #expect(stage.texts == lines)
    }

    @Test func speaker_isChosenWithTab_orTyped() async throws {
        let stage = try await open("--speaker", "Ann", "--speaker", "Bob")
        try await stage.host.type("\t\tYes\r")
        try await stage.waitForRecord(#""speaker":"Bob""#, #""text":"Yes""#, #""seq":1"#)
        try await stage.host.type("Zoe: No\r\t\t\tWell\r")
        try await stage.waitForRecord(#""speaker":"Zoe""#, #""text":"No""#, #""seq":2"#)
        try await stage.waitForRecord(#""speaker":"Ann""#, #""text":"Well""#, #""seq":3"#)
        stage.host.stop()
    }

    /// Whoever goes on typing has typed it, and what is half typed at the end goes out first.
    @Test func event_isEnded_byAWord_andNoWordIsLost() async throws {
        let stage = try await open()
        try await stage.host.type("bye\r\u{18}")
        try await stage.host.waitForText("the question") { $0.contains("End the event") }
        try await stage.host.type("enough")
        try await stage.waitForRecord(#""type":"partial""#, #""text":"enough""#)
        try await stage.host.type("\u{18}\u{18}")
        try await stage.host.type(" of it\u{10}")
        try await stage.host.waitForText("a pause") { $0.contains("PAUSED") }
        try await stage.host.type("\rand th\u{18}")
        try await stage.host.waitForText("what waits") { $0.contains("2 typed lines go out first") }
        try await stage.host.type("end\r")
        #expect(try await stage.host.waitForExit() == .success)
        try await stage.waitForRecord(#""kind":"ended""#)
        #expect(stage.texts == ["bye", "enough of it", "and th"])
        #expect(stage.host.isInOrdinaryMode)
    }

    @Test func halfTypedLine_isSent_whenTheHostIsStopped() async throws {
        let stage = try await open()
        try await stage.host.type("half a li")
        try await stage.waitForRecord(#""text":"half a li""#)
        try await stage.host.type("\u{3}")
        #expect(try await stage.host.waitForExit() == .success)
        try await stage.waitForRecord(#""kind":"host_disconnected""#)
        #expect(stage.texts == ["half a li"])
    }

    @Test func paste_isNeverKeys_andGoesOutWithEnter() async throws {
        let stage = try await open("--speaker", "Ann")
        try await stage.host.type("\u{1B}[200~\tNotes:\tone\rtwo\u{1B}[201~")
        try await stage.host.waitForText("what was pasted") { $0.contains("2 pasted lines") }
        #expect(stage.texts == [])
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""text":" Notes: one""#, #""seq":1"#)
        try await stage.host.type("\r")
        try await stage.waitForRecord(#""text":"two""#, #""seq":2"#)
        #expect(!stage.guest.standardOutputText.contains("speaker"))
        // The terminal is told how to say what is pasted, and that it need not any more.
        stage.host.signal(SIGTERM)
        try await stage.host.waitForExit()
        let text = stage.host.text
        let begun = text.ranges(of: "\u{1B}[?2004h").last?.lowerBound
        let ended = text.ranges(of: "\u{1B}[?2004l").last?.lowerBound
        #expect(try #require(begun) < #require(ended))
    }

    @Test func sentLine_isTakenBack_byBackspacesAndEnter() async throws {
        let stage = try await open()
        try await stage.host.type("Ann: keep\rAnn: not\r")
        try await stage.waitForRecord(#""text":"not""#, #""seq":2"#)
        // One for the Enter, three for the word, one for the Enter before it.
        try await stage.host.type("\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}!\r")
        try await stage.waitForRecord(#""text":"""#, #""replaces":2"#)
        try await stage.waitForRecord(#""text":"keep!""#, #""replaces":1"#, #""speaker":"Ann""#)
        stage.host.stop()
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func terminal_isAsItWas_whenTheHostIsEnded(_ signal: Int32) async throws {
        let stage = try await open()
        try await stage.host.type("half a li")
        try await stage.waitForRecord(#""text":"half a li""#)
        stage.host.signal(signal)
        #expect(try await stage.host.waitForExit() == .success)
        #expect(stage.host.isInOrdinaryMode)
        let text = stage.host.text
        let hidden = text.ranges(of: "\u{1B}[?25l").last?.lowerBound ?? text.startIndex
        let shown = text.ranges(of: "\u{1B}[?25h").last?.lowerBound ?? text.startIndex
        #expect(hidden < shown)
    }

    @Test func lines_areReadAsBefore_withoutAConsole() async throws {
        let folder = try TemporaryFolder()
        let words =
            ["host", "--event", "Chat", "--until-eof", "--no-console"] + Room.quiet(port: 0)
        let host = try PseudoTerminal(.beamscribe(words, state: folder))
        try await host.waitForText("the hint") { $0.contains("Ctrl-D") }
        #expect(host.isInOrdinaryMode && !host.text.contains("\u{1B}"))
        try await host.type("one\r\u{4}")
        #expect(try await host.waitForExit() == .success)
        #expect(host.text.contains("ended after 1 line"))
    }
}
