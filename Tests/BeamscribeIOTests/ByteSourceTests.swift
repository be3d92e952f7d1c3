import BeamscribeIO
import Glibc
import TestSupport
import Testing

/// A source that rests.
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
        let source = try ByteSource(path: path, size: 64, on: loop) { event in
            if case .bytes(let bytes) = event {
                received += String(decoding: bytes, as: UTF8.self)
            } else {
                hasEnded = true
                loop.stop()
            }
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
}
