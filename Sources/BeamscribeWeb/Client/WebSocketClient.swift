import BeamscribeCore
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import Synchronization

/// A connection to a server that speaks in texts (RFC 6455), for a thread that may wait.
///
/// What the server may do is bounded: each wait by ``Limits/serviceRequest``, each text, however it
/// is cut, by ``Limits/serviceAnswer``, those that nobody takes by ``Limits/serviceTexts``.
public final class WebSocketClient {
    /// Why a connection cannot be used, or not any more.
    public enum Failure: Error, Equatable {
        /// Nobody answers there, or what does is no such server.
        case unreachable
        case noWebSocket
        /// It has not answered in time.
        case silent
        /// It has closed the connection; the code where it said one.
        case closed(Int?)
    }

    /// All of them together need a thread.
    private static let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)

    private let channel: any Channel
    private let inbox: Inbox

    /// Connects.
    ///
    /// - Parameter subprotocol: what the texts are (Sec-WebSocket-Protocol).
    public init(host: String, port: UInt16, subprotocol: String) throws(Failure) {
        let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        let request = HTTPRequestHead(
            version: .http1_1, method: .GET, uri: "/",
            headers: ["Host": authority, "Sec-WebSocket-Protocol": subprotocol])
        let inbox = Inbox()
        let loop = Self.group.next()
        let connected = ClientBootstrap(group: loop)
            .connectTimeout(TimeAmount(Limits.serviceRequest))
            .connect(host: host, port: Int(port))
        let channel = try Self.wait(for: connected, on: loop, else: .unreachable)
        let upgraded = loop.flatSubmit {
            do {
                return try Self.upgrade(channel, asking: request, into: inbox)
            } catch {
                return loop.makeFailedFuture(error)
            }
        }
        do throws(Failure) {
            try Self.wait(for: upgraded, on: loop, else: .noWebSocket)
        } catch {
            channel.close(promise: nil)
            throw error
        }
        (self.channel, self.inbox) = (channel, inbox)
    }

    deinit {
        channel.close(promise: nil)
    }

    /// Whether the server has not closed it yet.
    public var isOpen: Bool { inbox.isOpen }

    /// Sends a text, without waiting for an answer.
    public func send(_ text: String) {
        let frame = WebSocketFrame(
            fin: true, opcode: .text, maskKey: .random(), data: ByteBuffer(string: text))
        channel.writeAndFlush(frame, promise: nil)
    }

    /// Waits for the next text.
    public func receive() throws(Failure) -> String {
        let loop = channel.eventLoop
        return try Self.wait(for: inbox.next(on: loop), on: loop, else: .closed(nil))
    }

    // MARK: The connection

    private static func upgrade(
        _ channel: any Channel, asking request: HTTPRequestHead, into inbox: Inbox
    ) throws -> EventLoopFuture<Void> {
        let upgrader = NIOTypedWebSocketClientUpgrader<Void>(
            maxFrameSize: Limits.serviceAnswer
        ) { channel, _ in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers(
                    NIOWebSocketFrameAggregator(
                        minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: Limits.serviceTexts,
                        maxAccumulatedFrameSize: Limits.serviceAnswer),
                    InboxHandler(inbox))
            }
        }
        var configuration = NIOUpgradableHTTPClientPipelineConfiguration(
            upgradeConfiguration: NIOTypedHTTPClientUpgradeConfiguration(
                upgradeRequestHead: request, upgraders: [upgrader],
                notUpgradingCompletionHandler: { channel in
                    channel.eventLoop.makeFailedFuture(Failure.noWebSocket)
                }))
        // A server may speak first, in the same piece as its answer.
        configuration.leftOverBytesStrategy = .forwardBytes
        return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
            configuration: configuration)
    }

    /// Waits, but not long.
    private static func wait<Value: Sendable>(
        for future: EventLoopFuture<Value>, on loop: any EventLoop, else failure: Failure
    ) throws(Failure) -> Value {
        let promise = loop.makePromise(of: Value.self)
        future.cascade(to: promise)
        let end = loop.scheduleTask(in: TimeAmount(Limits.serviceRequest)) {
            promise.fail(Failure.silent)
        }
        defer { end.cancel() }
        do {
            return try promise.futureResult.wait()
        } catch {
            throw error as? Failure ?? failure
        }
    }
}

/// What has come and was not taken.
///
/// Invariant: somebody waits only while there are no texts and the connection stands.
private final class Inbox: Sendable {
    private struct State {
        var texts: [String] = []
        var waiting: EventLoopPromise<String>?
        var end: WebSocketClient.Failure?
    }

    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.end == nil } }

    /// The next text, or why there is none.
    func next(on loop: any EventLoop) -> EventLoopFuture<String> {
        state.withLock { state in
            if !state.texts.isEmpty {
                return loop.makeSucceededFuture(state.texts.removeFirst())
            }
            if let end = state.end { return loop.makeFailedFuture(end) }
            state.waiting?.fail(WebSocketClient.Failure.silent)
            let promise = loop.makePromise(of: String.self)
            state.waiting = promise
            return promise.futureResult
        }
    }

    /// - Returns: whether there was room for it.
    func put(_ text: String) -> Bool {
        state.withLock { state in
            if let waiting = state.waiting {
                state.waiting = nil
                waiting.succeed(text)
            } else {
                guard state.texts.count < Limits.serviceTexts else { return false }
                state.texts.append(text)
            }
            return true
        }
    }

    func close(_ code: Int?) {
        state.withLock { state in
            state.end = state.end ?? .closed(code)
            state.waiting?.fail(state.end ?? .closed(code))
            state.waiting = nil
        }
    }

    deinit {
        state.withLock { $0.waiting?.fail(WebSocketClient.Failure.closed(nil)) }
    }
}

/// Puts what comes into an inbox, and keeps the connection alive.
private final class InboxHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let inbox: Inbox

    init(_ inbox: Inbox) {
        self.inbox = inbox
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        var bytes = frame.unmaskedData
        switch frame.opcode {
        case .text:
            if !inbox.put(String(buffer: bytes)) { context.close(promise: nil) }
        case .ping:
            let pong = WebSocketFrame(fin: true, opcode: .pong, maskKey: .random(), data: bytes)
            context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
        case .connectionClose:
            inbox.close(bytes.readInteger(as: UInt16.self).map { Int($0) })
            context.close(promise: nil)
        default: break
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        inbox.close(nil)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        inbox.close(nil)
        context.close(promise: nil)
    }
}
