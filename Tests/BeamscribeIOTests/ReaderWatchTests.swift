import BeamscribeIO
import Foundation
import TestSupport
import Testing

/// An output whose reader goes.
@Suite struct ReaderWatchTests {
    private static func socketPair() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [0, 0]
        // A program that another test starts meanwhile would be a reader, too.
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw SystemError("make a pair of sockets", code: errno)
        }
        return (ends[0], ends[1])
    }

    @Test(arguments: [false, true])
    func watch_tellsOnce_whenTheReaderHasGone(_ isSocket: Bool) throws {
        let (reader, writer) = try isSocket ? Self.socketPair() : EventLoopTests.pipe()
        defer { close(writer) }
        let loop = try EventLoop()
        var told: [SystemError] = []
        let watch = try #require(
            ReaderWatch(of: writer, on: loop) {
                told.append($0)
                // It would be told again in each turn.
                loop.schedule(after: .milliseconds(20)) { loop.stop() }
            })
        // It is told of nothing while the reader is there, whether or not he takes anything.
        write(writer, "x", 1)
        loop.schedule(after: .milliseconds(20)) {
            #expect(told.isEmpty)
            close(reader)
            loop.schedule(after: Deadline.generous) { loop.stop() }
        }
        loop.run()
        #expect(told.map(\.isBrokenPipe) == [true])
        withExtendedLifetime(watch) {}
    }

    @Test func watch_isNone_forAFile() throws {
        let folder = try TemporaryFolder()
        let file = open(try folder.write("", to: "file"), O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(try ReaderWatch(of: file, on: EventLoop()) { _ in } == nil)
    }
}
