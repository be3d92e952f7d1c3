import BeamscribeIO
import Glibc
import TestSupport
import Testing

/// A source that rests, or whose owner takes its time.
@Suite struct ByteSourceTests {
    @Test func pipe_isNotRead_whileItRests_evenThoughItsWriterHasGone() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "pipe")
        #expect(mkfifo(path, 0o600) == 0)
        let loop = try EventLoop()
        var received = ""
        var hasEnded = false
        // Without a reader a pipe can't be opened for writing only.
        let keeper = open(path, O_RDWR | O_CLOEXEC)
        let source = try ByteSource(path: path, size: 64, on: loop) { bytes in
            received += String(decoding: bytes, as: UTF8.self)
            return bytes.count
        } ended: { _ in
            hasEnded = true
            loop.stop()
        }
        source.isPaused = true
        #expect(write(keeper, "held\n", 5) == 5)
        close(keeper)
        loop.schedule(after: .milliseconds(50)) {
            #expect(received == "" && !hasEnded)
            source.isPaused = false
        }
        loop.schedule(after: .seconds(10)) { loop.stop() }
        loop.run()
        #expect(received == "held\n" && hasEnded)
    }

    @Test(arguments: [false, true])
    func owner_getsTheRestInOtherTurns_whenItTakesAPart(_ isPipe: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "input")
        if isPipe { #expect(mkfifo(path, 0o600) == 0) } else { try folder.write("", to: "input") }
        let writer = open(path, O_RDWR | O_CLOEXEC)
        let (other, otherWriter) = try EventLoopTests.pipe()
        let loop = try EventLoop()
        var said: [String] = []
        let registration = try loop.register(other, for: .read) { _ in said.append("other") }
        #expect(write(otherWriter, "x", 1) == 1)
        #expect(write(writer, "one two", 7) == 7)
        let source = try ByteSource(path: path, size: 64, on: loop) { bytes in
            let word = bytes.prefix { $0 != 0x20 }
            said.append(String(decoding: word, as: UTF8.self))
            return min(word.count + 1, bytes.count)
        } ended: { _ in
            loop.stop()
        }
        close(writer)
        loop.schedule(after: .seconds(30)) { loop.stop() }
        loop.run()
        let place = said.firstIndex(of: "one") ?? 0
        #expect(said.filter { $0 != "other" } == ["one", "two"])
        #expect(said[place...].contains("other") && said[place + 1] == "other")
        registration.cancel()
        close(other)
        close(otherWriter)
        withExtendedLifetime(source) {}
    }
}
