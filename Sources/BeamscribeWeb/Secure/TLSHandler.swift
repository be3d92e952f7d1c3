import BeamscribeCore
import BeamscribeTLS
import NIOCore

/// A browser's connection by HTTPS: what the network says is ciphertext, what the server says
/// plaintext.
///
///     network  -> channelRead -> TLSConnection -> server
///     server   -> write       -> PlaintextQueue, until flush -> TLSConnection -> network
///
/// How long a handshake may take, and who gives way where there are too many, is for
/// ``ConnectionGuard``, which knows no difference between one that has not shaken hands and one that
/// has not asked for anything.
///
/// An end that the browser says (close_notify) is what an end of its TCP connection is without TLS:
/// it says no more, and still gets its answer (RFC 8446, section 6.1).
///
/// Invariant: what TLS has to say is passed on before the call that made it returns, so that nothing
/// waits in `connection`; nothing is passed on after its farewell.
final class TLSHandler: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let connection: TLSConnection
    private var waiting = PlaintextQueue()
    private var hasHeardAnything = false
    /// Whether what comes is taken in.
    private var isListening = true
    private var hasToldEndOfInput = false
    /// Whether anything more may be said.
    private var isSpeaking = true
    /// Whether the next piece was asked for while the browser did not take what it was to get.
    private var owesRead = false

    init(_ context: TLSContext) throws(TLSError) {
        connection = try TLSConnection(context)
    }

    /// Comes at every connection's end.
    func handlerRemoved(context: ChannelHandlerContext) {
        waiting.fail(ChannelError.ioOnClosedChannel)
    }

    // MARK: Incoming

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard isListening else { return }
        let bytes = unwrapInboundIn(data)
        if !hasHeardAnything, bytes.isPlainHTTP { return refusePlainHTTP(context) }
        hasHeardAnything = true
        let (plaintext, ending) = decrypt(bytes)
        passOn(context)
        if plaintext.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plaintext)) }
        switch ending {
        case nil: break
        case .closed: tellEndOfInput(context)
        default: breakOff(context)
        }
    }

    private func decrypt(_ bytes: ByteBuffer) -> (plaintext: ByteBuffer, ending: TLSError?) {
        var plaintext = ByteBuffer()
        do throws(TLSError) {
            try bytes.readableBytesSpan.withUnsafeBytes { raw throws(TLSError) in
                try connection.receive(raw) {
                    plaintext.writeBytes($0)
                    return true
                }
            }
            return (plaintext, nil)
        } catch {
            return (plaintext, error)
        }
    }

    /// Whoever takes nothing is not read from: else one that asks for new keys again and again would
    /// have the answers pile up here.
    func read(context: ChannelHandlerContext) {
        owesRead = !context.channel.isWritable
        if !owesRead { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if owesRead, context.channel.isWritable {
            owesRead = false
            context.read()
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed? = event as? ChannelEvent {
            return tellEndOfInput(context)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// The end of the TCP connection follows that of TLS.
    private func tellEndOfInput(_ context: ChannelHandlerContext) {
        isListening = false
        guard !hasToldEndOfInput else { return }
        hasToldEndOfInput = true
        context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
    }

    /// What came is no TLS, or not any more; an alert has been passed on.
    private func breakOff(_ context: ChannelHandlerContext) {
        (isListening, isSpeaking) = (false, false)
        waiting.fail(ChannelError.ioOnClosedChannel)
        // Where no hands were shaken yet nothing is under way, and a close while the other side is
        // still sending could take the alert from it. It is the guard that does not wait for long.
        context.close(mode: connection.isEstablished ? .all : .output, promise: nil)
    }

    /// Somebody has typed the address without the s.
    private func refusePlainHTTP(_ context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: Self.hint)), promise: nil)
        breakOff(context)
    }

    private static let hint = {
        let sentence = "This page is encrypted: its address begins with https://\n"
        return """
            HTTP/1.1 400 Bad Request\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: \(sentence.utf8.count)\r
            Connection: close\r
            \r
            \(sentence)
            """
    }()

    // MARK: Outgoing

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        guard isSpeaking else { return promise?.fail(ChannelError.outputClosed) ?? () }
        waiting.append(unwrapOutboundIn(data), promise)
    }

    func flush(context: ChannelHandlerContext) {
        encryptAll(context)
        context.flush()
    }

    func close(
        context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?
    ) {
        if mode != .input, isSpeaking {
            encryptAll(context)
            isSpeaking = false
            connection.finishSending()
            passOn(context)
        }
        context.close(mode: mode, promise: promise)
    }

    private func encryptAll(_ context: ChannelHandlerContext) {
        while connection.isEstablished, !waiting.isEmpty {
            let (bytes, written) = waiting.next(atMost: TLSConnection.recordBytes)
            guard encrypt(bytes) else {
                written?.fail(ChannelError.ioOnClosedChannel)
                return breakOff(context)
            }
            context.write(wrapOutboundOut(takeRecords()), promise: written)
        }
    }

    private func encrypt(_ bytes: ByteBuffer) -> Bool {
        let taken = try? bytes.readableBytesSpan.withUnsafeBytes { raw throws(TLSError) in
            try connection.send(raw)
        }
        return taken == bytes.readableBytes
    }

    /// Sends what TLS has to say by itself: its part of the handshake, alerts, the farewell.
    private func passOn(_ context: ChannelHandlerContext) {
        guard connection.hasOutput else { return }
        context.writeAndFlush(wrapOutboundOut(takeRecords()), promise: nil)
    }

    private func takeRecords() -> ByteBuffer {
        var records = ByteBuffer()
        _ = connection.flush { records.writeBytes($0) }
        return records
    }
}

extension ByteBuffer {
    /// Whether this is the beginning of a request: a method is in capitals, and a record of TLS
    /// begins with a number below those.
    fileprivate var isPlainHTTP: Bool {
        readableBytesView.first.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            ?? false
    }
}
