import Foundation
import TestSupport
import Testing

@testable import BeamscribeIO

/// Records of the kernel's, as on a machine of 64 bits: a time, a type, a code and a value.
private func record(_ type: UInt16, _ code: UInt16, _ value: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 7, count: 16)
    withUnsafeBytes(of: type) { bytes += $0 }
    withUnsafeBytes(of: code) { bytes += $0 }
    withUnsafeBytes(of: value) { bytes += $0 }
    return bytes
}

private func key(_ code: UInt16, _ value: Int32) -> [UInt8] {
    record(1, code, value) + record(0, 0, 0)
}

@Suite struct KeyEventsTests {
    @Test func keyAlone_counts_howeverItsRecordsCome() {
        let bytes =
            key(48, 1) + key(48, 2) + key(30, 1) + record(4, 48, 1) + key(30, 0) + key(48, 0)
            + key(48, 0) + key(48, 1)
        for size in 1...bytes.count {
            var events = KeyEvents(of: 48)
            var changes: [Bool] = []
            for start in stride(from: 0, to: bytes.count, by: size) {
                changes += events.read(bytes[start..<min(bytes.count, start + size)])
            }
            #expect(changes == [true, false, true], "\(size) bytes at a time")
            #expect(events.isDown)
        }
    }

    @Test func whatWasLost_isTakenForARelease() {
        var events = KeyEvents(of: 48)
        #expect(events.read(key(48, 1) + record(0, 3, 0)) == [true, false])
        #expect(events.read(key(48, 1)) == [true])
        let wasDown = [events.end(), events.end()]
        #expect(wasDown == [true, false])
        // Half a record is not gone on with by another device.
        _ = events.read(key(48, 1).prefix(10))
        _ = events.end()
        #expect(events.read(key(48, 1)) == [true])
    }
}

/// A key of a device, in whose place there is a named pipe.
@Suite(.timeLimit(.minutes(1))) struct InputKeyTests {
    private actor Reader {
        private nonisolated let thread: LoopThread
        private var key: InputKey?
        nonisolated let news: AsyncStream<String>
        private nonisolated let came: AsyncStream<String>.Continuation

        nonisolated var unownedExecutor: UnownedSerialExecutor {
            thread.asUnownedSerialExecutor()
        }

        init() throws {
            thread = try LoopThread()
            (news, came) = AsyncStream.makeStream()
        }

        isolated deinit {}

        func open(_ path: String) {
            key = InputKey(48, of: path, on: thread.loop) { [came] news in
                switch news {
                case .pressed(let isDown): came.yield(isDown ? "down" : "up")
                case .missing(let error): came.yield("missing: \(error.reason)")
                case .found: came.yield("found")
                }
            }
        }
    }

    @Test func key_isUp_whenItsDeviceIsPulledOut_andIsReadAgainWhenItIsBack() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "pedal")
        let reader = try Reader()
        await reader.open(path)
        var news = reader.news.makeAsyncIterator()
        #expect(await news.next() == "missing: No such file or directory")
        #expect(mkfifo(path, 0o600) == 0)
        // Whoever has both ends keeps the pipe from its end.
        let pedal = open(path, O_RDWR)
        try #require(pedal >= 0)
        #expect(await news.next() == "found")
        let bytes = key(48, 1)
        #expect(write(pedal, bytes, bytes.count) == bytes.count)
        #expect(await news.next() == "down")
        #expect(unlink(path) == 0)
        close(pedal)
        #expect(await news.next() == "up")
        #expect(await news.next() == "missing: No such device")
    }

    @Test func file_isNoDevice() async throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("not a device", to: "file")
        let reader = try Reader()
        await reader.open(path)
        var news = reader.news.makeAsyncIterator()
        #expect(await news.next() == "missing: No such device")
    }
}
