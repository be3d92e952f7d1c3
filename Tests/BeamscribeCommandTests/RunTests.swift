import Foundation
import Glibc
import TestSupport
import Testing

/// `host --run`: a recogniser that beamscribe starts itself.
@Suite struct RunTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    /// A recogniser that says `before` in each of its runs, with its number for `#`, and then does the
    /// rest.
    private func script(_ before: String, then rest: String) throws -> String {
        let runs = folder.path(of: "runs")
        let text = """
            echo x >>'\(runs)'
            n=$(wc -l <'\(runs)')
            printf '\(before)' | sed "s/#/$n/g"
            \(rest)
            """
        return "sh '\(try folder.write(text, to: "recogniser"))'"
    }

    /// A zombie is not: not everybody's first process reaps at once.
    private func isAlive(_ process: Int32) -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
    }

    @Test func guests_haveEveryLine_throughTheRecognisersDeaths() async throws {
        let command = try script(
            "line # of a run\\nhalf a line #", then: "echo 'no microphone' $n >&2; exit 3")
        let room = try await Room.open("--run", command)
        let guest = try await room.joined()
        let states = try await room.joined("--format", "jsonl")
        let expected = (1...3).flatMap { ["line \($0) of a run", "half a line \($0)"] }
        #expect(try await Array(guest.waitForLines(6).prefix(6)) == expected)
        try await states.waitForLine(containing: "The recogniser has ended")
        let said = room.host.standardErrorText
        #expect(said.contains("has ended with status 3; it is started again in 1 s"))
        #expect(said.contains("no microphone 1") && said.contains("again in 2 s"))
        room.host.signal(SIGINT)
        try await room.host.expectExit(0)
    }

    /// Killed in the midst of a stream of lines: no number that was written is missing.
    @Test func nothingWritten_isLost_whenTheRecogniserIsKilled() async throws {
        let written = folder.path(of: "written")
        let command = try script(
            "",
            then: "i=0; while :; do i=$((i+1)); echo run $n $i; echo run $n $i >>'\(written)'; "
                + "[ $((i % 40)) = 0 ] && kill -KILL $$; done")
        let room = try await Room.open("--run", command)
        let guest = try await room.joined()
        let lines = try await guest.waitForLines(120)
        let all = try String(contentsOfFile: written, encoding: .utf8).split(separator: "\n")
        #expect(lines.prefix(120) == all.prefix(120).map(String.init)[...])
        #expect(lines.prefix(120).last == "run 3 40")
    }

    @Test func ctrlC_endsTheHostAndItsRecogniser_ofWhichItDoesNotHear() async throws {
        let command = try script(
            "ready\\n", then: "trap 'echo interrupted' INT; echo $$; sleep 1000")
        let room = try await Room.open("--run", command)
        let guest = try await room.joined()
        let process = try #require(Int32(try await guest.waitForLines(2)[1]))
        #expect(getpgid(process) != getpgid(room.host.pid))
        room.host.signal(SIGINT)
        try await room.host.expectExit(0)
        #expect(!isAlive(process) && guest.standardOutputLines.count == 2)
        #expect(!room.host.standardErrorText.contains("recogniser"))
    }

    /// The host stays until it is gone, and kills what does not want to go.
    @Test func stubbornRecogniser_isGone_whenTheHostIs() async throws {
        let command = try script(
            "", then: "trap '' TERM HUP; echo $$; while :; do sleep 1; done")
        let room = try await Room.open("--run", command)
        let guest = try await room.joined()
        let process = try #require(Int32(try await guest.waitForLines(1)[0]))
        room.host.signal(SIGTERM)
        try await room.host.expectExit(0)
        #expect(!isAlive(process))
    }

    @Test func recogniser_dies_whenTheHostIsKilled() async throws {
        let command = try script("", then: "echo $$; sleep 1000 | cat")
        let room = try await Room.open("--run", command)
        let guest = try await room.joined()
        let process = try #require(Int32(try await guest.waitForLines(1)[0]))
        #expect(isAlive(process))
        room.host.signal(SIGKILL)
        try await eventually("the recogniser has gone") { !isAlive(process) }
    }

    @Test func event_endsWithACommandThatEndsWell() async throws {
        let room = try await Room.open("--until-eof", "--run", "printf 'one\\ntwo'")
        try await room.host.expectExit(0)
        #expect(room.host.standardErrorText.contains("ended after 2 lines"))
    }

    /// A recogniser and its model are where whisper.cpp's would be.
    @Test func run_findsARecogniser_andSaysWhich() async throws {
        try folder.makeFolder("bin")
        try folder.makeFolder(".cache/whisper.cpp")
        let program = try folder.write(
            "#!/bin/sh\necho '[Start speaking]'; printf '\\033[2K\\r Good morning.\\n'; sleep 1000",
            to: "bin/whisper-stream")
        #expect(chmod(program, 0o755) == 0)
        try folder.write("", to: ".cache/whisper.cpp/ggml-base.en.bin")
        var launch = Launch.beamscribe(
            ["host", "--event", "X", "--tee", "--run"] + Room.quiet(port: 0), state: folder)
        launch.environment["HOME"] = folder.path
        launch.environment["PATH"] = "\(folder.path(of: "bin")):/usr/bin:/bin"
        let host = try RunningProgram(launch)
        #expect(try await host.waitForLines(1) == ["Good morning."])
        // What it says first may be told after what it does first.
        try await host.waitForLine(containing: "It is started as:", on: .standardError)
        let said = host.standardErrorText
        #expect(
            said.contains("Recogniser: whisper.cpp (whisper-stream), its model ggml-base.en.bin"))
        #expect(said.contains("It is started as: whisper-stream -m \(folder.path)"))
        host.signal(SIGINT)
        try await host.expectExit(0)
    }

    @Test func run_saysHowToGetARecogniser_whereThereIsNone() async throws {
        var launch = Launch.beamscribe(["host", "--event", "X", "--run"], state: folder)
        launch.environment["PATH"] = folder.path
        let host = try RunningProgram(launch)
        try await host.expectExit(65)
        let last = try #require(host.standardErrorLines.last)
        #expect(last.contains("no recogniser was found") && last.contains("RECOGNISERS.md"))
    }

    @Test func host_saysWhatIsWrong_whenThereIsNoSuchCommand() async throws {
        let room = try await Room.open("--run", "no-such-recogniser --loud")
        try await room.host.expectExit(65)
        let last = try #require(room.host.standardErrorLines.last)
        #expect(last.contains("no-such-recogniser: not found"))
        // There is nothing to go on with, and nothing whose form could be known.
        #expect(!room.host.standardErrorText.contains("--resume"))
        #expect(!room.host.standardErrorText.contains("Input:"))
    }

    @Test(arguments: ["--input", "--pace"])
    func run_isRefused_besideAnotherInput(_ option: String) async throws {
        let words = ["host", "--event", "X", "--run", "true", option, "1"]
        let host = try RunningProgram(Launch.beamscribe(words, state: folder))
        try await host.expectExit(64)
    }
}
