import BeamscribeIO
import Foundation
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
