import BeamscribeIO
import Foundation
import TestSupport
import Testing

/// Sound on its way to a pipe or a file, which may be slow.
@Suite(.timeLimit(.minutes(1))) struct SampleWriterTests {
    /// Tells when nobody has it any more.
    private final class Witness: Sendable {
        private let gone: AsyncStream<Void>.Continuation

        init(_ gone: AsyncStream<Void>.Continuation) { self.gone = gone }

        deinit { gone.finish() }
    }

    /// - Returns: a writer, and what ends with its thread.
    private func writer(
        to path: String, limit: Int = 1_000
    ) throws -> (SampleWriter, end: AsyncStream<Void>) {
        let (end, gone) = AsyncStream<Void>.makeStream()
        let witness = Witness(gone)
        let writer = try SampleWriter(path: path, limit: limit) { [witness] _ in _ = witness }
        return (writer, end)
    }

    private func namedPipe(in folder: TemporaryFolder) -> String {
        let path = folder.path(of: "ear")
        #expect(mkfifo(path, 0o600) == 0)
        return path
    }

    /// What comes by a named pipe until its end, for somebody who is there from now on. (To open it as ever waits for a
    /// writer, for good where that has left, and nothing else is done meanwhile by a thread that tests share.)
    private func reader(of path: String) throws -> OwnThread<[UInt8]> {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        try #require(number >= 0)
        return OwnThread {
            // There is no end before the first writer.
            var writer = pollfd(fd: number, events: Int16(POLLIN), revents: 0)
            poll(&writer, 1, -1)
            _ = fcntl(number, F_SETFL, 0)
            let pipe = FileHandle(fileDescriptor: number, closeOnDealloc: true)
            return try pipe.readToEnd().map { [UInt8]($0) } ?? []
        }
    }

    @Test func namedPipe_isWaitedFor_untilSomebodyReads() async throws {
        let folder = try TemporaryFolder()
        let path = namedPipe(in: folder)
        let (writer, _) = try writer(to: path)
        #expect(!writer.write([UInt8](repeating: 1, count: 2_000)), "nobody was too slow")
        _ = writer.write([2, 2])
        let reader = try reader(of: path)
        writer.end()
        #expect(try await reader.value() == [UInt8](repeating: 1, count: 998) + [2, 2])
    }

    @Test func namedPipe_isLeft_whereNobodyComes() async throws {
        let folder = try TemporaryFolder()
        let (writer, end) = try writer(to: namedPipe(in: folder))
        _ = writer.write([1, 1])
        writer.end()
        for await _ in end {}
    }

    @Test func slowReader_getsAllThatMayWait() async throws {
        let folder = try TemporaryFolder()
        let path = namedPipe(in: folder)
        let sound = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 >> 4) }
        let (writer, _) = try writer(to: path, limit: sound.count)
        _ = writer.write(sound)
        let reader = try reader(of: path)
        writer.end()
        #expect(try await reader.value() == sound)
    }

    @Test func writer_tells_whatCannotBeWritten() async throws {
        let folder = try TemporaryFolder()
        let (troubles, tell) = AsyncStream<SampleWriter.Trouble>.makeStream()
        for path in [folder.path, folder.path(of: "none/ear")] {
            _ = try SampleWriter(path: path, limit: 10) { tell.yield($0) }
        }
        var told: [SampleWriter.Trouble] = []
        for await trouble in troubles.prefix(2) { told.append(trouble) }
        #expect(told.allSatisfy { if case .gone = $0 { true } else { false } })
    }
}
