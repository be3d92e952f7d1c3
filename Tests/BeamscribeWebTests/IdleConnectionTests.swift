import Beamscribe
import TestSupport
import Testing

@testable import BeamscribeWeb

/// How long a browser's connection may say nothing.
@Suite struct IdleConnectionTests {
    /// Long enough for a request on a busy machine.
    private static let idle = Duration.seconds(1)

    private func withPage(_ body: (WebStage, WebServer) async throws -> Void) async throws {
        let stage = try await WebStage()
        let server = try await stage.serve { $0.idle = Self.idle }
        try await body(stage, server)
        await stage.host.stop()
        await server.stop()
    }

    @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\nHost: x\r\n"])
    func connection_isClosed_whichDoesNotSayWhatItWants(begun: String) async throws {
        try await withPage { _, server in
            let connection = try RawConnection(to: server.port)
            try await connection.send(begun)
            #expect(try await connection.readToEnd() == [])
        }
    }

    /// A byte now and then is no request.
    @Test func connection_isClosed_whoseHeaderTakesItsTime() async throws {
        try await withPage { _, server in
            let connection = try RawConnection(to: server.port)
            try await connection.send("GET / HTTP/1.1\r\nX: ")
            let begin = ContinuousClock.now
            try await eventually("the end of the connection") {
                try? await connection.send("y")
                return connection.hasEnded
            }
            #expect(ContinuousClock.now - begin > Self.idle / 2)
        }
    }

    @Test func connection_isClosed_afterItsAnswer_butServesSeveralBefore() async throws {
        try await withPage { _, server in
            let connection = try RawConnection(to: server.port)
            for _ in 1...3 {
                try await connection.send("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
                #expect(try await connection.answer().status == 200)
            }
            #expect(try await connection.readToEnd() == [])
        }
    }

    /// Nothing is said for as long as several idle times.
    @Test func eventStream_stays() async throws {
        try await withPage { stage, server in
            let phone = try await WebClient(server.port).events()
            let silent = try RawConnection(to: server.port)
            try await silent.readToEnd()
            let another = try RawConnection(to: server.port)
            try await another.readToEnd()
            _ = await stage.host.type("still here")
            try await phone.wait(forFinal: "still here")
        }
    }

    /// A phone on a bad network gets its file, however long that takes.
    @Test func download_isNotCutOff_whoseReaderIsSlow() async throws {
        try await withPage { stage, server in
            let words = String(repeating: " and so on", count: 400)
            for number in 1...500 { _ = await stage.host.type("line \(number)" + words) }
            let slow = try RawConnection(to: server.port, receiveBuffer: 4_096)
            try await slow.send("GET /transcript.txt HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in 1...2 {
                let silent = try RawConnection(to: server.port)
                try await silent.readToEnd()
            }
            let answer = try await slow.answer(within: .seconds(30))
            #expect(answer.text.hasSuffix("line 500" + words + "\n"))
        }
    }
}
