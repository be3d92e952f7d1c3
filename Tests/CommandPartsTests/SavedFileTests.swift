import BeamscribeIO
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import BeamscribeCommand
@testable import BeamscribeCore

/// The file of `--save`: which one it is, and what is written to it.
@Suite struct SavedFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private var path: String { folder.path(of: "a.txt") }

    private func lines(_ numbers: ClosedRange<Int>) -> [GuestEvent] {
        numbers.map {
            .line(
                TranscriptLine(
                    seq: $0, line: "l", text: "line \($0)", sentTimestamp: 0, receivedTimestamp: 0,
                    latency: 0))
        }
    }

    // MARK: Several logs

    private let room = LogTitle.test(2, "Room 2")
    private let other = LogTitle.test(3, "Español")

    private func line(
        _ text: String, _ seq: Int, at place: Int, age: Double = 0, sent: Double = 0,
        replaces: Int? = nil
    ) -> TranscriptLine {
        var line = TranscriptLine(
            seq: seq, line: "l", text: text, replaces: replaces, sentTimestamp: sent,
            receivedTimestamp: 0, latency: age)
        line.at = place
        return line
    }

    private func inRoom(
        _ text: String, _ seq: Int, at place: Int, age: Double = 0, sent: Double = 0,
        replaces: Int? = nil
    ) -> GuestEvent {
        .inLog(
            room, .line(line(text, seq, at: place, age: age, sent: sent, replaces: replaces)))
    }

    @Test func file_hasEachLineOfEachLogOnce_whenItIsGoneOnIn() throws {
        do { try open().write(lines(1...2) + [inRoom("uno", 1, at: 3)]) }
        // The other log comes from its beginning again.
        let again = try open()
        let news: [GuestEvent] = [
            inRoom("uno", 1, at: 3), inRoom("dos", 2, at: 4),
            inRoom("DOS", 3, at: 5, replaces: 2),
        ]
        #expect(again.missing(of: news) == 2)
        try again.write(news + lines(3...3))
        #expect(
            try read() == [
                "line 1", "line 2", "[Room 2] uno", "[Room 2] dos",
                "[Room 2] (correction to line 2) DOS", "line 3",
            ])
        #expect(again.resume?.after == 3)
    }

    /// Its writer has lost a line, and said another under its number.
    @Test func lineInTheNumberOfALostOne_isWritten() throws {
        let file = try open()
        try file.write([inRoom("uno", 1, at: 1), inRoom("dos", 2, at: 2)])
        try file.write([.inLog(room, .withdrawn(from: 2, through: 2)), inRoom("two", 2, at: 3)])
        #expect(try read() == ["[Room 2] uno", "[Room 2] dos", "[Room 2] two"])
    }

    @Test func correction_isMarked_alsoAfterTheFileWasLeft() throws {
        do { try open().write([inRoom("uno", 1, at: 1)]) }
        try open().write([inRoom("one", 2, at: 2, replaces: 1)])
        #expect(try read() == ["[Room 2] uno", "[Room 2] (correction to line 1) one"])
    }

    @Test func positionOfOneLog_isAsItAlwaysWas() throws {
        do { try open().write(lines(1...2)) }
        let json = try folder.read("a.txt.beamscribe")
        #expect(!json.contains("others") && !json.contains("origin"), "\(json)")
    }

    @Test func order_isTheEvents_withinWhatIsThere() {
        let main = [1, 2, 5, 6].enumerated().map {
            GuestEvent.line(line("m\($1)", $0 + 1, at: $1))
        }
        let events = main + [inRoom("r3", 1, at: 3), inRoom("r4", 2, at: 4)]
        let texts = ArrivalOrder.ordered(events, main: "one").map { $0.finalLine?.text }
        #expect(texts == ["m1", "m2", "r3", "r4", "m5", "m6"])
        // A line that is said to belong before others of its own log stays behind them.
        let odd = [inRoom("r9", 1, at: 9), inRoom("r1", 2, at: 1)] + main.prefix(1)
        #expect(
            ArrivalOrder.ordered(odd, main: "one").map { $0.finalLine?.text }
                == ["m1", "r9", "r1"])
        let gap = GuestEvent.gap(from: 1, through: 2)
        #expect(
            ArrivalOrder.ordered([main[3], gap, main[0]], main: "one") == [main[3], gap, main[0]])
    }

    @Test func order_isWaitedFor_notForEver() {
        var order = ArrivalOrder()
        order.note(.line(line("old", 1, at: 1, age: 60)), now: .zero)
        #expect(order.end == nil, "one log needs no order")
        order.note(.log(room, .live), now: .zero)
        order.note(.line(line("new", 2, at: 2)), now: .zero)
        #expect(order.end == nil)
        for second in 0...60 {
            order.note(
                inRoom("old", second + 1, at: second + 3, age: 60), now: .seconds(second))
        }
        #expect(order.end == Limits.longestOrdering)
        order.release()
        #expect(order.end == nil)
    }

    @Test(arguments: ["txt", "srt", "vtt"])
    func transcript_isInTheEventsOrder_whereOneComesLate(ending: String) async throws {
        let path = folder.path(of: "a.\(ending)")
        let transcript = try SavedTranscript(path) { _ in }
        await transcript.write([joined("one"), .log(room, .live)])
        await transcript.write(
            (1...3).map {
                .line(line("m\($0)", $0, at: 2 * $0, age: 60, sent: 100 + 10 * Double($0)))
            })
        await transcript.write(
            (1...3).map {
                inRoom("r\($0)", $0, at: 2 * $0 + 1, age: 60, sent: 105 + 10 * Double($0))
            })
        await transcript.finish(.ended)
        #expect(await transcript.close() == nil)
        let text = try folder.read("a.\(ending)")
        let said = text.matches(of: /[mr]\d/).map { String($0.output) }
        #expect(said == ["m1", "r1", "m2", "r2", "m3", "r3"])
        guard ending != "txt" else { return }
        let begins = text.matches(of: /(\d\d)[,.]000 -->/).map { String($0.output.1) }
        #expect(begins == ["00", "05", "10", "15", "20", "25"])
        #expect(text.contains(ending == "srt" ? "Room 2: r1" : "<v Room 2>r1"))
    }

    @Test func transcriptOfTwoRooms_isWritten_withoutTheMainLog() async throws {
        let transcript = try SavedTranscript(path) { _ in }
        await transcript.write([joined("one"), inRoom("uno", 1, at: 2)])
        await transcript.write([.inLog(other, .line(line("dos", 1, at: 3)))])
        #expect(try read() == ["[Room 2] uno", "[Español] dos"])
    }

    private func joined(_ session: String, runs: [Int] = [0]) -> GuestEvent {
        .joined(
            JoinedEvent(
                eventName: "Town Hall", deviceName: "stage", session: session,
                runs: SessionRuns(after: runs) ?? SessionRuns(), history: 0))
    }

    private func read(_ name: String = "a.txt") throws -> [String] {
        try folder.read(name).split(separator: "\n").map { String($0) }
    }

    private func open(_ session: String = "one") throws -> SavedFile {
        try SavedFile.open(path, session: session)
    }

    @Test(arguments: [
        ("a.srt", "a-2.srt"), ("a", "a-2"), ("/x.d/a", "/x.d/a-2"),
        ("x.d/a.b.vtt", "x.d/a.b-2.vtt"),
        (".hidden", ".hidden-2"), ("/x/.hidden", "/x/.hidden-2"), ("/x/.h.txt", "/x/.h-2.txt"),
    ])
    func name_isNumbered_beforeItsEnding(path: String, second: String) {
        #expect(SavedFile.name(path, 1) == path)
        #expect(SavedFile.name(path, 2) == second)
    }

    @Test func file_isGoneOnIn_byItsOwnSessionOnly() throws {
        do { try open().write(lines(1...2)) }
        do {
            let other = try open("two")
            #expect(other.path == folder.path(of: "a-2.txt"))
            try other.write(lines(1...1))
        }
        let again = try open()
        #expect(again.path == path)
        try again.write(lines(1...3))
        #expect(try read() == ["line 1", "line 2", "line 3"])
        #expect(try read("a-2.txt") == ["line 1"])
        #expect(try open("two").path == folder.path(of: "a-2.txt"))
        #expect(SavedFile.newestPosition(of: path)?.session == "two")
    }

    @Test func file_isAnotherOne_whereTheFirstIsFinished_inUse_orShorterThanItWas() throws {
        let first = try open()
        try first.write(lines(1...2))
        #expect(try open().path == folder.path(of: "a-2.txt"), "in use")
        first.finish()
        #expect(try open().path == folder.path(of: "a-2.txt"), "finished")
        let third = folder.path(of: "b.txt")
        do { try SavedFile.open(third, session: "one").write(lines(1...2)) }
        _ = try folder.write("line 1\n", to: "b.txt")
        #expect(
            try SavedFile.open(third, session: "one").path == folder.path(of: "b-2.txt"),
            "shorter than it was")
        #expect(try read("b.txt") == ["line 1"])
    }

    @Test func emptyFile_isAsGoodAsNone() throws {
        _ = try folder.write("", to: "a.txt")
        let file = try open()
        #expect(file.path == path)
        try file.write(lines(1...1))
        #expect(try read() == ["line 1"])
    }

    @Test func linesOfAnotherRun_areWrittenAgain() throws {
        do { try open().write([joined("one")] + lines(1...5)) }
        let file = try open()
        let news = [joined("one", runs: [0, 3])] + lines(4...5)
        #expect(file.missing(of: news) == 2)
        try file.write(news)
        #expect(file.missing(of: news) == 0)
        #expect(try read().count == 7)
        #expect(file.resume == Handshake.Resume(session: "one", after: 5, run: 2))
    }

    /// A guest that was away learns from the host's runs what that has lost.
    @Test func linesThatTheHostLost_areWithdrawn_alsoByAGuestThatWasAway() async throws {
        let path = folder.path(of: "a.jsonl")
        do { try SavedFile.open(path, session: "one").write([joined("one")] + lines(1...5)) }
        let told = Mutex<[String]>([])
        let transcript = try SavedTranscript(path) { sentence in
            told.withLock { $0.append(sentence) }
        }
        await transcript.write([joined("one", runs: [0, 3])] + lines(1...4))
        let written = try read("a.jsonl")
        #expect(written.count == 7)
        #expect(written[5] == #"{"from":4,"through":5,"type":"withdrawn"}"#)
        #expect(written[6].contains("line 4"))
        #expect(
            told.withLock { $0 } == [
                "the host has lost lines 4 to 5, which are in \(path), when it went down; what follows "
                    + "has their numbers."
            ])
    }

    /// A guest that goes on behind the file's last line reports that itself, before the event.
    @Test func withdrawal_isWrittenOnce_whereTheGuestReportsIt() async throws {
        let path = folder.path(of: "a.jsonl")
        do { try SavedFile.open(path, session: "one").write([joined("one")] + lines(1...5)) }
        let told = Mutex<[String]>([])
        let transcript = try SavedTranscript(path) { sentence in
            told.withLock { $0.append(sentence) }
        }
        let withdrawal = GuestEvent.withdrawn(from: 4, through: 5)
        await transcript.write([withdrawal, joined("one", runs: [0, 3])] + lines(4...4))
        let written = try read("a.jsonl")
        #expect(written.count == 7)
        #expect(written[5] == #"{"from":4,"through":5,"type":"withdrawn"}"#)
        #expect(told.withLock { $0 }.isEmpty, "the guest's reader knows it")
    }

    /// Another log comes from its beginning: what was sent at another time is another line.
    @Test func linesThatAnotherWriterLost_areWithdrawn_alsoByAGuestThatWasAway() throws {
        let path = folder.path(of: "a.jsonl")
        let news = { (seq: Int, sent: Double) in
            self.inRoom("\(sent)", seq, at: seq, sent: sent)
        }
        do {
            try SavedFile.open(path, session: "one").write(
                (1...60).map { news($0, Double($0)) })
        }
        let file = try SavedFile.open(path, session: "one")
        let again = (1...57).map { news($0, Double($0)) } + [news(58, 100)]
        #expect(file.missing(of: again) == 1)
        let withdrawals = try file.write(again + [news(59, 101)])
        #expect(withdrawals == [.inLog(room, .withdrawn(from: 58, through: 60))])
        let written = try read("a.jsonl").suffix(3)
        #expect(written.first?.contains(#""from":58"#) == true)
        #expect(written.first?.contains(#""type":"withdrawn""#) == true)
        #expect(written.dropFirst().map { $0.contains(#""text":"10"#) } == [true, true])
        #expect(try file.write(again + [news(59, 101)]) == [])
        #expect(try read("a.jsonl").count == 63)
    }

    @Test func wordsOnLostLines_sayWhatIsKnown() {
        #expect(
            LogWords.gapAtHost(3, 3)
                == "line 3 is no longer at the host. Its disk may still have it: try "
                + "`beamscribe export` there.")
        #expect(
            LogWords.gapAtHost(1, 6)
                == "lines 1 to 6 are no longer at the host. Its disk may still have them: try "
                + "`beamscribe export` there.")
        #expect(
            LogWords.gap(3, 3, in: room)
                == "Line 3 of \"Room 2\" is missing: the machine that serves you does not have it.")
        #expect(
            LogWords.gap(3, 5, in: nil)
                == "Lines 3 to 5 are missing: the machine that serves you does not have them.")
        #expect(
            LogWords.withdrawal(.inLog(room, .withdrawn(from: 3, through: 3)), from: "a.srt")
                == "line 3 of \"Room 2\", which is in a.srt, counts no more: its captioner lost it when "
                + "it went down, or was put out of the event before.")
    }

    @Test func transcript_makesNoFile_beforeALineComes() async throws {
        let transcript = try SavedTranscript(path) { _ in }
        await transcript.write([joined("one"), .alert(kind: "paused", message: "Paused.")])
        #expect(!OutputFile.exists(path) && SavedPosition(of: path) == nil)
        await transcript.write(lines(1...1))
        #expect(try read() == ["line 1"])
        await transcript.write([.alert(kind: "ended", message: "Over.")])
        await transcript.finish(.ended)
        #expect(SavedPosition(of: path) == nil)
        #expect(await transcript.close() == nil)
    }

    @Test func transcript_ofTwoEvents_isTwoFiles() async throws {
        let transcript = try SavedTranscript(path) { _ in }
        await transcript.write([joined("one")] + lines(1...5))
        await transcript.write([joined("two")] + lines(1...2))
        #expect(try read().count == 5)
        #expect(try read("a-2.txt") == ["line 1", "line 2"])
    }

    @Test func transcript_saysHowManyLinesAFileLacks_thatCannotBeMade() async throws {
        let parent = try folder.makeFolder("gone")
        let transcript = try SavedTranscript(parent + "/a.txt") { _ in }
        try FileManager.default.removeItem(atPath: parent)
        await transcript.write([joined("one")] + lines(1...1))
        await transcript.write(lines(2...2))
        let failure = try #require(await transcript.close())
        #expect(failure.code == .inputOutput)
        #expect(failure.message.contains("a.txt lacks the last 2 lines: "))
    }
}
