import BeamscribeIO
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct CommandPipeTests {
    /// A pipe on a loop, and what came by it.
    private actor Reader {
        private nonisolated let thread: LoopThread
        private var pipe: CommandPipe?
        nonisolated let lines: AsyncStream<String?>
        private nonisolated let came: AsyncStream<String?>.Continuation

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            thread.asUnownedSerialExecutor()
        }

        init() throws {
            thread = try LoopThread()
            (lines, came) = AsyncStream.makeStream()
        }

        isolated deinit {}

        func open(_ path: String) throws(SystemError) {
            pipe = try CommandPipe(path: path, on: thread.loop) { [came] in came.yield($0) }
        }

        func close() { pipe = nil }
    }

    private func write(_ text: String, to path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }

    @Test func linesCome_ofOneProgramAfterTheOther() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "control")
        let reader = try Reader()
        try await reader.open(path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        try write("one\ntw", to: path)
        try write("o\n" + String(repeating: "x", count: 600) + "\nthree\n", to: path)
        var lines: [String?] = []
        for await line in reader.lines.prefix(4) { lines.append(line) }
        #expect(lines == ["one", "two", nil, "three"])
        await reader.close()
        #expect(!FileManager.default.fileExists(atPath: path), "it was made here")
    }

    @Test func pipeOfSomebodyElse_stays_andOtherFilesAreNone() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "control")
        #expect(mkfifo(path, 0o600) == 0)
        let reader = try Reader()
        try await reader.open(path)
        await reader.close()
        #expect(FileManager.default.fileExists(atPath: path))
        let file = folder.path(of: "file")
        try Data("talk on\n".utf8).write(to: URL(filePath: file))
        await #expect(throws: SystemError.self) { try await reader.open(file) }
        #expect(FileManager.default.contents(atPath: file)?.count == 8)
        await #expect(throws: SystemError.self) { try await reader.open(folder.path) }
    }

    @Test func twoPrograms_doNotTakeEachOthersLines() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "control")
        let (first, second) = (try Reader(), try Reader())
        try await first.open(path)
        await #expect(throws: SystemError.self) { try await second.open(path) }
        try write("one\n", to: path)
        for await line in first.lines.prefix(1) { #expect(line == "one") }
        await first.close()
        try await second.open(path)
        // What another has put there since stays.
        try FileManager.default.removeItem(atPath: path)
        #expect(mkfifo(path, 0o600) == 0)
        await second.close()
        #expect(FileManager.default.fileExists(atPath: path))
    }

    /// Whoever has made it may write to it.
    @Test(.enabled(if: geteuid() == 0)) func pipeOfAnotherUser_isNotUsed() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "control")
        #expect(mkfifo(path, 0o600) == 0 && chown(path, 65_534, 65_534) == 0)
        let reader = try Reader()
        await #expect(throws: SystemError.self) { try await reader.open(path) }
        #expect(FileManager.default.fileExists(atPath: path))
    }
}
