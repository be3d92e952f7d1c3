import BeamscribeIO
import Foundation
import Glibc
import TestSupport
import Testing

/// A command that gives an input, on a terminal of its own.
@Suite struct TerminalCommandTests {
    private let folder: TemporaryFolder
    private let loop: EventLoop
    private let heard = Heard()

    /// What came of it.
    private final class Heard {
        var text = ""
        var outcome: ShellCommand.Outcome?
        var words: [String] = []
    }

    init() throws {
        folder = try TemporaryFolder()
        loop = try EventLoop()
    }

    private func start(
        _ command: String, isAsked: Bool = false, size: Int = 4_096, until text: String? = nil
    ) throws -> TerminalCommand {
        loop.schedule(after: .seconds(30)) { [loop] in loop.stop() }
        return try TerminalCommand(command, isAsked: isAsked, size: size, on: loop) {
            [heard, loop] bytes in
            heard.text += String(decoding: bytes, as: UTF8.self)
            if let text, heard.text.contains(text) { loop.stop() }
            return bytes.count
        } ended: { [heard, loop] outcome, words in
            (heard.outcome, heard.words) = (outcome, words)
            loop.stop()
        }
    }

    private func stop(_ command: TerminalCommand) {
        var isGone = false
        command.stop { isGone = true }
        let deadline = Clock.uptime + .seconds(20)
        while !isGone, Clock.uptime < deadline { loop.runOnce() }
        #expect(isGone)
    }

    /// To a pipe cut(1) would write nothing before its own end.
    @Test func output_comesAtOnceAndAsItIs_whateverIsBuffered() throws {
        let command = try start("(echo one; echo zwei; sleep 60) | cut -c1-", until: "zwei\n")
        loop.run()
        #expect(heard.text == "one\nzwei\n" && heard.outcome == nil)
        withExtendedLifetime(command) {}
    }

    /// More than a pipe has room for, too; and no line waits for the next.
    @Test func questions_areAnswered_oneByOne() throws {
        let long = String(repeating: "long ", count: 60_000)
        let command = try start(
            "while read -r line; do echo ${#line}; done", isAsked: true,
            until: "\n\(long.count - 1)\n")
        command.ask(Array("one\n".utf8))
        while heard.text.isEmpty { loop.runOnce() }
        #expect(heard.text == "3\n")
        command.ask(Array((long + "\n").utf8))
        loop.run()
        #expect(heard.text == "3\n\(long.count - 1)\n" && heard.outcome == nil)
        stop(command)
    }

    @Test func questions_areNoHarm_whereNobodyReadsThem() throws {
        let command = try start(
            "exec <&-; echo closed; exec sleep 60", isAsked: true, until: "closed")
        loop.run()
        for _ in 0..<3 { command.ask(Array("one\n".utf8)) }
        stop(command)
    }

    /// Longer than a pipe has room for.
    @Test func samples_thatAreNotRead_areLeftOut_theOldestFirst() throws {
        let go = folder.path(of: "go")
        try #require(mkfifo(go, 0o600) == 0)
        let command = try start(
            "read -r _ <'\(go)'; od -An -v -tu2 -w2 | tail -n 1; echo end",
            isAsked: true, until: "end")
        var hasLost: [Bool] = []
        for number in UInt16(0)..<400 {
            let sample = [UInt8(truncatingIfNeeded: number), UInt8(number >> 8)]
            let samples = Array(repeatElement(sample, count: 1_000).joined())
            hasLost.append(command.feed(samples: samples, keeping: 20_000))
        }
        #expect(!hasLost[0] && hasLost[399])
        command.endInput()
        let word = try #require(FileHandle(forWritingAtPath: go))
        try word.write(contentsOf: Data("\n".utf8))
        try word.close()
        loop.run()
        #expect(heard.text.split { $0.isWhitespace } == ["399", "end"])
        stop(command)
    }

    @Test func command_hasItsLastWords_onceItIsGivenNothingMore() throws {
        let command = try start("wc -c; exit 4", isAsked: true)
        #expect(!command.feed(samples: [1, 2, 3, 4], keeping: 100))
        command.endInput()
        loop.run()
        #expect(heard.text == "4\n" && heard.outcome == .exited(code: 4))
        withExtendedLifetime(command) {}
    }

    @Test func errors_areKeptApart_andTheLastOnesToldAtTheEnd() throws {
        let command = try start(
            "for i in $(seq 3000); do echo error $i >&2; done; printf 'a\\r\\033[31mb\\n' >&2; "
                + "echo line; exit 3")
        loop.run()
        #expect(heard.text == "line\n" && heard.outcome == .exited(code: 3))
        #expect(heard.words.count == 10 && heard.words.first == "error 2993")
        #expect(heard.words.last?.contains("\u{1B}") == false)
        withExtendedLifetime(command) {}
    }

    @Test(arguments: [
        ("kill -KILL $$", ShellCommand.Outcome.signalled(9)),
        ("nowhere-to-be-found", .exited(code: 127)),
    ])
    func end_isTold(_ text: String, _ outcome: ShellCommand.Outcome) throws {
        let command = try start(text)
        loop.run()
        #expect(heard.outcome == outcome)
        withExtendedLifetime(command) {}
    }

    /// What it has written is there, whenever it is read: a terminal has room for some thousand bytes.
    @Test func everythingWritten_isRead_beforeTheEndIsTold() throws {
        let command = try start("seq 600; echo gone >'\(folder.path(of: "gone"))'", size: 7)
        command.isPaused = true
        let gone = folder.path(of: "gone")
        let deadline = Clock.uptime + .seconds(60)
        while !FileManager.default.fileExists(atPath: gone), Clock.uptime < deadline {
            usleep(1_000)
        }
        try #require(FileManager.default.fileExists(atPath: gone))
        loop.schedule(after: .milliseconds(50)) { [heard] in
            #expect(heard.text.isEmpty && heard.outcome == nil)
            command.isPaused = false
        }
        loop.run()
        #expect(heard.text == (1...600).map { "\($0)\n" }.joined())
        #expect(heard.outcome == .exited(code: 0))
    }

    /// Its session, its group and its terminal are its own, and it reads nothing.
    @Test func command_isASessionOfItsOwn() throws {
        let command = try start(
            "echo $$ $(cut -d' ' -f5,6 /proc/$$/stat); stty size <&1; wc -c; readlink /proc/$$/fd/1"
        )
        loop.run()
        let lines = heard.text.split(separator: "\n").map(String.init)
        let numbers = try #require(lines.first).split(separator: " ")
        #expect(numbers.count == 3 && Set(numbers).count == 1)
        #expect(numbers.first != "\(getpgrp())")
        #expect(lines.dropFirst().prefix(2) == ["50 1000", "0"])
        #expect(lines.last?.hasPrefix("/dev/pts/") == true)
        withExtendedLifetime(command) {}
    }

    @Test func stop_endsAllThatWasStarted_alsoWhatDoesNotWantTo() throws {
        let command = try start(
            "trap '' TERM HUP; (sleep 100 & echo $! $$; wait) | cat; sleep 100", until: "\n")
        loop.run()
        let processes = heard.text.split { $0.isWhitespace }.compactMap { Int32($0) }
        #expect(processes.count == 2 && processes.allSatisfy { kill($0, 0) == 0 })
        stop(command)
        #expect(heard.outcome == nil)
        for process in processes {
            let deadline = Clock.uptime + .seconds(10)
            while isAlive(process), Clock.uptime < deadline { usleep(1_000) }
            #expect(!isAlive(process))
        }
    }

    /// A zombie is not: here somebody else may have to reap it.
    private func isAlive(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }
}
