import TestSupport
import Testing

/// Whatever fails, the sentence about it says what to do: a command or an option to type, or an
/// imperative.
@Suite struct NextStepTests {
    private static let nowhere = ["--host", "127.0.0.1:1"]
    private static let quiet = ["host", "--event", "X", "--no-bonjour", "--no-ble", "--port", "0"]

    /// What to type, and the code of sysexits(3) that it ends with.
    private static let failures: [(words: [String], code: Int32)] = [
        (["join"] + nowhere + ["--timeout", "0.1"], 69),
        (["join", "--host", "no.such.name.invalid"], 69),
        (["join"] + nowhere + ["--save", "/nonexistent/a.txt"], 73),
        (["join"] + nowhere + ["--obs", "/nonexistent/a.txt"], 73),
        (["join"] + nowhere + ["--mask-words", "/nonexistent"], 65),
        (["join"] + nowhere + ["--code", "!"], 64),
        (quiet + ["--input", "/nonexistent"], 65),
        (quiet + ["--bind", "192.0.2.77"], 71),
        (quiet + ["--code", "--insecure"], 64),
        (quiet + ["--code", "12345"], 64),
        (quiet + ["--mask-words", "/nonexistent"], 65),
        (["host", "--resume", "last"], 65),
        (["host", "--resume", "77e0d4f1"], 65),
        (["export", "last"], 65),
        (["export", "/etc/hostname"], 65),
        (["export", "/nonexistent"], 65),
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func sentence(of program: RunningProgram) throws -> String {
        let said = program.standardErrorLines.last { $0.hasPrefix("beamscribe: ") }
        return String(try #require(said).dropFirst("beamscribe: ".count))
    }

    private func namesANextStep(_ sentence: String) -> Bool {
        let verbs = /\b(Choose|choose|Compare|Give|give|Join|Make|Move|Type|type|write|Is)\b/
        return sentence.contains(/`beamscribe |--[a-z]/) || sentence.contains(verbs)
    }

    @Test(arguments: failures.indices)
    func everyError_namesTheNextStep(_ index: Int) async throws {
        let (words, code) = Self.failures[index]
        var launch = Launch.beamscribe(words, state: folder)
        launch.input = .null
        let program = try RunningProgram(launch)
        try await program.expectExit(code)
        #expect(try namesANextStep(sentence(of: program)), "\(program.standardErrorText)")
    }

    @Test func lostHost_andFullDisk_areSaidWithWhatToDo() async throws {
        let room = try await Room.open()
        let lost = try await room.joined("--no-reconnect")
        let full = try room.join(output: .file("/dev/full"))
        try await room.tell("one")
        try await full.expectExit(74)
        #expect(try namesANextStep(sentence(of: full)), "\(full.standardErrorText)")
        room.host.kill()
        try await lost.expectExit(75)
        #expect(try namesANextStep(sentence(of: lost)), "\(lost.standardErrorText)")
    }

    @Test func refusal_isSaidWithWhatToDo() async throws {
        let room = try await Room.open("--max-guests", "1")
        let first = try await room.joined()
        let state = try TemporaryFolder()
        let words = ["join", "--host", room.address]
        let second = try RunningProgram(.beamscribe(words, state: state))
        try await second.expectExit(77)
        #expect(try sentence(of: second).contains("--max-guests"))
        #expect(first.isRunning)
    }
}
