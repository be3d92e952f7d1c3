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

    init(_ hall: ConnectionHall) {
        self.hall = hall
    }

    func handlerAdded(context: ChannelHandlerContext) {
        Self.limit(context.channel)
        hall.enter(context.channel)
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

    func channelInactive(context: ChannelHandlerContext) {
        hall.leave(context.channel)
        context.fireChannelInactive()
    }

    func write(
        context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?
    ) {
        if case .head(let head) = unwrapOutboundIn(data),
            head.headerFields[.contentType] == "text/event-stream"
        {
            hall.leave(context.channel)
        }
        context.write(data, promise: promise)
    }
}

/// The connections of one event loop, on which alone it is used.
///
/// Invariant: `channels` are those that wait in `room`.
final class ConnectionHall: @unchecked Sendable {
    private var room = WaitingRoom<ObjectIdentifier>()
    private var channels: [ObjectIdentifier: any Channel] = [:]

    fileprivate func enter(_ channel: any Channel) {
        channel.eventLoop.assertInEventLoop()
        let id = ObjectIdentifier(channel)
        channels[id] = channel
        let source = channel.remoteAddress?.ipAddress ?? "unknown"
        guard let evicted = room.enter(id, from: source) else { return }
        channels.removeValue(forKey: evicted)?.close(promise: nil)
    }

    fileprivate func leave(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        room.leave(id)
        channels[id] = nil
    }
}

extension NIOBSDSocket.Option {
    /// How much may wait in the kernel before the socket counts as full (tcp(7)).
    fileprivate static let notSentLowWater = Self(rawValue: TCP_NOTSENT_LOWAT)
    /// How many milliseconds what was sent may stay without an answer (tcp(7)).
    fileprivate static let userTimeout = Self(rawValue: TCP_USER_TIMEOUT)
}
