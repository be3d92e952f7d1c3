import Foundation
import Glibc
import TestSupport
import Testing

/// The event's code is shown once, to the operator, and is nowhere else.
@Suite struct CodeSecrecyTests {
    /// The code in the line that a host shows it in.
    private func shownCode(_ host: RunningProgram) async throws -> String {
        let line = try await host.waitForLine("a code", on: .standardError) {
            $0.contains(/(^| |")[0-9]{4}-[0-9]{4}("|$)/)
        }
        return String(try #require(line.firstMatch(of: /[0-9]{4}-[0-9]{4}/)).output)
    }

    /// As a code may be written: with its dash, without, and in lower case.
    private func readings(_ code: String) -> Set<String> {
        let bare = code.replacingOccurrences(of: "-", with: "")
        return [code, bare, code.lowercased(), bare.lowercased()]
    }

    private func count(_ code: String, in text: String) -> Int {
        readings(code).map { text.components(separatedBy: $0).count - 1 }.reduce(0, +)
    }

    private func process(_ program: RunningProgram, _ name: String) -> String {
        let bytes = FileManager.default.contents(atPath: "/proc/\(program.pid)/\(name)")
        return String(decoding: bytes ?? Data(), as: UTF8.self)
    }

    /// All files in a folder, as one text.
    private func files(in folder: TemporaryFolder) -> String {
        let names = FileManager.default.enumerator(atPath: folder.path)
        return (names?.compactMap { $0 as? String } ?? []).map { name in
            let bytes = FileManager.default.contents(atPath: folder.path(of: name)) ?? Data()
            return name + String(decoding: bytes, as: UTF8.self)
        }.joined(separator: "\n")
    }

    @Test(arguments: [["--verbose"], ["--verbose", "--log-format", "jsonl"]])
    func code_isShownOnce_andIsNowhereElse(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "Town Hall", "--code", "--until-eof"]
        let room = try await Room(
            .beamscribe(words + Room.quiet(port: 0) + options, state: folder), folder)
        let code = try await shownCode(room.host)
        if options.contains("jsonl") {
            #expect(room.host.standardErrorLines.contains(#"{"code":"\#(code)","event":"code"}"#))
        }
        let guest = try room.join(code: code, "--verbose", "--format", "jsonl")
        let wrong = try room.join(code: "7K3M9-QX2TB")
        try await wrong.expectExit(77)
        try await room.tell("hello")
        try await guest.waitForLine(containing: "hello")
        for program in [room.host, guest] {
            for name in ["cmdline", "environ"] {
                #expect(count(code, in: process(program, name)) == 0, "\(name)")
                #expect(!process(program, name).isEmpty, "Or this test could not fail.")
            }
        }
        room.host.closeInput()
        try await guest.expectExit(0)
        try await room.host.expectExit(0)
        #expect(count(code, in: room.host.standardErrorText) == 1)
        #expect(count(code, in: room.host.standardOutputText) == 0)
        #expect(count(code, in: guest.standardErrorText + guest.standardOutputText) == 0)
        #expect(count("7K3M9-QX2TB", in: room.host.standardErrorText) == 0)
        let files = files(in: folder)
        #expect(files.contains("meta.json") && files.contains("hello"))
        #expect(count(code, in: files) == 0)
    }

    /// On a command line it can be seen until the program has begun; it says so.
    @Test func code_isHidden_whenItWasGivenAsAnOption() async throws {
        let folder = try TemporaryFolder()
        let code = "7K3M9-QX2TA"
        for option in [["--code", code], ["--code=\(code)"]] {
            // With options before and behind it.
            let words = ["host", "--event", "x"] + option + Room.quiet(port: 0)
            let room = try await Room(.beamscribe(words, state: folder), folder)
            #expect(count(code, in: process(room.host, "cmdline")) == 0)
            #expect(process(room.host, "cmdline").contains("--event"))
            let guest = try RunningProgram(
                .beamscribe(["join", "--host", room.address] + option, state: folder))
            try await guest.waitUntilJoined()
            #expect(count(code, in: process(guest, "cmdline")) == 0)
            #expect(guest.standardErrorText.contains("BEAMSCRIBE_CODE"))
            #expect(room.host.standardErrorText.contains("BEAMSCRIBE_CODE"))
            let said = room.host.standardErrorText + guest.standardErrorText
            #expect(count(code, in: said) == 0, "The operator has it already.")
        }
    }

    /// A log is read by others, and kept.
    @Test(arguments: [["--code"], ["--code", "--log-format", "jsonl"]])
    func host_endsWithCode64_whenTheCodeThatItMakesUpWouldBeInALog(
        options: [String]
    ) async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "x"] + options + Room.quiet(port: 0)
        // No terminal to show it on, and standard error is a file.
        let plain = Launch.beamscribe(words, state: folder)
        var launch = plain
        launch.executable = "setsid"
        launch.arguments =
            ["--wait", "sh", "-c", #"exec "$@" 2>"$0""#, folder.path(of: "log"), plain.executable]
            + plain.arguments
        let host = try RunningProgram(launch)
        try await host.expectExit(64)
        let log = try folder.read("log")
        #expect(log.contains("BEAMSCRIBE_CODE") && !log.contains(/[0-9]{4}-[0-9]{4}/), "\(log)")
    }

    /// What a process may not be dumped by its own user belongs to root (proc(5), PR_SET_DUMPABLE):
    /// seen by starting it as somebody else.
    @Test(
        Skip.unless(geteuid() == 0 ? nil : "only root can be somebody else"),
        arguments: [
            [
                "host", "--event", "x", "--port", "0", "--bind", "127.0.0.1", "--no-bonjour",
                "--no-ble",
            ],
            ["join", "--host", "127.0.0.1:9", "--no-ble", "--timeout", "60"],
        ])
    func processWithKeys_leavesNoCoreFile(words: [String]) async throws {
        let folder = try TemporaryFolder()
        chmod(folder.path, 0o777)
        let plain = Launch.beamscribe(words, state: folder)
        var launch = plain
        launch.executable = "setpriv"
        launch.arguments = ["--reuid=65534", "--clear-groups", plain.executable] + plain.arguments
        let program = try RunningProgram(launch)
        try await eventually("the process to be nobody's to dump") {
            var status = stat()
            let command = process(program, "cmdline")
            return command.hasPrefix(plain.executable)
                && stat("/proc/\(program.pid)/environ", &status) == 0 && status.st_uid == 0
        }
    }

    @Test func twoEvents_haveDifferentCodes() async throws {
        var codes: Set<String> = []
        for _ in 1...5 {
            let folder = try TemporaryFolder()
            let words = ["host", "--event", "x", "--code"] + Room.quiet(port: 0)
            let host = try RunningProgram(.beamscribe(words, state: folder))
            codes.insert(try await shownCode(host))
        }
        #expect(codes.count == 5)
    }
}
