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
}
