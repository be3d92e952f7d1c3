import TestSupport
import Testing

/// A reader at a real terminal: keys are sent, and the screen is looked at.
@Suite(.serialized, Skip.withoutTmux) struct ReaderScreenTests {
    private struct Stage {
        let room: Room
        let session: TerminalSession
        let rows: Int

        /// The captions, without the columns before them and the rows below.
        func captions(_ screen: [String]) -> [String] {
            screen.prefix(rows - 1).filter { $0.hasPrefix(" ") || $0.hasPrefix(">") }
                .map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
        }

        @discardableResult
        func wait(_ what: String, _ matches: ([String]) -> Bool) async throws -> [String] {
            try await session.waitForScreen(what) { matches($0) }
        }

        @discardableResult
        func waitForRow(_ text: String) async throws -> [String] {
            try await session.waitForScreen(containing: text)
        }
    }

    private func open(
        columns: Int = 80, rows: Int = 24, lines: Int, options: [String] = [],
        in room: Room? = nil
    ) async throws -> Stage {
        let isNew = room == nil
        let room = if let room { room } else { try await Room.open() }
        if isNew { try await room.tell(numbered(1...lines)) }
        let session = try await TerminalSession(
            room.launchOfGuest(options), columns: columns, rows: rows)
        let stage = Stage(room: room, session: session, rows: rows)
        try await stage.waitForRow("line \(lines)")
        try await stage.wait("a screen that is up to date") { $0.saysUpToDate }
        return stage
    }

    @Test(arguments: [(80, 24), (20, 6), (132, 43)])
    func reader_scrollsBack_andIsToldWhatCame(columns: Int, rows: Int) async throws {
        let stage = try await open(columns: columns, rows: rows, lines: 100)
        let live = stage.captions(try await stage.session.screen())
        #expect(live.last == "line 100")
        try await stage.session.send(keys: "PageUp")
        let back = try await stage.wait("an older screen") {
            !stage.captions($0).contains("line 100") && $0.contains { $0.contains("End") }
        }
        let read = stage.captions(back)
        try await stage.room.tell(numbered(101...112))
        let later = try await stage.waitForRow("12 new")
        #expect(stage.captions(later) == read)
        #expect(later.contains { $0.saysUpToDate && !$0.contains("End") })
        try await stage.session.send(keys: "End")
        let now = try await stage.waitForRow("line 112")
        #expect(!now.contains { $0.contains("new") })
    }

    @Test func reader_findsWords_andComesBack() async throws {
        let stage = try await open(lines: 60)
        try await stage.room.tell(["The BUS line to the station"] + numbered(61...120))
        try await stage.waitForRow("line 120")
        try await stage.session.type("/bus")
        try await stage.waitForRow("/bus_")
        try await stage.session.send(keys: "Enter")
        try await stage.wait("the match, with its sign") {
            $0.contains("/ The BUS line to the station")
        }
        try await stage.session.send(keys: "n")
        try await stage.waitForRow("No older match of \"bus\"")
        try await stage.session.send(keys: "Space")
        try await stage.waitForRow("line 120")
    }

    @Test func reader_marksAPlace_andSeesWhatWasMissed() async throws {
        let stage = try await open(lines: 30)
        try await stage.session.send(keys: "m")
        try await stage.wait("the mark") { $0.contains("> line 30") }
        try await stage.room.tell(numbered(31...80))
        try await stage.waitForRow("line 80")
        try await stage.session.send(keys: "'")
        try await stage.wait("the mark at the top") { $0[0] == "> line 30" }
        try await stage.room.tell(numbered(81...120))
        try await stage.waitForRow("40 new lines below")
        try await stage.session.send(keys: "w")
        try await stage.wait("the first line since, below the rule") {
            $0[0].hasPrefix("───") && $0[1] == "  line 81"
        }
    }

    @Test func correction_standsInItsPlace_whileOneReadsIt() async throws {
        let room = try await Room.open()
        try await room.tell((1...5).map { #"{"text":"line \#($0)"}"# })
        let stage = try await open(lines: 5, in: room)
        let before = try await stage.session.screen()
        try await room.tell(#"{"text":"line three","replaces":3}"#)
        let after = try await stage.waitForRow("line three (corrected)")
        let corrected = "  line three (corrected)"
        #expect(before.firstIndex(of: "  line 3") == after.firstIndex(of: corrected))
        #expect(before.firstIndex(of: "  line 4") == after.firstIndex(of: "  line 4"))
    }

    @Test func whatIsRead_stays_whenTheTerminalIsResized() async throws {
        let stage = try await open(lines: 200)
        // One key: of two, the screen between them could be taken for the last.
        try await stage.session.send(keys: "PageUp")
        let top = try await stage.waitForRow("Scrolled back")[0].drop { $0 == " " }
        for (columns, rows) in [(40, 10), (20, 6), (132, 43), (80, 24)] {
            try await stage.session.resize(columns: columns, rows: rows)
            try await stage.wait("\(top) at \(columns)x\(rows)") { screen in
                screen.count == rows && screen[0].drop { $0 == " " } == top
                    && screen[rows - 1].contains("lines")
            }
        }
    }

    @Test func settings_areKept_forTheNextTime() async throws {
        let stage = try await open(lines: 3)
        try await stage.session.send(keys: "t")
        try await stage.waitForRow("Times: of day")
        try await stage.wait("times before lines") {
            $0.contains { $0.wholeMatch(of: /\s+\d\d:\d\d line 1/) != nil }
        }
        try await stage.session.send(keys: "q")
        #expect(try await stage.session.waitForExit() == .success)
        let config = try stage.room.folder.read("config/beamscribe/config.json")
        #expect(config.contains(#""timestamps" : "clock""#), "\(config)")
        let again = try await open(lines: 3, in: stage.room)
        try await again.wait("times before lines") {
            $0.contains { $0.wholeMatch(of: /\s+\d\d:\d\d line 1/) != nil }
        }
        let other = try await open(lines: 3, options: ["--timestamps", "off"], in: stage.room)
        try await other.wait("no times") { $0.contains("  line 1") }
    }

    @Test(arguments: [
        (80, 24, "The event has ended. q leaves, s saves."), (20, 6, "Ended: q leaves"),
    ])
    func reader_stays_whenTheEventHasEnded(
        columns: Int, rows: Int, sentence: String
    ) async throws {
        let stage = try await open(columns: columns, rows: rows, lines: 100)
        stage.room.host.closeInput()
        try await stage.room.host.waitForLine(
            containing: "input has ended", on: .standardError)
        try await stage.room.end()
        try await stage.waitForRow(sentence)
        #expect(try await stage.session.exitStatus() == nil)
        try await stage.session.type("/line 50")
        try await stage.waitForRow("/line 50_")
        try await stage.session.send(keys: "Enter")
        try await stage.wait("the match") {
            $0.contains { $0.hasPrefix("/") && $0.hasSuffix("line 50") }
        }
        try await stage.session.send(keys: "Home")
        try await stage.wait("the beginning, and the sentence") {
            $0[0].hasPrefix("***") && $0[1].hasPrefix("***")
        }
        try await stage.session.send(keys: "q")
        #expect(try await stage.session.waitForExit() == .success)
        // The terminal may show its last words a moment after its end.
        try await stage.wait("what it leaves behind") { screen in
            (screen.contains("line 100") || rows < 24)
                && screen.contains { $0.hasPrefix("*** Town Hall:") }
        }
    }

    @Test func reader_stays_whenTheHostIsLostForGood() async throws {
        let stage = try await open(lines: 3, options: ["--no-reconnect"])
        stage.room.host.kill()
        try await stage.waitForRow("The host is lost. q leaves, s saves.")
        try await stage.session.send(keys: "q")
        #expect(try await stage.session.waitForExit() == .exited(75))
    }

    @Test func lines_areSaved_neverOverSomethingElse() async throws {
        let stage = try await open(lines: 3)
        let folder = try TemporaryFolder()
        var launch = stage.room.launchOfGuest()
        launch.directory = folder.path
        let session = try await TerminalSession(launch)
        try await session.waitForScreen(containing: "line 3")
        try await session.send(keys: "s")
        try await session.waitForScreen(containing: "Saved 3 lines to Town-Hall-")
        try await session.send(keys: "s")
        let screen = try await session.waitForScreen(containing: "-2.txt")
        let name = screen.compactMap { $0.firstMatch(of: /Town-Hall-[-0-9]+\.txt/)?.output }.first
        #expect(try folder.read(String(name ?? "")) == "line 1\nline 2\nline 3\n")
        try await session.send(keys: "q")
        #expect(try await session.waitForExit() == .success)
        try await session.waitForScreen("where it was saved") {
            $0.joined().contains("Saved to Town-Hall-")
        }
    }

    /// A shell has the terminal while the program is suspended, and gives it back.
    @Test func shell_getsItsScreen_whenTheReaderSuspends() async throws {
        let room = try await Room.open()
        try await room.tell(numbered(1...3))
        var shell = room.launchOfGuest()
        shell = Launch("bash", arguments: ["--norc", "--noprofile", "-i"], like: shell)
        let session = try await TerminalSession(shell)
        try await session.type("\(Binary.beamscribe) join --host \(room.address)\n")
        try await session.waitForScreen(containing: "3 lines")
        try await session.send(keys: "C-z")
        try await session.waitForScreen(containing: "Stopped")
        #expect(try await session.value("alternate_on") == "0")
        #expect(try await session.value("cursor_flag") == "1")
        try await room.tell(numbered(4...60))
        try await session.type("echo shell $((40 + 2))\n")
        try await session.waitForScreen(containing: "shell 42")
        try await session.type("fg\n")
        try await session.waitForScreen(containing: "line 60")
        try await session.send(keys: "w")
        try await session.waitForScreen("the first line since") { $0[1] == "  line 4" }
        try await session.send(keys: "q")
        try await session.waitForScreen("the shell again") {
            $0.contains { $0.hasPrefix("*** Town Hall: 60 lines in") }
        }
        #expect(try await session.value("alternate_on") == "0")
    }
}

extension Launch {
    /// Another program with the environment of `other`.
    fileprivate init(_ program: String, arguments: [String], like other: Launch) {
        self.init(program, arguments: arguments)
        environment = other.environment
        withoutVariables = other.withoutVariables
    }
}
