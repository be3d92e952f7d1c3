import Foundation
import TestSupport
import Testing

/// The page by HTTPS, for clients on other libraries of TLS than curl's: OpenSSL's own tool and
/// Python's.
@Suite struct WebSecureClientsTests {
    private func open() async throws -> WebRoom {
        try await .open(by: .make(.init(testDescription: "P-256")))
    }

    private func browser(_ page: WebRoom, _ path: String, _ how: String) throws -> RunningProgram {
        let script = Repository.path(of: "Tests/Support/Web/tls-browser.py")
        return try RunningProgram(
            Launch("python3", arguments: [script, String(page.client.port), path, how]))
    }

    private func openssl(_ page: WebRoom, _ options: String...) async throws -> RunningProgram {
        let place = ["s_client", "-connect", "127.0.0.1:\(page.client.port)", "-ign_eof"]
        let client = try RunningProgram(Launch("openssl", arguments: place + options))
        try? await client.write(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        return client
    }

    // MARK: OpenSSL

    @Test func openSSLsTool_getsThePage_andTheWholeChain() async throws {
        let certificate = try await Certificate.make(.init(testDescription: "P-256"))
        let other = try await Certificate.make(.init(testDescription: "another"))
        let pem = try certificate.folder.read("certificate.pem")
        try certificate.folder.write(
            pem + other.folder.read("certificate.pem"), to: "certificate.pem")
        let page = try await WebRoom.open(by: certificate)
        let client = try await openssl(page, "-showcerts", "-alpn", "h2,http/1.1")
        try await client.expectExit(0)
        let said = client.standardOutputText
        #expect(said.contains("TLSv1.3") && said.contains("ALPN protocol: http/1.1"))
        #expect(said.components(separatedBy: "BEGIN CERTIFICATE").count == 3)
        #expect(said.contains("\r\n\r\nok\n"))
    }

    @Test func protocols_areAgreedOn_orNotNeeded() async throws {
        let page = try await open()
        let none = try await openssl(page)
        try await none.expectExit(0)
        #expect(none.standardOutputText.contains("\r\n\r\nok\n"))
        let other = try await openssl(page, "-alpn", "h2,smtp")
        #expect(try await other.waitForExit() != .success)
        // no_application_protocol (RFC 7301, section 3.2).
        #expect(other.standardErrorText.contains("alert number 120"))
    }

    @Test func renegotiationAndOldSessions_areNotThere() async throws {
        let page = try await open()
        let client = try await openssl(page, "-reconnect")
        try await client.expectExit(0)
        let said = client.standardOutputText
        #expect(said.contains("New, TLSv1.3") && !said.contains("Reused"))
        #expect(!said.contains("New Session Ticket arrived"))
    }

    // MARK: Python

    @Test(arguments: ["slowly", "half"])
    func answer_isWhole_andEndsInGoodOrder(how: String) async throws {
        let page = try await open()
        let words = String(repeating: " and so on", count: 40)
        let lines = (1...500).map { "line \($0)" + words }
        try await page.tell(lines)
        try await waitForLine(500, of: page)
        let client = try browser(page, "/transcript.txt", how)
        try await client.expectExit(0)
        let size = lines.reduce(0) { $0 + $1.utf8.count + 1 }
        #expect(client.standardOutputLines.first == "protocol TLSv1.3 http/1.1")
        // The header, and the lengths of the pieces, come on top.
        #expect(try self.size(client) > size)
        #expect(client.standardOutputLines.last == "ended in good order")
    }

    /// One that takes nothing, and one that is gone in the middle.
    @Test func largeTranscript_costsNoMemory_whoeverReadsItHow() async throws {
        let page = try await open()
        let words = String(repeating: " and so on", count: 200)
        try await page.tell((1...3_000).map { "line \($0)" + words })
        try await waitForLine(3_000, of: page)
        let before = peakMemory(of: page.host)
        let rude = try browser(page, "/transcript.txt", "rudely")
        let deaf = try (1...2).map { _ in try browser(page, "/transcript.txt", "never") }
        for client in deaf { try await client.waitForLine(containing: "TLSv1.3") }
        try await rude.expectExit(0)
        #expect(rude.standardOutputLines.last == "ended rudely")
        // They have waited for long once another has the whole.
        let patient = try browser(page, "/transcript.txt", "half")
        try await patient.expectExit(0, within: .seconds(60))
        #expect(try size(patient) > 3_000 * words.utf8.count)
        // The transcript has 5 MB, and each of them a few pieces.
        #expect(peakMemory(of: page.host) - before < 4_000)
        for client in deaf { client.kill() }
        let next = try browser(page, "/healthz", "slowly")
        try await next.expectExit(0)
        #expect(!page.host.standardErrorText.contains("ERROR"))
    }

    /// How many bytes came.
    private func size(_ client: RunningProgram) throws -> Int {
        let words = try #require(client.standardOutputLines.dropFirst().first).split(separator: " ")
        return try #require(Int(words[1]))
    }

    private func waitForLine(_ number: Int, of page: WebRoom) async throws {
        let phone = try RunningProgram(
            Launch(
                "curl",
                arguments: [
                    "--silent", "--insecure", "--no-buffer",
                    "https://127.0.0.1:\(page.client.port)/events?after=\(number - 1)",
                ]))
        try await phone.waitForLine(containing: "line \(number) ", within: .seconds(30))
        phone.stop()
    }
}
