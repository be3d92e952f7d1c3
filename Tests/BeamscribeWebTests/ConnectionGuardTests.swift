import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import Testing

@testable import BeamscribeWeb

/// How long a browser's connection may say nothing, on a clock that the test turns.
@Suite struct ConnectionGuardTests {
    /// A connection as the server has them, whose far end is the test.
    private struct Connection {
        let channel = EmbeddedChannel()

        init() throws {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.configureHTTPServerPipeline()
            try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
            try pipeline.addHandler(
                ConnectionGuard(ConnectionHall(), behind: PageProxies(), idle: .seconds(10)))
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 8_080)).wait()
        }

        var isOpen: Bool { channel.isActive }

        func say(_ text: String) throws {
            try channel.writeInbound(ByteBuffer(string: text))
        }

        /// The host's part; what is not flushed has not been taken by the kernel.
        func answer(_ parts: HTTPResponsePart..., isTaken: Bool = true) {
            for part in parts { channel.write(part, promise: nil) }
            if isTaken { channel.flush() }
        }

        func wait(_ time: TimeAmount) {
            channel.embeddedEventLoop.advanceTime(by: time)
        }

        /// It is closed when it has been idle for ten seconds from now, and no sooner.
        func expectEnd(_ location: SourceLocation = #_sourceLocation) {
            wait(.seconds(10) - .nanoseconds(1))
            #expect(isOpen, sourceLocation: location)
            wait(.nanoseconds(1))
            #expect(!isOpen, sourceLocation: location)
        }
    }

    private static let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    private static func head(_ type: String = "text/plain") -> HTTPResponsePart {
        .head(HTTPResponse(status: .ok, headerFields: [.contentType: type]))
    }

    @Test(arguments: ["", "GET", "GET / HTTP/1.1\r\nHost: x\r\n"])
    func connection_isClosed_whichDoesNotSayWhatItWants(begun: String) throws {
        let connection = try Connection()
        try connection.say(begun)
        connection.expectEnd()
    }

    /// A byte now and then is no request.
    @Test func connection_isClosed_whoseHeaderTakesItsTime() throws {
        let connection = try Connection()
        try connection.say("GET / HTTP/1.1\r\nX: ")
        for _ in 1...9 {
            connection.wait(.seconds(1))
            try connection.say("y")
        }
        #expect(connection.isOpen)
        connection.wait(.seconds(1))
        #expect(!connection.isOpen)
    }

    @Test func connection_isClosed_afterItsAnswer_butServesSeveralBefore() throws {
        let connection = try Connection()
        for _ in 1...3 {
            connection.wait(.seconds(10) - .nanoseconds(1))
            try connection.say(Self.request)
            connection.answer(Self.head(), .end(nil))
        }
        connection.expectEnd()
    }

    @Test func eventStream_stays() throws {
        let connection = try Connection()
        try connection.say(Self.request)
        connection.answer(Self.head("text/event-stream"))
        connection.wait(.hours(1))
        #expect(connection.isOpen)
        connection.answer(.end(nil))
        connection.expectEnd()
    }

    /// The end of an answer that waits for the kernel is still to come: to close the connection
    /// would be to cut it off.
    @Test func answer_isNotCutOff_whoseReaderIsSlow() throws {
        let connection = try Connection()
        try connection.say(Self.request)
        let end = HTTPResponsePart.body(ByteBuffer(string: "the end"))
        connection.answer(Self.head(), end, .end(nil), isTaken: false)
        connection.wait(.hours(1))
        #expect(connection.isOpen)
        connection.channel.flush()
        connection.expectEnd()
    }

    /// Somebody who asks for two things at once is owed both.
    @Test func connection_stays_untilTheLastOfItsAnswers() throws {
        let connection = try Connection()
        try connection.say(Self.request + Self.request)
        connection.answer(Self.head(), .end(nil))
        connection.wait(.hours(1))
        #expect(connection.isOpen)
        connection.answer(Self.head(), .end(nil))
        connection.expectEnd()
    }
}
