import TestSupport
import Testing

/// The page by HTTPS.
@Suite(Skip.without("curl")) struct WebSecureTests {
    private func open(
        code: String? = nil, _ kind: Certificate.Kind = .init(testDescription: "P-256")
    ) async throws -> WebRoom {
        try await .open(code: code, by: Certificate.make(kind))
    }

    private func curl(_ page: WebRoom, _ path: String, _ options: String...) throws
        -> RunningProgram
    {
        let url = "https://127.0.0.1:\(page.client.port)\(path)"
        let words = ["--silent", "--insecure", "--no-buffer", "--max-time", "30"] + options + [url]
        var launch = Launch("curl", arguments: words)
        launch.input = .null
        return try RunningProgram(launch)
    }

    @Test(arguments: [
        Certificate.Kind(testDescription: "P-256"),
        .init(testDescription: "RSA", algorithm: "RSA", option: "rsa_keygen_bits:2048"),
    ])
    func captions_comeByHTTPS(kind: Certificate.Kind) async throws {
        let page = try await open(kind)
        #expect(page.link.hasPrefix("https://127.0.0.1:"))
        #expect(!page.host.standardErrorText.contains("plain HTTP"))
        let phone = try curl(page, "/events")
        try await page.tell("one")
        try await phone.waitForLine(containing: #""text":"one""#)
        let text = try curl(page, "/transcript.txt")
        try await text.expectExit(0)
        #expect(text.standardOutputText == "one\n")
    }

    @Test func page_isHadByTheNamesOfItsCertificate() async throws {
        let kind = Certificate.Kind(
            testDescription: "P-256", hosts: "DNS:captions.example.net,DNS:*.hall.example")
        let page = try await open(kind)
        for (name, status) in [
            ("captions.example.net", "200"), ("a.hall.example:8080", "200"), ("localhost", "200"),
            ("example.net", "421"), ("beamscribe", "421"),
        ] {
            let answer = try curl(page, "/", "--header", "Host: \(name)", "--include")
            try await answer.expectExit(0)
            let line = try #require(answer.standardOutputLines.first)
            #expect(line.contains(" \(status)"), "\(name): \(line)")
        }
    }

    @Test func cookie_goesByHTTPSAlone() async throws {
        let page = try await open(code: "7K3M9-QX2TA")
        let token = try #require(page.token)
        let answer = try curl(page, "/access", "--include", "--data", token)
        try await answer.expectExit(0)
        let line = answer.standardOutputLines.first { $0.lowercased().hasPrefix("set-cookie:") }
        #expect(line?.contains("; Secure") == true && line?.contains("; HttpOnly") == true)
    }

    /// Every browser that the page is for has TLS 1.3.
    @Test func oldProtocols_areRefused() async throws {
        let page = try await open()
        for version in ["--tlsv1.0", "--tlsv1.1", "--tlsv1.2"] {
            let number = version.suffix(3)
            let old = try curl(
                page, "/", version, "--tls-max", String(number), "--ciphers", "DEFAULT@SECLEVEL=0")
            let status = try await old.waitForExit()
            #expect(status != .success && old.standardOutputText == "")
        }
        let new = try curl(page, "/healthz", "--tlsv1.3")
        try await new.expectExit(0)
        #expect(new.standardOutputText == "ok\n")
    }

    /// A phone that types the address without the s.
    @Test func plainHTTP_isToldOfHTTPS() async throws {
        let page = try await open()
        let plain = try RawConnection(to: page.client.port)
        try await plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        let answer = String(decoding: try await plain.readToEnd(), as: UTF8.self)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.hasSuffix("https://\n"))
        let next = try curl(page, "/healthz")
        try await next.expectExit(0)
    }
}
