import BeamscribeIO
import Foundation
import Glibc
import TestSupport
import Testing

/// Commands of the user's, as they are run for each line.
@Suite struct ShellCommandTests {
    private let folder: TemporaryFolder
    private var result: String { folder.path(of: "result") }

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A command whose standard output is the file `result`.
    private func command(_ text: String) -> ShellCommand {
        var command = ShellCommand("exec >\(result); " + text)
        command.isHeard = false
        return command
    }

    /// Runs a command on a thread of its own: those of the tests are few, and this one waits.
    private func run(
        _ command: ShellCommand, input: String = "",
        hurry: @escaping @Sendable () -> Bool = { false }
    ) async -> ShellCommand.Outcome? {
        await BlockingCall.run(within: .seconds(30)) { command.run(input: input, hurry: hurry) }
    }

    /// Whether the command has come so far as to have said `text`: what ends it must not come sooner,
    /// however slow the machine.
    private func hasSaid(_ text: String) -> Bool { written().hasSuffix(text) }

    private func written() -> String {
        (try? String(contentsOfFile: result, encoding: .utf8)) ?? ""
    }

    @Test func command_getsItsInput_andItsEnd() async {
        let line = String(repeating: "字", count: 1_365) + "\n"
        #expect(await run(command("cat"), input: line) == .exited(code: 0))
        #expect(written() == line)
    }

    @Test(arguments: [("true", 0), ("exit 3", 3), ("nonexistent-command", 127)])
    func outcome_isTheExitCode(text: String, code: Int32) async {
        #expect(await run(command(text), input: "x\n") == .exited(code: code))
    }

    @Test func outcome_isTheSignal() async {
        #expect(await run(command("kill -KILL $$")) == .signalled(SIGKILL))
    }

    @Test func largeInput_isNoTrouble_whetherItIsReadOrNot() async {
        let input = String(repeating: "a line\n", count: 100_000)
        #expect(await run(command("true"), input: input) == .exited(code: 0))
        #expect(await run(command("head -n 1"), input: input) == .exited(code: 0))
        #expect(await run(command("wc -c"), input: input) == .exited(code: 0))
        #expect(written().contains("700000"))
    }

    @Test func environment_isThatOfTheProgram_withItsOwnVariables() async {
        var command = command(#"echo "$A-${HOME+home}-${PATH+path}-$LINE""#)
        command.variables = ["A": "it's \"x\"\n$y", "HOME": nil, "LINE": "ü"]
        #expect(await run(command) == .exited(code: 0))
        #expect(written() == "it's \"x\"\n$y--path-ü\n")
    }

    /// Nothing in this process ignores the signal that a write to a closed pipe brings.
    @Test func commandThatHasEnded_endsNobody_whoStillFeedsIt() async {
        let input = String(repeating: "a line\n", count: 100_000)
        for _ in 0..<100 {
            #expect(await run(command("exec <&-; exit 3"), input: input) == .exited(code: 3))
        }
    }

    /// A program may ignore a signal, and block others; a command must know of neither.
    @Test func signals_areAsCommandsExpectThem() async {
        // One that does nothing unless it is handled: no other test is concerned.
        signal(SIGURG, SIG_IGN)
        let reading = command("grep -E 'Sig(Blk|Ign)' /proc/self/status")
        let outcome = await BlockingCall.run(within: .seconds(30)) {
            // The mask of the thread that starts it.
            SignalSource.block([.terminate, .userOne])
            return reading.run(input: "")
        }
        #expect(outcome == .exited(code: 0))
        let masks = written().split(separator: "\n").compactMap { $0.split(separator: "\t").last }
        #expect(masks.count == 2)
        // Signals 32 and 33 are the C library's own; posix_spawn(3) has a child ignore them.
        let own: UInt64 = 0b11 << 31
        #expect(masks.allSatisfy { (UInt64($0, radix: 16) ?? 1) & ~own == 0 }, "\(masks)")
    }

    @Test func descriptors_areTheStandardStreams_andNoOthers() async throws {
        let path = try folder.write("x", to: "open")
        let file = try #require(FileHandle(forReadingAtPath: path))
        _ = fcntl(file.fileDescriptor, F_SETFD, FD_CLOEXEC)
        #expect(await run(command("ls /proc/$$/fd")) == .exited(code: 0))
        let numbers = written().split(separator: "\n").compactMap { Int($0) }
        #expect(Set([0, 1, 2]).isSubset(of: numbers))
        #expect(!numbers.contains(Int(file.fileDescriptor)))
        try file.close()
    }

    @Test func command_isAProcessGroupOfItsOwn() async {
        let group = "cut -d' ' -f5 /proc/$$/stat; echo $$"
        #expect(await run(command(group)) == .exited(code: 0))
        let numbers = written().split(separator: "\n")
        #expect(numbers.count == 2 && numbers.first == numbers.last)
    }

    @Test func commandThatHangs_isEnded_whenPatienceIsOver() async {
        var command = command("exec sleep 1000000")
        command.patience = .milliseconds(50)
        #expect(await run(command) == .timedOut)
    }

    @Test func commandThatHangs_isEnded_withAllThatItHasStarted() async throws {
        let outcome = await run(command("sleep 1000000 & echo $!; wait"), hurry: { hasSaid("\n") })
        #expect(outcome == .timedOut)
        let child = try #require(pid_t(written().trimmingCharacters(in: .whitespacesAndNewlines)))
        try await eventually("its child to be gone") { kill(child, 0) != 0 }
    }

    @Test func commandThatWillNotEnd_isKilled() async {
        var command = command("trap '' TERM; echo deaf; while :; do sleep 0.05; done")
        command.mercy = .milliseconds(200)
        #expect(await run(command, hurry: { hasSaid("deaf\n") }) == .timedOut)
        #expect(written() == "deaf\n")
    }

    @Test func command_isEnded_whenThereIsAHurry() async {
        let outcome = await run(command("echo here; exec sleep 1000000")) { hasSaid("here\n") }
        #expect(outcome == .timedOut)
    }

    /// Looks for the very pipes that the commands read: other tests open theirs beside this one.
    @Test func descriptors_areClosed_howeverManyCommandsRun() async {
        var pipes: Set<String> = []
        for _ in 0..<20 {
            _ = await run(command("readlink /proc/$$/fd/0"), input: "x")
            pipes.insert(written())
        }
        #expect(pipes.count == 20 && pipes.allSatisfy { $0.hasPrefix("pipe:") }, "\(pipes)")
        let open = SmallFile.names(in: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        #expect(pipes.isDisjoint(with: open.map { "\($0)\n" }))
    }
}
