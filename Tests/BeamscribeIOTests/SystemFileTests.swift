import Glibc
import TestSupport
import Testing

@testable import BeamscribeIO

@Suite struct SystemFileTests {
    /// Nobody waits for a pipe's other end, or reads a device without an end.
    @Test func pipesAndDevices_areNoFiles() throws {
        let folder = try TemporaryFolder()
        let pipe = folder.path(of: "pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for path in [pipe, "/dev/zero", folder.path] {
            #expect(throws: SystemError.self) { try SystemFile(reading: path) }
        }
    }

    /// The newest event is the one whose file was changed last.
    @Test func cuttingOffNothing_changesNothing() throws {
        let folder = try TemporaryFolder()
        try folder.write("four", to: "log")
        let path = folder.path(of: "log")
        var times = [timespec(tv_sec: 1_000, tv_nsec: 0), timespec(tv_sec: 1_000, tv_nsec: 0)]
        try #require(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        try #require(descriptor >= 0)
        let log = SystemFile(Descriptor(owning: descriptor), path: path)
        try log.truncate(to: 4)
        #expect(try log.status().modified == 1_000)
        try log.truncate(to: 3)
        let status = try log.status()
        #expect(status.size == 3 && status.modified > 1_000)
    }
}
