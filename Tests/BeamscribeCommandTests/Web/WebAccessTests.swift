import Foundation
import TestSupport
import Testing

/// Who may read a private event.
@Suite struct WebAccessTests {
    private static let code = "7K3M9-QX2TA"
    private static let secrets = [
        "/events", "/transcript.txt", "/transcript.srt", "/transcript.vtt", "/transcript.jsonl",
        "/access",
    ]

    @Test func everythingButThePage_needsTheLink() async throws {
        let page = try await WebRoom.open(code: Self.code, event: "Merger Talks")
        try await page.tell("a secret")
        for path in Self.secrets {
            for method in ["GET", "HEAD"] {
                for fields in [[], ["Cookie: beamscribe=\(page.token ?? "")"]] {
                    let answer = try await page.client.ask(path, by: method, fields: fields)
                    #expect(answer.status == 401, "\(method) \(path)")
                    #expect(!answer.text.contains("secret") && !answer.text.contains("Merger"))
                }
            }
        }
        for path in ["/", "/page.css", "/page.js", "/healthz", "/metrics", "/x"] {
            let answer = try await page.client.ask(path)
            #expect(answer.status == (path == "/x" ? 404 : 200), "\(path)")
            #expect(!answer.text.contains("Merger") && !answer.text.contains("secret"))
            #expect(answer["set-cookie"] == nil)
        }
    }

    @Test func token_isExchangedForACookie_thatOpensEverything() async throws {
        let page = try await WebRoom.open(code: Self.code)
        try await page.tell("a secret")
        let token = try #require(page.token)
        let answer = try await page.client.ask("/access", by: "POST", body: token)
        #expect(answer.status == 204 && answer.body.isEmpty)
        let cookie = try #require(answer["set-cookie"])
        let shape = /beamscribe-[0-9a-f]{8}=[A-Za-z0-9_-]{22}; Path=\/; HttpOnly; SameSite=Strict/
        #expect(cookie.wholeMatch(of: shape) != nil, "\(cookie)")
        #expect(!cookie.contains(token))
        #expect(answer["cache-control"] == "no-store")
        let client = try await page.opened()
        let phone = try await client.events()
        try await phone.wait(forFinal: "a secret")
        #expect(try await client.ask("/access").status == 204)
        #expect(try await client.ask("/transcript.txt").text == "a secret\n")
    }

    @Test func wrongTokens_areRefused() async throws {
        let page = try await WebRoom.open(code: Self.code)
        let token = try #require(page.token)
        let wrong = [
            "", "x", String(token.dropLast()), token + "A", token + "\n", "#" + token,
            String(token.reversed()), Self.code, String(repeating: "x", count: 64),
        ]
        for wrong in wrong {
            let answer = try await page.client.ask("/access", by: "POST", body: wrong)
            #expect(answer.status == 403 && answer["set-cookie"] == nil, "\(wrong)")
        }
        #expect(try await page.opened().ask("/access").status == 204)
    }

    @Test(arguments: [65, 1_000, 1_000_000])
    func bodyThatIsNoToken_isNotReadToItsEnd(size: Int) async throws {
        let page = try await WebRoom.open(code: Self.code)
        let connection = try RawConnection(to: page.client.port)
        try await connection.send(
            "POST /access HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                + "Content-Length: \(size)\r\n\r\n"
        )
        // The host may hang up before it has all of it.
        try? await connection.send([UInt8](repeating: 65, count: size))
        let answer = try? await connection.readToEnd()
        #expect(answer?.starts(with: "HTTP/1.1 413".utf8) != false)
        #expect(try await page.opened().ask("/access").status == 204)
    }

    @Test func chunkedBody_isReadAsWell() async throws {
        let page = try await WebRoom.open(code: Self.code)
        let token = try #require(page.token)
        let connection = try RawConnection(to: page.client.port)
        try await connection.send(
            "POST /access HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "b\r\n\(token.prefix(11))\r\nb\r\n\(token.suffix(11))\r\n0\r\n\r\n")
        #expect(try await connection.answer().status == 204)
    }

    @Test(arguments: [["--verbose"], ["--log-format", "jsonl", "--verbose"]])
    func token_isInTheLinkAlone(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", "Town Hall", "--web", "127.0.0.1:0", "--until-eof"]
        var launch = Launch.beamscribe(words + Room.quiet(port: 0) + options, state: folder)
        launch.environment["BEAMSCRIBE_CODE"] = Self.code
        let page = try await WebRoom(Room(launch, folder))
        let token = try #require(page.token)
        let client = try await page.opened()
        let phone = try await client.events()
        _ = try await page.client.ask("/access", by: "POST", body: "wrong")
        try await page.tell("one")
        try await phone.wait(forFinal: "one")
        page.host.closeInput()
        try await phone.readToEnd()
        try await page.host.expectExit(0)
        let lines = page.host.standardErrorLines.filter { $0.contains(token) }
        #expect(lines.count == 1 && page.host.standardOutputText == "")
        let cookie = try #require(client.fields.first?.split(separator: "=").last)
        #expect(!page.host.standardErrorText.contains(cookie))
        if options.contains("jsonl") {
            let data = Data(try #require(lines.first).utf8)
            let record = try JSONSerialization.jsonObject(with: data) as? [String: Any]
            #expect(record?["event"] as? String == "page" && record?["url"] as? String == page.link)
        }
    }

    @Test func cookie_isAnother_afterEachStart() async throws {
        let first = try await WebRoom.open(code: Self.code)
        let old = try await first.opened()
        first.host.terminate()
        try await first.host.expectExit(0)
        let words = ["host", "--resume", "last", "--web", "127.0.0.1"] + Room.quiet(port: 0)
        var launch = Launch.beamscribe(words, state: first.room.folder)
        launch.environment["BEAMSCRIBE_CODE"] = Self.code
        let second = try await WebRoom(Room(launch, first.room.folder))
        #expect(second.link == first.link)
        #expect(try await old.ask("/access").status == 401)
        #expect(try await second.opened().ask("/access").status == 204)
    }

    @Test func links_areDifferent_ofTwoEvents() async throws {
        let pages = [try await WebRoom.open(code: Self.code), try await .open(code: Self.code)]
        #expect(pages[0].token != pages[1].token)
        var client = pages[1].client
        client.fields = try await pages[0].opened().fields
        #expect(try await client.ask("/access").status == 401)
    }

    /// The link opens the event: what holds it is the user's alone.
    @Test func tokensFile_isTheUsersAlone() async throws {
        let page = try await WebRoom.open(code: Self.code)
        let token = try #require(page.token)
        let folder = page.room.folder
        let names = FileManager.default.enumerator(atPath: folder.path)?.compactMap {
            $0 as? String
        }
        let holding = (names ?? []).filter {
            String(
                decoding: FileManager.default.contents(atPath: folder.path(of: $0)) ?? Data(),
                as: UTF8.self
            )
            .contains(token)
        }
        #expect(holding.count == 1, "Or a host that goes on would have another link.")
        for name in holding {
            let path = folder.path(of: name)
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
            #expect(mode as? Int == 0o600)
        }
    }
}
