import TestSupport
import Testing

/// What a host answers to browsers, address by address.
@Suite struct WebRouteTests {
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
        img-src 'self'; media-src 'self'; font-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; \
        frame-ancestors 'none'; \
        require-trusted-types-for 'script'
        """

    private static let routes: [(path: String, type: String, caching: String)] = [
        ("/", "text/html; charset=utf-8", "no-cache"),
        ("/page.css", "text/css; charset=utf-8", "no-cache"),
        ("/page.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/floor.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/look.js", "text/javascript; charset=utf-8", "no-cache"),
        ("/words/ar.json", "application/json; charset=utf-8", "no-cache"),
        ("/words/de.json", "application/json; charset=utf-8", "no-cache"),
        ("/words/es.json", "application/json; charset=utf-8", "no-cache"),
        ("/words/fr.json", "application/json; charset=utf-8", "no-cache"),
        ("/words/ja.json", "application/json; charset=utf-8", "no-cache"),
        ("/OpenDyslexic.woff2", "font/woff2", "no-cache"),
        ("/transcript.txt", "text/plain; charset=utf-8", "no-store"),
        ("/transcript.srt", "application/x-subrip; charset=utf-8", "no-store"),
        ("/transcript.vtt", "text/vtt; charset=utf-8", "no-store"),
        ("/transcript.jsonl", "application/jsonl; charset=utf-8", "no-store"),
        ("/healthz", "text/plain; charset=utf-8", "no-store"),
        ("/metrics", "text/plain; version=0.0.4; charset=utf-8", "no-store"),
    ]

    private func expectSafe(_ answer: HTTPAnswer, _ what: String) {
        #expect(answer["content-security-policy"] == Self.policy, "\(what)")
        #expect(answer["content-security-policy"]?.contains("unsafe") == false, "\(what)")
        #expect(answer["x-content-type-options"] == "nosniff", "\(what)")
        #expect(answer["referrer-policy"] == "no-referrer", "\(what)")
        #expect(answer["cross-origin-resource-policy"] == "same-origin", "\(what)")
        #expect(answer["cross-origin-opener-policy"] == "same-origin", "\(what)")
        #expect(answer["server"] == nil && answer["access-control-allow-origin"] == nil)
    }

    @Test func routes_answer_withTheirTypes_andWhatBrowsersMayDo() async throws {
        let page = try await WebRoom.open()
        for (path, type, caching) in Self.routes {
            let answer = try await page.client.ask(path)
            #expect(answer.status == 200, "\(path)")
            #expect(answer["content-type"] == type, "\(path)")
            #expect(answer["cache-control"] == caching, "\(path)")
            expectSafe(answer, path)
            let head = try await page.client.ask(path, by: "HEAD")
            #expect(head.status == 200 && head["content-type"] == type, "HEAD \(path)")
            expectSafe(head, "HEAD \(path)")
        }
        let stream = try await page.client.events().head
        #expect(stream.status == 200 && stream["content-type"] == "text/event-stream")
        #expect(stream["cache-control"] == "no-store, no-transform")
        #expect(stream["x-accel-buffering"] == "no")
        expectSafe(stream, "/events")
        #expect(try await page.client.ask("/events", by: "HEAD").status == 200)
        #expect(try await page.client.ask("/access").status == 204)
        #expect(try await page.client.ask("/access", by: "POST", body: "x").status == 204)
    }

    /// A page must not load anything from elsewhere, and has no script of its own within.
    @Test func page_isThePrograms_andHasNothingFromElsewhere() async throws {
        let page = try await WebRoom.open()
        for path in ["/", "/page.css", "/page.js", "/floor.js"] {
            let answer = try await page.client.ask(path)
            #expect(answer["content-length"] == "\(answer.body.count)" && answer.body.count > 100)
            let addresses = answer.text.matches(of: /(?:src|href|url|import)\W{1,3}https?:/)
            #expect(addresses.isEmpty, "\(path)")
        }
        let html = try await page.client.ask("/").text
        #expect(html.contains("/page.js") || html.contains("\"page.js"))
        #expect(html.firstMatch(of: /<script[^>]*>[^<]/) == nil, "a script within the page")
    }

    @Test func page_isNotSentAgain_toABrowserThatHasIt() async throws {
        let page = try await WebRoom.open()
        for path in ["/", "/page.css", "/page.js", "/floor.js"] {
            let tag = try #require(try await page.client.ask(path)["etag"])
            #expect(tag.wholeMatch(of: /"[0-9a-z]+"/) != nil)
            let same = try await page.client.ask(path, fields: ["If-None-Match: \(tag)"])
            #expect(same.status == 304 && same.body.isEmpty && same["etag"] == tag)
            let other = try await page.client.ask(path, fields: ["If-None-Match: \"x\""])
            #expect(other.status == 200)
            // Compressed it is another form, with a name of its own.
            let gzip = "Accept-Encoding: gzip"
            let compressed = try await page.client.ask(path, fields: [gzip])
            let itsTag = try #require(compressed["etag"])
            let form = compressed["content-encoding"]
            #expect((itsTag == tag) == (form == nil) && (form ?? "gzip") == "gzip")
            let known = try await page.client.ask(
                path, fields: [gzip, "If-None-Match: \(itsTag)"])
            #expect(known.status == 304)
            if form != nil {
                let changed = try await page.client.ask(
                    path, fields: [gzip, "If-None-Match: \(tag)"])
                #expect(changed.status == 200)
            }
        }
        let tags = try await ["/", "/page.css", "/page.js", "/floor.js"].asyncMap {
            try await page.client.ask($0)["etag"]
        }
        #expect(Set(tags).count == 4)
    }

    @Test func healthz_saysOk() async throws {
        let page = try await WebRoom.open()
        #expect(try await page.client.ask("/healthz").text == "ok\n")
    }

    /// Browsers ask for it whatever the page says, and tell their console where it is missing.
    @Test func favicon_isNone_andNoError() async throws {
        let page = try await WebRoom.open()
        #expect(try await page.client.ask("/favicon.ico").status == 204)
    }

    @Test(arguments: [
        "/x", "/page", "/page.html", "/events/x", "/transcript", "/transcript.pdf", "/Events",
        "/favicon.png", "/../../etc/passwd", "//etc/passwd", "/etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/..%2f..%2fetc/passwd", "/%00", "/page.css%00.html", "/./page.js/..", "/\\..\\etc",
        "/page.css/../../../../../../etc/passwd", "/%", "/%zz", "/?/etc/passwd/..", "/%ff%fe",
        "/words/", "/words/en.json", "/words/../page.json", "/words/.json", "/words/xx.json",
    ])
    func nothingElse_isThere(_ path: String) async throws {
        let page = try await WebRoom.open()
        let answer = try await page.client.ask(path)
        if path.hasPrefix("/?") {
            #expect(answer.status == 200 && answer["content-type"]?.hasPrefix("text/html") == true)
        } else {
            #expect(answer.status == 404 || answer.status == 400, "\(answer.status)")
        }
        #expect(!answer.text.contains("root:"))
        #expect(try await page.client.ask("/healthz").status == 200)
    }

    @Test(arguments: ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "POST", "BREW"])
    func otherMethods_areRefused(_ method: String) async throws {
        let page = try await WebRoom.open()
        for path in ["/", "/events", "/transcript.txt", "/metrics"] {
            let connection = try RawConnection(to: page.client.port)
            try await connection.send(
                "\(method) \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            let answer = String(decoding: try await connection.readToEnd(), as: UTF8.self)
            let status = answer.firstMatch(of: /^HTTP\/1.1 (\d+)/)?.output.1
            #expect(["400", "404", "405"].contains(status), "\(method) \(path): \(answer)")
        }
        #expect(try await page.client.ask("/healthz").status == 200)
    }

    @Test func longPath_isRefused() async throws {
        let page = try await WebRoom.open()
        let connection = try RawConnection(to: page.client.port)
        let path = "/" + String(repeating: "x", count: 100_000)
        // The host may hang up before it has all of it.
        try? await connection.send(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        let answer = try? await connection.readToEnd()
        #expect(answer?.starts(with: "HTTP/1.1 200".utf8) != true)
        #expect(try await page.client.ask("/healthz").status == 200)
    }

    @Test func metrics_tellHowTheEventStands() async throws {
        let page = try await WebRoom.open()
        let phone = try await page.client.events()
        try await page.tell("one", "two")
        try await phone.wait(forFinal: "two")
        let figures = try PrometheusText(try await page.client.ask("/metrics").text).samples
        #expect(figures["beamscribe_lines_total"] == 2 && figures["beamscribe_phones"] == 1)
        #expect(figures["beamscribe_phones_total"] == 1)
        #expect(figures[#"beamscribe_lag_lines{reader="phone"}"#] == 0)
        #expect(try #require(figures[#"beamscribe_sent_bytes_total{reader="phone"}"#]) > 100)
    }
}

extension Sequence {
    /// The results, one after another.
    fileprivate func asyncMap<Value>(
        _ transform: (Element) async throws -> Value
    ) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await transform(element)) }
        return values
    }
}
