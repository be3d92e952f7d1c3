import BeamscribeCore
import Glibc
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// What a browser's connection may cost: its place among those that wait, and how much lies between
/// the host and it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let hall: ConnectionHall
    /// Whether the answer under way is an event stream.
    private var isStream = false
    private var id: ConnectionHall.ID { ObjectIdentifier(self) }

    init(_ hall: ConnectionHall) {
        self.hall = hall
    }

    func handlerAdded(context: ChannelHandlerContext) {
        Self.limit(context.channel)
        hall.enter(id, context.channel)
    }

    /// Comes at every connection's end, also of one that was gone before it was active.
    func handlerRemoved(context: ChannelHandlerContext) {
        hall.leave(id)
    }

    /// A browser whose page was closed says nothing else. Somebody who asks and then closes its
    /// sending side before the answer begins is served.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if isStream, case ChannelEvent.inputClosed? = event as? ChannelEvent {
            return context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Little is to wait below the log, for what waits there is old when it arrives; and a phone
    /// that has left the room must be noticed.
    private static func limit(_ channel: any Channel) {
        guard let options = channel.syncOptions else { return }
        let stuck = Int(Limits.webStuck.components.seconds * 1_000)
        // Where the system does not have one of these it does without.
        try? options.setOption(.writeBufferWaterMark, value: .init(low: 8_192, high: 32_768))
        try? options.setOption(.tcpOption(.notSentLowWater), value: 16_384)
        try? options.setOption(.tcpOption(.userTimeout), value: stuck)
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where head.headerFields[.contentType] == "text/event-stream":
            isStream = true
            hall.beginStream(id)
        case .end where isStream:
            isStream = false
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            let (hall, id) = (hall, id)
            written.futureResult.whenComplete { _ in hall.endStream(id) }
            return context.write(data, promise: written)
        default: break
        }
        context.write(data, promise: promise)
    }
}

extension NIOBSDSocket.Option {
    /// How much may wait in the kernel before the socket counts as full (tcp(7)).
    fileprivate static let notSentLowWater = Self(rawValue: TCP_NOTSENT_LOWAT)
    /// How many milliseconds what was sent may stay without an answer (tcp(7)).
    fileprivate static let userTimeout = Self(rawValue: TCP_USER_TIMEOUT)
}
