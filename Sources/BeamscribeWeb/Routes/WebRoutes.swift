import Beamscribe
import BeamscribeCore
import BeamscribeIO
import FoundationEssentials
import HTTPTypes
import HummingbirdCore
import NIOCore

/// What the host answers to browsers.
struct WebRoutes: Sendable {
    let host: FeedSource
    let halls: PhoneHalls
    let floor: FloorHub
    let access: WebAccess
    let desk: DownloadDesk
    let history: HistoryBook
    let historyDesk: DownloadDesk
    let names: PageNames
    let proxies: PageProxies
    let sharesMetrics: Bool

    /// The whole answer to a request that came by `channel`.
    ///
    /// - Throws: where what came is no HTTP, or the browser has gone.
    func answer(_ request: Request, by channel: any Channel) async throws -> Response {
        var response = refusal(of: request)
        if response == nil { response = try await answer(request, channel) }
        var answer = response ?? Response(status: .notFound)
        SecurityHeaders.add(
            to: &answer.headers,
            lookingAt: request.uri.path == "/look" ? await host.greeting().also ?? [] : nil)
        answer.headers[.date] = HTTPDate.text(Clock.system)
        return request.method == .head ? answer.createHeadResponse() : answer
    }

    /// Only those who ask by one of the page's names get an answer.
    private func refusal(of request: Request) -> Response? {
        // Every browser sends it, and HTTP/1.1 asks for it (RFC 9112, section 3.2).
        guard let authority = request.head.authority else {
            return Self.text("This request lacks its Host field.\n", .badRequest)
        }
        return names.include(authority)
            ? nil
            : Self.text(
                "The page does not go by this name: use the address that the host shows, or start the "
                    + "host with --web-name and the name.\n", .misdirectedRequest)
    }

    /// Nil where there is no such place.
    private func answer(_ request: Request, _ channel: any Channel) async throws -> Response? {
        let path = request.uri.path
        let visitor = proxies.visitor(request.headers, from: channel.remoteAddress)
        switch (request.method, path) {
        case (.post, "/access"): return try await exchange(request)
        case (.get, _), (.head, _): break
        default: return nil
        }
        switch path {
        case "/": return PageFile.html.response(to: request)
        case "/page.css": return PageFile.css.response(to: request)
        case "/floor.js": return PageFile.floor.response(to: request)
        case "/page.js": return PageFile.script.response(to: request)
        case "/look": return PageFile.look.response(to: request)
        case "/look.js": return PageFile.lookScript.response(to: request)
        case "/here": return await isHere(request)
        case "/OpenDyslexic.woff2": return PageFile.font.response(to: request)
        case _ where path.hasPrefix("/words/") && path.hasSuffix(".json"):
            return PageFile.words[String(path.dropFirst(7).dropLast(5))]?.response(to: request)
        case "/events": return await events(request, visitor, channel)
        case "/floor.ogg": return await sound(request, visitor)
        case "/history": return await history(request, visitor, channel)
        case "/access":
            return access.admits(request) ? Response(status: .noContent) : Self.needsLink
        // Browsers ask for it whatever the page says.
        case "/favicon.ico": return Response(status: .noContent)
        case "/healthz": return Self.text("ok\n")
        case "/metrics": return await metrics(visitor)
        default: return await transcript(request, visitor, channel)
        }
    }

    private static let transcripts: [String: TranscriptFormat] = [
        "/transcript.txt": .text, "/transcript.srt": .srt, "/transcript.vtt": .vtt,
        "/transcript.jsonl": .jsonl,
    ]

    // MARK: Captions

    private func events(
        _ request: Request, _ visitor: Visitor, _ channel: any Channel
    ) async -> Response {
        guard access.admits(request) else { return Self.needsLink }
        let source = visitor.source
        let hall = await halls.hall(of: Self.logs(of: request))
        let hub = hall.hub
        guard await hub.hasRoom(for: source) else {
            return Self.busy("As many phones as can be are here.\n")
        }
        guard let lane = try? await channel.pipeline.handler(type: StreamLane.self).get() else {
            return Response(status: .internalServerError)
        }
        let (greeting, place) = await hall.source.arrival(
            after: Self.marks(of: request),
            tail: request.uri.queryParameters["tail"].flatMap { Int(bounding: String($0)) })
        let hello = Self.hello(greeting, hasFloor: await floor.isOpen)
        return Response(
            status: .ok,
            headers: Self.live("text/event-stream"),
            body: ResponseBody { writer in
                // Whoever has gone by now must not have come.
                guard let id = await hub.arrive(at: place, by: lane, from: source) else {
                    return try await writer.finish(nil)
                }
                do {
                    try await writer.write(hello)
                    while let bytes = await hub.next(for: id) { try await writer.write(bytes) }
                    await hub.leave(id)
                } catch {
                    await hub.leave(id)
                    throw error
                }
                try await writer.finish(nil)
            })
    }

    /// Which of the event's logs are meant, by their ids or names; none for the main one.
    private static func logs(of request: Request) -> [String] {
        request.uri.queryParameters[values: "log"].map(String.init)
    }

    /// The newest finals that a browser has: what it says by itself when it comes back counts for
    /// more than what the address says.
    private static func marks(of request: Request) -> FeedMarks {
        let after = request.uri.queryParameters["after"].map(String.init)
        return FeedMarks(request.headers[.lastEventID] ?? after ?? "")
    }

    private static func hello(_ greeting: FeedGreeting, hasFloor: Bool) -> ByteBuffer {
        var greeting = greeting
        greeting.floor = hasFloor ? true : nil
        // Encoding fails for numbers that are not finite only, and clocks' are.
        let json = (try? JSONEncoder().encode(greeting)) ?? Data()
        return ByteBuffer(
            bytes: Array("retry: 1000\n\n".utf8) + EventStreamEncoder.event("hello", json: json))
    }

    /// The sound of the room, for as long as somebody wants it; nil where there is none.
    private func sound(_ request: Request, _ visitor: Visitor) async -> Response? {
        guard access.admits(request) else { return Self.needsLink }
        let (floor, source) = (floor, visitor.source)
        guard await floor.isOpen else { return nil }
        guard await floor.hasRoom(for: source) else {
            return Self.busy("As many listen as can.\n")
        }
        return Response(
            status: .ok, headers: Self.live("audio/ogg"),
            body: ResponseBody { writer in
                // Whoever has gone by now must not have come.
                guard let place = await floor.arrive(from: source) else {
                    return try await writer.finish(nil)
                }
                do {
                    try await writer.write(place.beginning)
                    for await page in place.pages { try await writer.write(page) }
                    await floor.leave(place.id)
                } catch {
                    await floor.leave(place.id)
                    throw error
                }
                try await writer.finish(nil)
            })
    }

    /// Finals that a page's stream began behind.
    private func history(
        _ request: Request, _ visitor: Visitor, _ channel: any Channel
    ) async -> Response {
        guard access.admits(request) else { return Self.needsLink }
        guard let question = HistoryQuestion(request) else {
            return Self.text(
                "Ask for /history?session=ID&run=N&before=SEQ&count=N.\n", .badRequest)
        }
        let source = await host.other(named: question.session) ?? host
        let greeting = await source.greeting()
        guard let range = question.range(at: greeting) else {
            return Self.text(
                "These numbers are not this event's: /events says which are.\n", .conflict)
        }
        guard let place = historyDesk.takePlace(for: visitor, by: channel) else {
            return Self.busy("Others are getting the history; try again in a moment.\n", after: 2)
        }
        guard let piece = await history.piece(range, of: greeting, from: source) else {
            return Self.busy("These lines are not stored yet; try again in a moment.\n", after: 1)
        }
        var headers: HTTPFields = [
            .contentType: "application/jsonl; charset=utf-8", .vary: "Accept-Encoding",
            // Finals stay what they are. A private event's are not to stay on a phone's disk.
            .cacheControl: access.isOpen ? "private, max-age=86400, immutable" : "no-store",
        ]
        guard let compressed = piece.compressed, request.takesGzip else {
            return Response(status: .ok, headers: headers, body: place.answer(piece.plain))
        }
        headers[.contentEncoding] = "gzip"
        return Response(status: .ok, headers: headers, body: place.answer(compressed))
    }

    /// Whether a phone that reads the event elsewhere could go on here. All that somebody else's page
    /// learns by it is that an event whose id it knows is served here.
    private func isHere(_ request: Request) async -> Response {
        let words = request.uri.queryParameters
        let session = words["session"].map(String.init) ?? ""
        let greeting = await (host.other(named: session) ?? host).greeting()
        guard session == greeting.session,
            let run = words["run"].flatMap({ Int(bounding: String($0)) }),
            let seq = words["seq"].flatMap({ Int(bounding: String($0)) })
        else { return Self.text("This event is not here.\n", .conflict) }
        let runs = greeting.runs.count
        guard run < runs || run == runs && seq <= greeting.lastSeq else {
            return Self.text("Not all of it is here.\n", .conflict)
        }
        return Response(status: .noContent, headers: [.accessControlAllowOrigin: "*"])
    }

    // MARK: Access

    private func exchange(_ request: Request) async throws -> Response {
        let body: ByteBuffer
        do {
            body = try await request.body.collect(upTo: Self.tokenBytes)
        } catch is NIOTooManyBytesError {
            return Response(status: .contentTooLarge)
        }
        let elsewhere = await host.linkOfHost.flatMap(LinkToken.init)
        switch access.exchange(body.readableBytesView, elsewhere: elsewhere) {
        case .open: return Response(status: .noContent)
        case .refused: return Self.text("This link does not open the event.\n", .forbidden)
        case .cookie(let cookie):
            return Response(status: .noContent, headers: [.setCookie: cookie])
        }
    }

    /// More than a token has.
    private static let tokenBytes = 64

    // MARK: The rest

    private func transcript(
        _ request: Request, _ visitor: Visitor, _ channel: any Channel
    ) async -> Response? {
        guard let format = Self.transcripts[request.uri.path] else { return nil }
        guard access.admits(request) else { return Self.needsLink }
        let sources = await logs(Self.logs(of: request))
        guard !sources.isEmpty else {
            return Self.text("These captions are not there, or not any more.\n", .notFound)
        }
        guard let download = desk.download(format, of: sources, for: visitor, by: channel) else {
            return Self.busy("Others are getting the transcript; try again in a moment.\n")
        }
        let alone = sources.count == 1 ? sources[0].log?.label : nil
        let name = await [host.greeting().eventName, alone].compactMap(\.self)
            .joined(separator: ", ")
        let ending = request.uri.path.drop { $0 != "." }
        // To be read where it was not asked for as a file: a browser without script has no more.
        let use = request.uri.queryParameters["download"] == nil ? "inline" : "attachment"
        let headers: HTTPFields = [
            .contentType: Self.contentType(of: format),
            .contentDisposition: "\(use); filename*=UTF-8''\(Self.encoded(name))\(ending)",
        ]
        return Response(status: .ok, headers: headers, body: download)
    }

    /// The logs that are meant, each by itself; none where there is no such log.
    private func logs(_ words: [String]) async -> [FeedSource] {
        if let selection = FeedSelection(words) { return await host.apart(selection) }
        guard let name = words.first, name != FeedSelection.floor else { return [host] }
        return await host.other(named: name).map { [$0] } ?? []
    }

    private static func contentType(of format: TranscriptFormat) -> String {
        switch format {
        case .text: "text/plain; charset=utf-8"
        case .vtt: "text/vtt; charset=utf-8"
        case .srt: "application/x-subrip; charset=utf-8"
        case .jsonl: "application/jsonl; charset=utf-8"
        }
    }

    /// A name for a file as RFC 8187 wants it: what is no letter or digit of ASCII is encoded.
    private static func encoded(_ name: String) -> String {
        name.utf8.map { byte in
            let isPlain =
                byte < 128
                && (Character(UnicodeScalar(byte)).isLetter
                    || Character(UnicodeScalar(byte)).isNumber)
            let hex = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (hex.count < 2 ? "0" : "") + hex
        }.joined()
    }

    private func metrics(_ visitor: Visitor) async -> Response? {
        // To others there is no such page.
        guard sharesMetrics || visitor.isLocal else { return nil }
        let event = await host.metrics()
        let lines = event.lines
        let text = MetricsText.of(
            event, phones: await halls.count, arrivals: await halls.arrivals,
            phoneBytes: await halls.sentBytes,
            phoneLag: await halls.lag(behind: lines))
        return Self.text(text, contentType: "text/plain; version=0.0.4; charset=utf-8")
    }

    // MARK: Answers

    /// The headers of what has no end and must not wait on its way: proxies that compress it, or
    /// hold it back to send more at once, are told not to.
    private static func live(_ contentType: String) -> HTTPFields {
        [
            .contentType: contentType, .cacheControl: "no-store, no-transform",
            .accelBuffering: "no",
        ]
    }

    private static var needsLink: Response {
        text("This event needs its link. Scan the code that the host shows.\n", .unauthorized)
    }

    private static func busy(_ why: String, after seconds: Int = 10) -> Response {
        var response = text(why, .serviceUnavailable)
        response.headers[.retryAfter] = "\(seconds)"
        return response
    }

    static func text(
        _ text: String, _ status: HTTPResponse.Status = .ok,
        contentType: String = "text/plain; charset=utf-8"
    ) -> Response {
        Response(
            status: status, headers: [.contentType: contentType],
            body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}

extension HTTPField.Name {
    /// Where a browser that comes back says what it has.
    static let lastEventID = HTTPField.Name("Last-Event-ID") ?? .range
    /// Whether nginx may hold an answer back.
    fileprivate static let accelBuffering = HTTPField.Name("X-Accel-Buffering") ?? .via
}

extension Request {
    /// Whether the answer may be compressed (RFC 9110, section 12.5.3): browsers name gzip without a
    /// weight, and whoever names one, such as 0, gets it plain.
    var takesGzip: Bool {
        headers[values: .acceptEncoding].contains { field in
            field.split(separator: ",").contains { $0.filter { $0 != " " } == "gzip" }
        }
    }
}
