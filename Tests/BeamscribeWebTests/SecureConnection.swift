import BeamscribeCore
import BeamscribeTLS
import NIOCore
import NIOEmbedded

@testable import BeamscribeWeb

/// A browser's connection by HTTPS, whose far end and whose server are the test.
final class SecureConnection {
    let channel: EmbeddedChannel
    private let browser: TLSConnection
    private let events = EventRecorder()
    /// The plaintext that came to the browser, and how its connection ended.
    private(set) var heard: [UInt8] = []
    private(set) var ending: TLSError?

    /// - Parameter rest: what stands between TLS and the server.
    init(_ rest: [any ChannelHandler & Sendable] = []) throws {
        channel = EmbeddedChannel()
        browser = try TLSConnection(.guest())
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(TLSHandler(TLSContext(host: HostKey())))
        try pipeline.addHandlers(rest + [events])
        try channel.connect(to: SocketAddress(ipAddress: "192.0.2.7", port: 8_443)).wait()
    }

    /// One whose handshake is done.
    static func established(_ rest: [any ChannelHandler & Sendable] = []) throws -> SecureConnection
    {
        let connection = try SecureConnection(rest)
        try connection.settle()
        return connection
    }

    var isEstablished: Bool { browser.isEstablished }
    /// How often the server was told that the browser says no more.
    var endsOfInput: Int { events.endsOfInput }

    // MARK: The browser

    /// What the browser has for the wire.
    func browserOutput() -> [UInt8] {
        var bytes: [UInt8] = []
        _ = browser.flush { piece in
            bytes += piece
            return piece.count
        }
        return bytes
    }

    /// Says something that fits into one record.
    func ask(_ text: String) throws {
        let taken = try Array(text.utf8).span.withUnsafeBytes { raw throws(TLSError) in
            try browser.send(raw)
        }
        precondition(taken == text.utf8.count)
    }

    func finishAsking() { browser.finishSending() }

    // MARK: The wire

    func deliver(_ bytes: some Sequence<UInt8>) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    /// Takes what the server's end has put on the wire, and answers in how many writes that came.
    @discardableResult
    func receive() throws -> Int {
        var writes = 0
        while var piece = try channel.readOutbound(as: ByteBuffer.self) {
            writes += 1
            let bytes = piece.readBytes(length: piece.readableBytes) ?? []
            guard ending == nil else { continue }
            do throws(TLSError) {
                try bytes.span.withUnsafeBytes { raw throws(TLSError) in
                    try browser.receive(raw) {
                        heard += $0
                        return true
                    }
                }
            } catch {
                ending = error
            }
        }
        return writes
    }

    /// Carries bytes between the two, `piece` at a time, until nothing moves.
    func settle(by piece: Int = .max) throws {
        while true {
            var rest = browserOutput()[...]
            let asked = rest.count
            while !rest.isEmpty {
                try deliver(rest.prefix(piece))
                rest = rest.dropFirst(piece)
            }
            if try receive() == 0, asked == 0 { return }
        }
    }

    /// The plaintext that has come to the server.
    func serverInput() throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let piece = try channel.readInbound(as: ByteBuffer.self) {
            bytes += piece.readableBytesView
        }
        return bytes
    }
}

/// Counts what the server is told beside bytes.
private final class EventRecorder: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = Any

    // Unchecked: an embedded channel has one thread.
    private(set) var endsOfInput = 0

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent { endsOfInput += 1 }
        context.fireUserInboundEventTriggered(event)
    }
}
