import BeamscribeCore
import BeamscribeTLS
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypesHTTP1
import Testing

@testable import BeamscribeWeb

/// HTTPS on a channel without a network.
@Suite struct TLSHandlerTests {
    private static let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"

    // MARK: What comes

    /// Each flight of the browser's is cut in two, at each place.
    @Test func request_comesThrough_whereverTheBytesAreCut() throws {
        var longest = 2
        var cut = 1
        while cut < longest {
            let connection = try SecureConnection()
            for isFirst in [true, false] {
                var flight = connection.browserOutput()
                if !isFirst {
                    try connection.ask(Self.request)
                    flight += connection.browserOutput()
                }
                longest = max(longest, flight.count)
                try connection.deliver(flight.prefix(cut))
                try connection.deliver(flight.dropFirst(cut))
                try connection.receive()
            }
            try #require(try connection.serverInput() == Array(Self.request.utf8), "cut at \(cut)")
            cut += 1
        }
        #expect(cut > 100)
    }

    @Test(arguments: [1, 2, 3, 5, 7, 64, 1_000])
    func request_comesThrough_piecemeal(size: Int) throws {
        let connection = try SecureConnection()
        try connection.settle(by: size)
        #expect(connection.isEstablished)
        for _ in 1...3 {
            try connection.ask(Self.request)
            try connection.settle(by: size)
            #expect(try connection.serverInput() == Array(Self.request.utf8))
        }
    }

    @Test func requests_comeTogether_whereSeveralAreInOnePiece() throws {
        let connection = try SecureConnection.established()
        var flight: [UInt8] = []
        for _ in 1...5 {
            try connection.ask(Self.request)
            flight += connection.browserOutput()
        }
        try connection.deliver(flight)
        #expect(try connection.serverInput().count == 5 * Self.request.utf8.count)
    }

    /// One that asks for new keys and takes no answer would have the answers pile up.
    @Test func browser_isNotReadFrom_whileItTakesNothing() throws {
        let reads = ReadCounter()
        let connection = try SecureConnection.established()
        try connection.channel.pipeline.syncOperations.addHandler(reads, position: .first)
        connection.channel.isWritable = false
        connection.channel.read()
        connection.channel.read()
        #expect(reads.count == 0)
        connection.channel.isWritable = true
        connection.channel.pipeline.fireChannelWritabilityChanged()
        #expect(reads.count == 1)
        connection.channel.read()
        #expect(reads.count == 2)
    }

    // MARK: What goes

    /// As an answer of HTTP/1.1 comes: its header, a length, bytes, the end of a line, nothing.
    @Test func answer_goesAsOneRecord_andIsKnownToBeWritten() throws {
        let connection = try SecureConnection.established()
        var kept = 0
        for piece in ["HTTP/1.1 200 OK\r\n\r\n", "3\r\n", "one", "\r\n", "0\r\n\r\n", ""] {
            connection.channel.write(ByteBuffer(string: piece)).assumeIsolated().whenSuccess {
                kept += 1
            }
        }
        #expect(try connection.receive() == 0 && kept == 0)
        connection.channel.flush()
        #expect(kept == 6)
        #expect(try connection.receive() == 1)
        #expect(String(decoding: connection.heard, as: UTF8.self).hasSuffix("\r\none\r\n0\r\n\r\n"))
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func answers_arriveWhole_whateverTheirPieces(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let connection = try SecureConnection.established()
        var said: [UInt8] = []
        var kept = 0
        let writes = 40
        for _ in 1...writes {
            let count = [0, 1, 3, 500, 16_383, 16_384, 16_385, 50_000].randomElement(
                using: &random)!
            let piece = (0..<count).map { UInt8(truncatingIfNeeded: $0 &+ said.count) }
            said += piece
            connection.channel.write(ByteBuffer(bytes: piece)).assumeIsolated().whenSuccess {
                kept += 1
            }
            if Bool.random(using: &random) { connection.channel.flush() }
        }
        connection.channel.flush()
        try connection.receive()
        #expect(connection.heard == said && kept == writes)
    }

    /// An alert alone cannot have gone before the rest.
    @Test func close_saysFarewell_afterWhatWasSaid() throws {
        let connection = try SecureConnection.established()
        connection.channel.write(ByteBuffer(string: "the end"), promise: nil)
        connection.channel.close(promise: nil)
        try connection.receive()
        #expect(connection.heard == Array("the end".utf8) && connection.ending == .closed)
        #expect(!connection.channel.isActive)
    }

    @Test func write_isRefused_afterTheEnd() throws {
        let connection = try SecureConnection.established()
        connection.channel.close(promise: nil)
        #expect(throws: (any Error).self) {
            try connection.channel.writeAndFlush(ByteBuffer(string: "more")).wait()
        }
    }

    @Test func whoeverWaits_isTold_whenTheConnectionHasGone() throws {
        let connection = try SecureConnection()
        let written = connection.channel.writeAndFlush(ByteBuffer(string: "too soon"))
        connection.channel.close(promise: nil)
        connection.channel.embeddedEventLoop.run()
        #expect(throws: (any Error).self) { try written.wait() }
        #expect(try connection.receive() == 0)
    }

    // MARK: Ends

    @Test func browserThatSaysNoMore_stillGetsItsAnswer() throws {
        let connection = try SecureConnection.established()
        try connection.ask(Self.request)
        connection.finishAsking()
        try connection.settle()
        #expect(try connection.serverInput() == Array(Self.request.utf8))
        #expect(connection.endsOfInput == 1)
        // The end of its TCP connection follows, and is the same end.
        connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(connection.endsOfInput == 1)
        connection.channel.writeAndFlush(ByteBuffer(string: "ok"), promise: nil)
        try connection.receive()
        #expect(connection.heard == Array("ok".utf8) && connection.channel.isActive)
    }

    @Test func browserThatIsGone_isToldOf_whereItSaidNothing() throws {
        for connection in [try SecureConnection(), try SecureConnection.established()] {
            connection.channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(connection.endsOfInput == 1)
        }
    }

    @Test(arguments: [
        "\u{16}\u{3}\u{1}\u{0}\u{4}\u{63}\u{0}\u{0}\u{0}", "\0\0\0\0\0\0\0", "ssh-2.0 hello\r\n",
        "\u{15}\u{3}\u{3}\u{0}\u{2}\u{2}\u{28}",
    ])
    func garbage_endsTheHandshake(bytes: String) throws {
        let connection = try SecureConnection()
        try connection.deliver(bytes.utf8)
        try connection.deliver(connection.browserOutput())
        try connection.receive()
        #expect(!connection.isEstablished && !connection.channel.isActive)
        #expect(try connection.serverInput() == [])
    }

    @Test func changedByte_endsTheConnection_andIsNotPassedOn() throws {
        let connection = try SecureConnection.established()
        try connection.ask(Self.request)
        var record = connection.browserOutput()
        record[record.count - 1] ^= 1
        try connection.deliver(record)
        try connection.receive()
        #expect(connection.ending == .alert(TLSAlert(rawValue: 20)))  // bad_record_mac
        #expect(!connection.channel.isActive)
        #expect(try connection.serverInput() == [])
    }

    /// Somebody has typed the address without the s.
    @Test func plainHTTP_isTold_thatThePageIsEncrypted() throws {
        let connection = try SecureConnection()
        try connection.deliver("G".utf8)
        let answer = try #require(try connection.channel.readOutbound(as: ByteBuffer.self))
        let text = String(buffer: answer)
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.hasSuffix("https://\n"))
        #expect(try connection.serverInput() == [])
        #expect(!connection.channel.isActive)
    }

    /// Silent, half a handshake, and one that is done but asks for nothing.
    @Test(arguments: [0, 100, Int.max])
    func connection_isClosed_whichDoesNotGetOn(bytes: Int) throws {
        let limit = TimeAmount.seconds(10)
        let connection = try SecureConnection()
        let pipeline = connection.channel.pipeline.syncOperations
        try pipeline.configureHTTPServerPipeline()
        try pipeline.addHandler(HTTP1ToHTTPServerCodec(secure: false))
        try pipeline.addHandler(
            ConnectionGuard(ConnectionHall(), behind: PageProxies(), idle: limit))
        if bytes == .max {
            try connection.settle()
        } else {
            // Its bytes come one by one, all the time.
            for byte in connection.browserOutput().prefix(bytes) {
                try connection.deliver([byte])
                connection.channel.embeddedEventLoop.advanceTime(by: .milliseconds(99))
            }
        }
        #expect(connection.channel.isActive)
        connection.channel.embeddedEventLoop.advanceTime(by: limit)
        #expect(!connection.channel.isActive)
    }
}

/// Counts how often the network is asked for more.
private final class ReadCounter: ChannelOutboundHandler, @unchecked Sendable {
    typealias OutboundIn = ByteBuffer

    // Unchecked: an embedded channel has one thread.
    private(set) var count = 0

    func read(context: ChannelHandlerContext) {
        count += 1
        context.read()
    }
}
