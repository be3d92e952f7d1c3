import BeamscribeCore
import Foundation
import TestSupport
import Testing

/// What strangers do to a page's port costs nobody a line.
@Suite struct WebAbuseTests {
    /// Lets `abuse` happen while a phone reads, which must not notice; and nothing must be left of
    /// it.
    private func expectUnharmed(
        by abuse: (WebRoom) async throws -> Void, at location: SourceLocation = #_sourceLocation
    ) async throws {
        let page = try await WebRoom.open()
        let phone = try await page.client.events()
        try await page.tell("line 1")
        try await phone.wait(forFinal: "line 1")
        let before = sockets(of: page.host)
        try await abuse(page)
        try await page.tell(numbered(2...20))
        try await phone.wait(forFinal: "line 20")
        #expect(phone.finals == numbered(1...20), sourceLocation: location)
        let late = try await page.client.events()
        try await late.wait(forFinal: "line 20")
        // The late phone has one.
        try await eventually(
            "the connections to go", seen: { "\(sockets(of: page.host)) of \(before + 1)" }
        ) { sockets(of: page.host) <= before + 1 }
        #expect(page.host.isRunning, sourceLocation: location)
        #expect(!page.host.standardErrorText.contains("ERROR"), sourceLocation: location)
    }

    /// Of its descriptors only these: timers of the system's libraries turn up when they like.
    private func sockets(of program: RunningProgram) -> Int {
        let folder = "/proc/\(program.pid)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let leadTo = names.map {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")
        }
        return leadTo.count { $0?.hasPrefix("socket:") ?? false }
    }

    @Test func idleConnections_keepNobodyOut() async throws {
        try await expectUnharmed { page in
            let idle = try (0..<Limits.webConnections + 88).map { _ in
                try RawConnection(to: page.client.port)
            }
            let late = try await page.client.events()
            try await late.wait(forFinal: "line 1")
            #expect(try await page.client.ask("/healthz").status == 200)
            // The oldest of them have given way.
            try await eventually("the first of them to be closed") { idle[0].hasEnded }
            #expect(!idle[idle.count - 1].hasEnded)
        }
    }

    @Test func pipelinedRequests_areAnsweredInOrder() async throws {
        try await expectUnharmed { page in
            let connection = try RawConnection(to: page.client.port)
            let paths = (0..<1_000).map { $0 % 3 == 0 ? "/healthz" : "/none" }
            async let sent: Void = connection.send(
                paths.map { "GET \($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }.joined())
            for path in paths {
                let answer = try await connection.answer()
                #expect(answer.status == (path == "/none" ? 404 : 200))
            }
            try await sent
        }
    }

    @Test(arguments: [
        "\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "\0\0\0\0\r\n\r\n", "hello\r\n\r\n",
        "GET / HTTP/1.1\r\nHost x\r\n\r\n", "GET / HTTP/1.1\r\n: x\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "POST /access HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        "POST /access HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "POST /access HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nX: \u{1}\u{7F}\r\n\r\n",
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}",
    ])
    func garbage_isSentAway(_ text: String) async throws {
        try await expectUnharmed { page in
            let connection = try RawConnection(to: page.client.port)
            try await connection.send(text)
            connection.finishSending()
            let answer = try await connection.readToEnd()
            #expect(!answer.starts(with: "HTTP/1.1 2".utf8), "\(text.debugDescription)")
        }
    }

    @Test func largeHeaders_areRefused() async throws {
        let large = String(repeating: "x", count: Limits.webHeader + 1)
        let many = (0..<2_000).map { "X-\($0): y\r\n" }.joined()
        for fields in ["X: \(large)\r\n", "\(large): x\r\n", many] {
            try await expectUnharmed { page in
                let connection = try RawConnection(to: page.client.port)
                try? await connection.send(
                    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n" + fields + "\r\n")
                let answer = (try? await connection.readToEnd()) ?? []
                #expect(!answer.starts(with: "HTTP/1.1 200".utf8))
            }
        }
    }

    /// It never ends, and none of it is a whole header field.
    @Test func endlessHeader_isCutOff() async throws {
        try await expectUnharmed { page in
            let connection = try RawConnection(to: page.client.port)
            try await connection.send("GET / HTTP/1.1\r\nX: ")
            let piece = [UInt8](repeating: 120, count: 65_536)
            await #expect(throws: WaitFailed.self) {
                for _ in 0..<400 { try await connection.send(piece) }
            }
            #expect(peakMemory(of: page.host) < 100_000)
        }
    }

    @Test func endlessPath_isCutOff() async throws {
        try await expectUnharmed { page in
            let connection = try RawConnection(to: page.client.port)
            try await connection.send("GET /")
            let piece = [UInt8](repeating: 120, count: 65_536)
            await #expect(throws: WaitFailed.self) {
                for _ in 0..<400 { try await connection.send(piece) }
            }
            #expect(peakMemory(of: page.host) < 100_000)
        }
    }

    @Test func halfClosedConnections_getWhatTheyAskedFor() async throws {
        try await expectUnharmed { page in
            let asking = try RawConnection(to: page.client.port)
            try await asking.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n")
            asking.finishSending()
            #expect(String(decoding: try await asking.readToEnd(), as: UTF8.self).hasSuffix("ok\n"))
            for part in ["", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n"] {
                let connection = try RawConnection(to: page.client.port)
                try await connection.send(part)
                connection.finishSending()
                try await connection.readToEnd()
            }
        }
    }

    @Test func resets_leaveNothing() async throws {
        try await expectUnharmed { page in
            for number in 0..<200 {
                let connection = try RawConnection(to: page.client.port)
                connection.resetAtEnd()
                switch number % 4 {
                case 0: break
                case 1: try await connection.send("GET / HT")
                case 2: try await connection.send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n")
                default:
                    try await connection.send(
                        "GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
                }
            }
        }
    }

    /// Nobody reads what it was; only that it does no harm.
    @Test func randomBytes_doNoHarm() async throws {
        try await expectUnharmed { page in
            for seed in 0..<UInt64(400) {
                var generator = SeededGenerator(seed: seed)
                let connection = try RawConnection(to: page.client.port)
                try? await connection.send(Self.request(using: &generator))
                if Bool.random(using: &generator) { connection.finishSending() }
                if Bool.random(using: &generator) { connection.resetAtEnd() }
                _ = connection.hasEnded
                #expect(page.host.isRunning, "seed \(seed)")
            }
        }
    }

    /// A request in which some bytes are others, or none at all.
    private static func request(using generator: inout SeededGenerator) -> [UInt8] {
        let whole = [
            "GET /events?after=1 HTTP/1.1\r\nHost: [::1]\r\nLast-Event-ID: 1\r\nCookie: a=b\r\n\r\n",
            "POST /access HTTP/1.1\r\nHost: [::1]\r\nContent-Length: 22\r\n\r\nAAAAAAAAAAAAAAAAAAAAAA",
            "POST /access HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
            "GET /transcript.vtt HTTP/1.1\r\nRange: bytes=0-\r\nExpect: 100-continue\r\n\r\n",
            "",
        ].randomElement(using: &generator)!
        var bytes = Array(whole.utf8)
        if bytes.isEmpty {
            return (0..<500).map { _ in UInt8.random(in: 0...255, using: &generator) }
        }
        for _ in 0...Int.random(in: 0...6, using: &generator) {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            default: bytes.remove(at: place)
            }
        }
        return bytes
    }
}
