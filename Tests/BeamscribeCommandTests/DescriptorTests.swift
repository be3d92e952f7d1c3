import Foundation
import TestSupport
import Testing

/// A host that the system gives too few descriptors.
@Suite struct DescriptorTests {
    @Test func host_servesThoseItHas_whenDescriptorsRunOut() async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "Town Hall"] + Room.quiet(port: 0)
        var launch = Launch.beamscribe(words, state: folder)
        launch.prefix = ["prlimit", "--nofile=40:40"]
        let host = try RunningProgram(launch)
        let port = try await Room.port(of: host)
        let room = Room(folder: folder, host: host, address: "127.0.0.1:\(port)", port: port)
        let guest = try await room.joined()

        // Of strangers there are never so many; guests are welcome.
        var crowd: [WireConnection] = []
        let hasRunOut = { host.standardErrorText.contains("Too many open files") }
        while crowd.count < 400, !hasRunOut() {
            let next = try WireConnection(to: port)
            crowd.append(next)
            // One that the machine gives no time for ten seconds is sent away, and takes no place.
            try await eventually("a guest to get in, or not") {
                next.sent(Wire.handshake()) || next.hasEnded || hasRunOut()
            }
        }
        #expect(hasRunOut())
        // Libdispatch ends a process in which it cannot open a file (workq: registered worker exited).
        let open = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(host.pid)/fd")
        #expect((30...36).contains(open.count), "\(open.count)")
        try await room.tell("still here")
        #expect(try await guest.waitForLines(1) == ["still here"])

        crowd.removeAll()
        let late = try await room.joined()
        #expect(try await late.waitForLines(1) == ["still here"])
        let warnings = host.standardErrorText.split(separator: "\n")
            .filter { $0.contains("Too many open files") }
        // Once, and again where somebody has got in meanwhile; it is tried each second.
        #expect((1...5).contains(warnings.count))
    }
}
