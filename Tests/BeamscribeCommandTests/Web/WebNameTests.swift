import TestSupport
import Testing

/// By which names the page of a host is to be had: not by those of others, who could else read it
/// through a reader's browser.
@Suite struct WebNameTests {
    private func status(_ page: WebRoom, _ fields: String, path: String = "/") async throws -> Int {
        try await answer(page, fields, path: path).status
    }

    private func answer(
        _ page: WebRoom, _ fields: String, path: String
    ) async throws -> HTTPAnswer {
        let connection = try RawConnection(to: page.client.port)
        try await connection.send("GET \(path) HTTP/1.1\r\n\(fields)Connection: close\r\n\r\n")
        return try await connection.answer()
    }

    @Test func page_isHadByItsNames_andByNoOther() async throws {
        let page = try await WebRoom.open(
            "--web-name", "captions.example.org", "--web-name", "b.example")
        let good = [
            "127.0.0.1:\(page.client.port)", "localhost", "[::1]:80", "captions.example.org:443",
            "B.EXAMPLE",
        ]
        for name in good { #expect(try await status(page, "Host: \(name)\r\n") == 200, "\(name)") }
        for path in ["/", "/events", "/transcript.txt", "/access", "/page.js", "/healthz"] {
            let refused = try await answer(page, "Host: evil.example\r\n", path: path)
            #expect(refused.status == 421, "\(path)")
            #expect(refused.text.contains("--web-name"), "\(refused.text)")
        }
        #expect(try await status(page, "") == 400)
    }

    @Test func privatePage_isHadByNoOtherName() async throws {
        let page = try await WebRoom.open(code: "7K3M9-QX2TA")
        #expect(try await status(page, "Host: evil.example\r\n", path: "/events") == 421)
        #expect(try await status(page, "Host: localhost\r\n", path: "/events") == 401)
    }

    /// The place is had again from whoever takes nothing.
    @Test func transcript_isHad_whenFourOthersDoNotReadTheirs() async throws {
        let page = try await WebRoom.open("--input-format", "text")
        let words = String(repeating: " and so on", count: 300)
        for start in stride(from: 1, to: 6_000, by: 1_000) {
            try await page.tell(numbered(start...(start + 999)).map { $0 + words })
        }
        let deaf = try (0..<4).map { _ in
            try RawConnection(to: page.client.port, from: "127.0.0.9", receiveBuffer: 4_096)
        }
        for connection in deaf {
            try await connection.send("GET /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
        }
        // At once for another address, and for the same one when they have taken nothing for 5 s.
        for source in ["127.0.0.10", "127.0.0.9"] {
            try await eventually("a transcript for \(source)", within: .seconds(60)) {
                let connection = try RawConnection(to: page.client.port, from: source)
                try await connection.send(
                    "HEAD /transcript.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return try await connection.read("an answer") { bytes, _ in
                    try HTTPAnswer.head(from: &bytes)?.status
                } == 200
            }
        }
    }
}
