import Foundation
import TestSupport
import Testing

/// The newest lines first, and the others as history.
@Suite struct WebHistoryTests {
    /// What the stream leaves out, since the event says it, is in the history.
    private static func packet(ofFinal data: String) -> String {
        #"{"type":"liveChunk","isFinal":true,"# + data.dropFirst()
    }

    /// A page whose host has these lines, and its session's id.
    private func open(_ lines: [String]) async throws -> (WebRoom, String) {
        let page = try await WebRoom.open()
        try await page.tell(lines)
        let witness = try await page.client.events()
        try await witness.wait(for: "the last line") { $0.text == lines.last }
        return (page, try SessionFolder(page.room.folder).onlyID())
    }

    private func objects(_ answer: HTTPAnswer) throws -> [[String: Any]] {
        try answer.text.split(separator: "\n").map { row in
            try #require(
                try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
        }
    }

    // MARK: Where a stream begins

    @Test(
        arguments: [
            ("?tail=2", nil, 4), ("?tail=0", nil, 6), ("?tail=5", nil, 1), ("?tail=99", nil, 1),
            ("?after=1&tail=2", nil, 4), ("?after=4&tail=3", nil, 5), ("?tail=2", "1", 4),
            ("?tail=2", "4", 5), ("?after=77&tail=2", nil, 4), ("?tail=x", nil, 1),
            ("?tail=-1", nil, 6), ("?tail=9223372036854775807", nil, 1), ("?after=2", nil, 3),
            ("?tail=-9223372036854775808", nil, 6),
        ] as [(String, String?, Int)])
    func stream_beginsWithTheNewest_andSaysWhere(
        query: String, last: String?, first: Int
    ) async throws {
        let (page, _) = try await open(numbered(1...5))
        let phone = try await EventStreamReader.open(
            page.client.port, "/events" + query, fields: last.map { ["Last-Event-ID: \($0)"] } ?? []
        )
        let hello = try await phone.wait(for: "hello") { $0.name == "hello" }
        #expect(hello.object["after"] as? Int == first - 1, "\(query) \(last ?? "")")
        try await page.tell("line 6")
        try await phone.wait(forFinal: "line 6")
        #expect(phone.numbers == Array(first...6), "\(query) \(last ?? "")")
    }

    // MARK: Pieces

    @Test func history_isWhatTheStreamWouldHaveSent() async throws {
        let words = String(repeating: " and so on", count: 10)
        let (page, session) = try await open(numbered(1...1_200).map { $0 + words })
        let phone = try await page.client.events()
        try await phone.wait(for: "all") { $0.id == "1200" }
        let sent = Dictionary(
            uniqueKeysWithValues: phone.events.compactMap { event in
                event.id.flatMap { Int($0) }.map { ($0, Self.packet(ofFinal: event.data)) }
            })
        let ask = "/history?session=\(session)&run=1"
        for (before, count, range) in [
            (1_001, 300, 701...1_000), (1_201, 9_999, 701...1_200), (41, 500, 1...40),
            (2, 1, 1...1),
        ] {
            let answer = try await page.client.ask(ask + "&before=\(before)&count=\(count)")
            #expect(answer.status == 200)
            #expect(answer["content-type"] == "application/jsonl; charset=utf-8")
            #expect(answer["content-length"] == "\(answer.body.count)")
            let rows = answer.text.split(separator: "\n").map(String.init)
            let head = try #require(try objects(answer).first)
            #expect(head["type"] as? String == "history" && head["run"] as? Int == 1)
            #expect(head["session"] as? String == session)
            #expect(head["from"] as? Int == range.lowerBound)
            #expect(head["through"] as? Int == range.upperBound)
            #expect(rows.dropFirst() == ArraySlice(range.map { sent[$0] ?? "" }), "\(range)")
        }
    }

    @Test func history_isCompressed_whereTheBrowserTakesIt() async throws {
        let (page, session) = try await open(numbered(1...600))
        let path = "/history?session=\(session)&run=1&before=501&count=500"
        let plain = try await page.client.ask(path)
        #expect(plain["content-encoding"] == nil && plain["vary"] == "Accept-Encoding")
        for field in ["gzip", "gzip, deflate, br", "br,gzip"] {
            let answer = try await page.client.ask(path, fields: ["Accept-Encoding: \(field)"])
            #expect(answer["content-encoding"] == "gzip" && answer["vary"] == "Accept-Encoding")
            #expect(answer.body.starts(with: [0x1f, 0x8b]))
            #expect(answer.body.count * 4 < plain.body.count)
        }
        for field in ["identity", "gzip;q=0", "br", "x-gzip2"] {
            let answer = try await page.client.ask(path, fields: ["Accept-Encoding: \(field)"])
            #expect(answer["content-encoding"] == nil && answer.body == plain.body, "\(field)")
        }
    }

    @Test func pageItself_isCompressed_whereTheBrowserTakesIt() async throws {
        let page = try await WebRoom.open()
        for path in ["/", "/page.css", "/page.js"] {
            let plain = try await page.client.ask(path)
            let answer = try await page.client.ask(path, fields: ["Accept-Encoding: gzip"])
            #expect(answer["content-encoding"] == "gzip" && answer["vary"] == "Accept-Encoding")
            #expect(answer["content-length"] == "\(answer.body.count)")
            #expect(answer.body.count * 2 < plain.body.count && plain["content-encoding"] == nil)
        }
    }

    @Test func history_mayBeKept_ofAnOpenEventOnly() async throws {
        let (page, session) = try await open(["one", "two"])
        let answer = try await page.client.ask("/history?session=\(session)&run=1&before=2&count=1")
        #expect(answer["cache-control"] == "private, max-age=86400, immutable")
        let secret = try await WebRoom.open(code: "7K3M9-QX2TA")
        try await secret.tell("one", "two")
        let client = try await secret.opened()
        let phone = try await client.events()
        try await phone.wait(forFinal: "two")
        let id = try SessionFolder(secret.room.folder).onlyID()
        let path = "/history?session=\(id)&run=1&before=3&count=2"
        let refused = try await secret.client.ask(path)
        #expect(refused.status == 401 && !refused.text.contains("one"))
        let told = try await client.ask(path)
        #expect(told.status == 200 && told["cache-control"] == "no-store")
        #expect(try objects(told).count == 3)
    }

    @Test(arguments: [
        ("session=ID&run=1&before=3&count=2", 200), ("session=ID&run=1&before=6&count=2", 200),
        ("session=ID&run=1&before=7&count=2", 409), ("session=ID&run=2&before=3&count=2", 409),
        ("session=other&run=1&before=3&count=2", 409), ("run=1&before=3&count=2", 400),
        ("session=ID&before=3&count=2", 400), ("session=ID&run=1&count=2", 400),
        ("session=ID&run=1&before=3", 400), ("session=ID&run=1&before=1&count=2", 400),
        ("session=ID&run=1&before=0&count=2", 400), ("session=ID&run=1&before=3&count=0", 400),
        ("session=ID&run=1&before=x&count=2", 400),
        ("session=ID&run=1&before=-9223372036854775808&count=2", 400),
        ("session=ID&run=1&before=3&count=9223372036854775807", 200),
        ("session=ID&run=1&before=9223372036854775807&count=1", 409), ("", 400),
    ])
    func question_isAnswered_whereItsNumbersAreThisEvents(query: String, status: Int) async throws {
        let (page, session) = try await open(numbered(1...5))
        let answer = try await page.client.ask(
            "/history?" + query.replacing("ID", with: session))
        #expect(answer.status == status, "\(query)")
        #expect(status == 200 || answer.text.hasSuffix(".\n"))
    }

    @Test func linesThatAreGone_areToldInTheirPlace() async throws {
        let page = try await WebRoom.openForgetful()
        let phone = try await page.client.events(after: 2)
        try await phone.wait(forFinal: "the end")
        let gap = try #require(phone.events.first { $0.name == "gap" }).object
        let through = try #require(gap["through"] as? Int)
        let session = try SessionFolder(page.room.folder).onlyID()
        func rows(before: Int, count: Int) async throws -> [[String: Any]] {
            try objects(
                await page.client.ask(
                    "/history?session=\(session)&run=1&before=\(before)&count=\(count)"))
        }
        let half = try await rows(before: through + 11, count: 20)
        #expect(half[0]["through"] as? Int == through + 10)
        #expect(half[1]["type"] as? String == "gap" && half[1]["from"] as? Int == through - 9)
        #expect(half[1]["through"] as? Int == through)
        #expect(
            half.dropFirst(2).compactMap { $0["seq"] as? Int } == Array(through + 1...through + 10))
        let gone = try await rows(before: 51, count: 50)
        #expect(gone.count == 2 && gone[1]["from"] as? Int == 1 && gone[1]["through"] as? Int == 50)
        #expect(gone[0]["through"] as? Int == 50)
    }
}
