import BeamscribeCore
import Glibc
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// What a browser's connection may cost: its place among those that wait, how long it may be idle,
/// and how much lies between the host and it.
final class ConnectionGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let hall: ConnectionHall
    private let proxies: PageProxies
    private let limit: TimeAmount
    /// From when the connection is there until it has gone.
    private var idle: IdleWatch?
    private var timer: Scheduled<Void>?
    /// What has no end of its own: captions, and the sound of the room.
    private static let streams: Set<String> = ["text/event-stream", "audio/ogg"]
    /// Whether the answer under way is one of these.
    private var isStream = false
    private var id: ConnectionHall.ID { ObjectIdentifier(self) }

    /// - Parameter limit: how long the connection may be idle, or take to say what it wants.
    init(_ hall: ConnectionHall, behind proxies: PageProxies, idle limit: TimeAmount) {
        (self.hall, self.proxies, self.limit) = (hall, proxies, limit)
    }

    func handlerAdded(context: ChannelHandlerContext) {
        Self.limit(context.channel)
        idle = IdleWatch(limit, at: context.eventLoop.now)
        watch(context)
        hall.enter(id, context.channel)
    }

    /// Comes at every connection's end, also of one that was gone before it was active.
    func handlerRemoved(context: ChannelHandlerContext) {
        idle = nil
        timer?.cancel()
        hall.leave(id)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        if case .head(let head) = part {
            let peer = context.channel.remoteAddress
            hall.note(id, asking: proxies.visitor(head.headerFields, from: peer))
        }
        idle?.read(part, at: context.eventLoop.now)
        noteDebt()
        context.fireChannelRead(data)
    }

    /// Closes the connection once it is idle. The timer is not moved with everything that is said:
    /// it looks again when it fires.
    private func watch(_ context: ChannelHandlerContext) {
        guard timer == nil, let end = idle?.end else { return }
        let loop = context.eventLoop
        timer = loop.assumeIsolated().scheduleTask(deadline: end) { [self] in
            timer = nil
            guard let end = idle?.end, end <= loop.now else { return watch(context) }
            context.close(promise: nil)
        }
    }

    private func answered(_ context: ChannelHandlerContext) {
        idle?.answered(at: context.eventLoop.now)
        noteDebt()
        watch(context)
    }

    private func noteDebt() {
        hall.note(id, isOwed: idle?.owesAnswer ?? false)
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
        case .head(let head) where Self.streams.contains(head.headerFields[.contentType] ?? ""):
            isStream = true
            hall.beginStream(id)
        case .end:
            let written = promise ?? context.eventLoop.makePromise(of: Void.self)
            let (wasStream, id) = (isStream, id)
            isStream = false
            written.futureResult.assumeIsolated().whenComplete { [self] _ in
                if wasStream { hall.endStream(id) }
                answered(context)
            }
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
