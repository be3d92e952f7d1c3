import TestSupport
import Testing

/// A host's log is not for strangers to fill.
@Suite struct LogFloodTests {
    @Test(arguments: ["text", "jsonl"])
    func log_isBounded_howeverManyComeAndGo(format: String) async throws {
        let room = try await Room.open("--verbose", "--log-format", format)
        let count = 300
        for _ in 0..<count {
            let socket = try TCPSocket.connected(to: room.port, from: 9)
            _ = socket.send(Array("hello".utf8))
            try await eventually("the host to close") { socket.receive() == .end }
        }
        // Others are told of meanwhile.
        let other = try TCPSocket.connected(to: room.port, from: 10)
        _ = other.send(Array("hello".utf8))
        try await room.host.waitForLine(containing: "127.0.0.10:", on: .standardError)
        room.host.interrupt()
        try await room.host.expectExit(0)
        let lines = room.host.standardErrorText.split(separator: "\n")
        let told = lines.count { $0.contains("127.0.0.9:") }
        let more = lines.compactMap { $0.firstMatch(of: /… and ([0-9]+) more/)?.output.1 }
            .compactMap { Int($0) }
        #expect(told < count && told + more.reduce(0, +) == count)
    }
}
