import Beamscribe
import TestSupport
import Testing

@testable import BeamscribeWeb

/// Connections of browsers that say nothing, at the page's server. ``ConnectionGuardTests`` have how
/// long they may.
@Suite struct IdleConnectionTests {
    private func withPage(
        idle: Duration, _ body: (WebStage, WebServer) async throws -> Void
    ) async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.idle = idle }
        try await body(stage, server)
        await stage.host.stop()
        await server.stop()
    }

    /// Waits for as long as a connection may be idle at least, as the server counts.
    private func waitForIdleTime(_ server: WebServer) async throws {
        try await RawConnection(to: server.port).readToEnd()
    }

    @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n"])
    func connection_isClosed_whichDoesNotSayWhatItWants(begun: String) async throws {
        try await withPage(idle: .milliseconds(50)) { _, server in
            let connection = try RawConnection(to: server.port)
            // It may be closed by now.
            try? await connection.send(begun)
            #expect(try await connection.readToEnd() == [])
        }
    }

    @Test func connection_servesSeveral() async throws {
        try await withPage(idle: .seconds(3_600)) { _, server in
            let connection = try RawConnection(to: server.port)
            for _ in 1...3 {
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
                #expect(try await connection.answer().status == 200)
            }
        }
    }

    /// Nothing is said for as long as several idle times.
    @Test func eventStream_stays() async throws {
        try await withPage(idle: Self.askedBySurely) { stage, server in
            let phone = try await WebClient(server.port).events()
            for _ in 1...2 { try await waitForIdleTime(server) }
            _ = await stage.host.type("still here")
            try await phone.wait(forFinal: "still here")
        }
    }

    /// A phone on a bad network gets its file, however long that takes.
    @Test func download_isNotCutOff_whoseReaderIsSlow() async throws {
        try await withPage(idle: Self.askedBySurely) { stage, server in
            let words = String(repeating: " and so on", count: 400)
            for number in 1...100 { _ = await stage.host.type("line \(number)" + words) }
            let slow = try RawConnection(to: server.port, receiveBuffer: 4_096)
            try await slow.send("GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
            // Most of it lies with the host meanwhile.
            for _ in 1...2 { try await waitForIdleTime(server) }
            let answer = try await slow.answer()
            #expect(answer.text.hasSuffix("line 100" + words + "\n"))
        }
    }

    /// An idle time within which a request that is sent at once has come: to connect and to send
    /// are two system calls, with nothing between them.
    private static let askedBySurely = Duration.seconds(4)
}
