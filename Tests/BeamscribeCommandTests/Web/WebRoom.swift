import TestSupport
import Testing

/// A host that serves its page at a free port of this machine alone.
struct WebRoom: Sendable {
    let room: Room
    /// The address that phones are shown, with the token of a private event.
    let link: String
    /// Nil for an open event.
    let token: String?
    /// Asks as a browser does that has no cookie.
    let client: WebClient

    var host: RunningProgram { room.host }

    static func open(_ options: String..., event: String = "Town Hall") async throws -> WebRoom {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", event, "--web", "127.0.0.1:0"]
        let launch = Launch.beamscribe(words + Room.quiet(port: 0) + options, state: folder)
        return try await WebRoom(Room(launch, folder))
    }

    /// A private event.
    static func open(
        code: String, event: String = "Town Hall", _ options: String...
    ) async throws -> WebRoom {
        let folder = try TemporaryFolder()
        let words = ["host", "--event", event, "--web", "127.0.0.1:0"]
        var launch = Launch.beamscribe(words + Room.quiet(port: 0) + options, state: folder)
        launch.environment["BEAMSCRIBE_CODE"] = code
        return try await WebRoom(Room(launch, folder))
    }

    /// By HTTPS.
    static func open(code: String? = nil, by certificate: Certificate) async throws -> WebRoom {
        let files = ["certificate.pem", "key.pem"].map(certificate.folder.path(of:))
        let words = ["host", "--event", "Town Hall", "--web", "127.0.0.1:0", "--web-tls"] + files
        var launch = Launch.beamscribe(words + Room.quiet(port: 0), state: certificate.folder)
        if let code { launch.environment["BEAMSCRIBE_CODE"] = code }
        return try await WebRoom(Room(launch, certificate.folder))
    }

    /// An event of which the host remembers the end alone; the last line is "the end".
    static func openForgetful() async throws -> WebRoom {
        let page = try await open("--history", "2097152")
        let words = String(repeating: " and so on", count: 60)
        try await page.tell(numbered(1...6_000).map { $0 + words })
        try await page.host.waitForLine(
            containing: "late joiners get it from line", on: .standardError)
        try await page.tell("the end")
        return page
    }

    /// Waits until the host of `room` has shown where its page is.
    init(_ room: Room) async throws {
        self.room = room
        let line = try await room.host.waitForLine(
            "the page's address", on: .standardError, within: .seconds(20)
        ) { $0.contains(Self.shape) }
        let parts = try #require(line.firstMatch(of: Self.shape)).output
        link = String(parts.1)
        token = parts.3.map(String.init)
        client = WebClient(try #require(UInt16(parts.2)))
    }

    private static var shape: Regex<(Substring, Substring, Substring, Substring?)> {
        /(https?:\/\/127\.0\.0\.1:([0-9]+)\/(?:#([A-Za-z0-9_-]{22}))?)/
    }

    func tell(_ lines: [String]) async throws { try await room.tell(lines) }
    func tell(_ lines: String...) async throws { try await room.tell(lines) }

    /// A partial of a line, for a host that reads JSON.
    static func partial(_ text: String, line: Int) -> String {
        #"{"text":"\#(text)","final":false,"line":\#(line)}"#
    }

    static func final(_ text: String, line: Int) -> String {
        #"{"text":"\#(text)","line":\#(line)}"#
    }
}
